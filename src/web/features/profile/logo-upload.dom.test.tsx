import { fireEvent } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
} from '../../../../tests/support/screen.tsx';
import { useProfile } from '../users/api.ts';
import { LogoUpload } from './logo-upload.tsx';

/** Where the profile says which logo there is. */
function Place() {
  return <LogoUpload organization="Blue Fig" logoPath={useProfile().data?.logoPath ?? null} />;
}
const open = (answers: Answers = {}, logoPath: string | null = null) =>
  openScreen(Place, { profile: { logoPath }, answers: { 'GET /user': withLogo, ...answers } });
const withLogo = profileOf('MSP_OWNER', { logoPath: '/api/logo/x.png' });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

describe('a logo', () => {
  const urlOf = 'GET /user/upload-logo-url/:filename';
  const finish = 'POST /user/upload-logo-finish';
  const signed = { signedUrl: 'https://files.example/put', keyName: 'logos/7.png' };
  const picture = (name: string, { type = 'image/png', size = 3 } = {}) =>
    new File([new Uint8Array(size)], name, { type });

  /** What was put to the signed address; `status`: how it ends, null: not yet. */
  function putting(status: number | null) {
    const puts: Record<string, unknown>[] = [];
    class Put {
      readonly upload = { onprogress: null };
      status = status ?? 0;
      statusText = '';
      onload: (() => void) | null = null;
      #sent: Record<string, unknown> = {};
      open(method: string, url: string) {
        this.#sent = { method, url };
      }
      setRequestHeader(name: string, value: string) {
        this.#sent[name] = value;
      }
      getResponseHeader() {
        return null;
      }
      send(body: Blob) {
        puts.push({ ...this.#sent, bytes: body.size });
        if (status !== null) this.onload?.();
      }
    }
    vi.stubGlobal('XMLHttpRequest', Put);
    return puts;
  }
  async function choose(files: File[], answers: Answers = {}, status: number | null = 200) {
    const opened = await open({ [urlOf]: signed, [finish]: { logoPath: '/api/logo/x.png' }, ...answers });
    const puts = putting(status);
    // A person may choose all files in the browser's dialog, whatever it offers first.
    const user = userEvent.setup({ applyAccept: false });
    await user.upload(field('Logo file'), files);
    await opened.settled();
    return { ...opened, puts };
  }

  test.each<[string, File[], string]>([
    [
      'another kind',
      [picture('logo.gif', { type: 'image/gif' })],
      'Invalid file type. Only .png, and .jpg files are allowed.',
    ],
    ['a file that is no picture', [picture('logo.png', { type: 'text/plain' })], 'File is invalid'],
    ['more than 2 MB', [picture('logo.png', { size: 2 * 1024 * 1024 + 1 })], 'Max file size is 2MB'],
  ])('of %s is not sent, and says why', async (_what, files, message) => {
    const { sent, puts } = await choose(files);
    expect(screen.getByText(message)).toBeDefined();
    expect([sent(urlOf), puts]).toEqual([[], []]);
  });

  test('is put to its signed address, finished by its key, and the profile is read again', async () => {
    const opened = await choose([picture('our logo.JPG', { type: 'image/jpeg' })]);
    expect(opened.sent(urlOf).map(({ params }) => params)).toEqual([{ filename: 'our%20logo.JPG' }]);
    expect(opened.puts).toEqual([
      { method: 'PUT', url: signed.signedUrl, 'content-type': 'image/jpeg', bytes: 3 },
    ]);
    expect(opened.sent(finish).map(({ body }) => body)).toEqual([{ key: 'logos/7.png' }]);
    expect(opened.sent('GET /user')).toHaveLength(1);
    expect(screen.getByText('Your logo has been updated.')).toBeDefined();
    expect(screen.getByRole('img', { name: 'Logo of Blue Fig' }).getAttribute('src')).toBe('/api/logo/x.png');
  });

  test('that is on its way says how far it is, and another one is not taken meanwhile', async () => {
    const opened = await choose([picture('logo.png')], {}, null);
    expect(button('Uploading... 50%').disabled).toBe(true);
    fireEvent.drop(screen.getByRole('region', { name: 'Logo upload' }), {
      dataTransfer: { files: [picture('other.png')] },
    });
    await opened.settled();
    expect(opened.sent(urlOf)).toHaveLength(1);
  });

  test('is taken where it is dropped, and one at a time', async () => {
    const opened = await choose([]);
    const place = screen.getByRole('region', { name: 'Logo upload' });
    fireEvent.drop(place, { dataTransfer: { files: [picture('a.png'), picture('b.png')] } });
    await opened.settled();
    expect(screen.getByText('File is invalid')).toBeDefined();
    expect(opened.sent(urlOf)).toEqual([]);
    fireEvent.drop(place, { dataTransfer: { files: [picture('a.png')] } });
    await opened.settled();
    expect(opened.sent(finish)).toHaveLength(1);
    expect(screen.queryByText('File is invalid')).toBeNull();
  });

  test.each<[string, Answers, number, string]>([
    [
      'that the portal finds wrong',
      { [finish]: refused(422, 'unprocessable', { message: 'File is invalid' }) },
      ...([200, 'File is invalid'] as const),
    ],
    ['that gets no address', { [urlOf]: silence }, 200, 'Error uploading Logo'],
    ['that cannot be put', {}, 500, 'Error uploading Logo'],
  ])('%s says so, and may be sent again', async (_what, answers, status, message) => {
    const opened = await choose([picture('logo.png')], answers, status);
    expect(screen.getByText(message)).toBeDefined();
    expect(screen.queryByText('Your logo has been updated.')).toBeNull();
    expect(button('Upload logo').disabled).toBe(false);
    expect(opened.sent('GET /user')).toEqual([]);
  });

  test('that there is already is shown', async () => {
    await open({}, '/api/logo/x.png');
    expect(screen.getByRole('img').getAttribute('src')).toBe('/api/logo/x.png');
    expect(screen.queryByText('No logo yet')).toBeNull();
  });
});
