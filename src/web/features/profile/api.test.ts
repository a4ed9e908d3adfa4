import { afterEach, expect, test, vi } from 'vitest';
import { asked, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { logoProblem, readInChunks, useDashboardLink, useResetPassword, useUploadLogo } from './api.ts';

const megabyte = 1024 * 1024;
const file = (name: string, type: string, bytes = 10) => new File([new Uint8Array(bytes)], name, { type });

test.each([
  ['logo.gif', 'image/gif', 10, 'Invalid file type. Only .png, and .jpg files are allowed.'],
  ['logo.png', 'application/pdf', 10, 'File is invalid'],
  ['logo.png', 'image/png', 2 * megabyte + 1, 'Max file size is 2MB'],
  ['LOGO.PNG', 'image/png', 2 * megabyte, null],
  ['logo.jpg', 'image/jpeg', 10, null],
] as const)('%s of type %s with %i bytes: %s', (name, type, bytes, message) => {
  expect(logoProblem([file(name, type, bytes)])).toBe(message);
});

test('exactly one file: none and two are refused', () => {
  const good = file('logo.png', 'image/png');
  expect([logoProblem([]), logoProblem([good, good])]).toEqual(['File is invalid', 'File is invalid']);
});

test('the file is read in 1 MB chunks, whole and in order', async () => {
  const bytes = Uint8Array.from({ length: 1.5 * megabyte }, (_, at) => at % 251);
  const shares: number[] = [];
  const read = await readInChunks(new File([bytes], 'logo.png'), (share) => shares.push(share));
  expect(shares).toEqual([2 / 3, 1]);
  expect(Buffer.from(await read.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
});

/** A browser as far as it puts a file to an address. */
class Upload {
  static readonly put: unknown[] = [];
  static status = 200;
  /** How it ends. */
  static end: 'onload' | 'onerror' = 'onload';
  upload: { onprogress?: (event: ProgressEvent) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  #url = '';
  #type = '';
  get status() {
    return Upload.status;
  }
  open(method: string, url: string) {
    this.#url = `${method} ${url}`;
  }
  setRequestHeader(name: string, value: string) {
    this.#type = `${name}: ${value}`;
  }
  getResponseHeader() {
    return null;
  }
  send(file: Blob) {
    Upload.put.push([this.#url, this.#type, file.size]);
    this.upload.onprogress?.({ lengthComputable: true, loaded: 1, total: 2 } as ProgressEvent);
    this[Upload.end]?.();
  }
}
afterEach(() => {
  Upload.put.length = 0;
  Upload.status = 200;
  Upload.end = 'onload';
});

const upload = async (answers: (() => Response | Promise<Response>)[]) => {
  const shares: number[] = [];
  let said: string | null = null;
  const found = await asked(
    () => useUploadLogo((share) => shares.push(share)),
    async (act) => {
      vi.stubGlobal('XMLHttpRequest', Upload);
      await act.mutateAsync(file('logo.png', 'image/png')).catch((error: Error) => {
        said = error.message;
      });
    },
    () => (answers.shift() ?? refused(500, 'internal'))(),
  );
  return { ...found, shares, said };
};
const address = () => Response.json({ data: { signedUrl: 'https://files.test/1', keyName: 'logos/1' } });
const taken = () => Response.json({ data: { logoPath: '/logo/1.png' } });
const asks = ['GET /user/upload-logo-url/logo.png'];
const finishes = ['POST /user/upload-logo-finish', { key: 'logos/1' }];

test('a logo is put to its own address, then used, and the profile that shows it is read again', async () => {
  const { sent, again, shares, said } = await upload([address, taken]);
  expect({ sent, again, shares, said }).toEqual({
    ...{ sent: [asks, finishes], again: ['profile'], shares: [0.5, 0.75], said: null },
  });
  expect(Upload.put).toEqual([['PUT https://files.test/1', 'content-type: image/png', 10]]);
});

test('a logo that does not arrive is not used, and one that is no picture is said to be so', async () => {
  Upload.status = 500;
  const lost = await upload([address, taken]);
  expect([lost.sent, lost.said]).toEqual([[asks], 'Error uploading Logo']);
  [Upload.status, Upload.end] = [0, 'onerror'];
  const cut = await upload([address, taken]);
  expect([cut.sent, cut.said]).toEqual([[asks], 'Error uploading Logo']);
  [Upload.status, Upload.end] = [200, 'onload'];
  const told = () => Response.json({ code: 'unprocessable', message: 'File is invalid' }, { status: 422 });
  const wrong = await upload([address, told]);
  expect([wrong.sent, wrong.said]).toEqual([[asks, finishes], 'File is invalid']);
});

test('a logo whose last answer was lost may be in use: the profile is read again', async () => {
  const { again, said } = await upload([address, () => Promise.reject(new TypeError('fetch failed'))]);
  expect([again, said]).toEqual([['profile'], 'Error uploading Logo']);
});

testWrites(useDashboardLink, [
  [
    'the way to the payment provider',
    (link) => link.mutateAsync(),
    ['GET /account/login'],
    ...([[], []] as const),
  ],
]);

test.each([
  ['sends the mail', () => new Response('We have sent you a mail.'), 'We have sent you a mail.'],
  [
    'says why it does not',
    () => Response.json({ description: 'Too many tries' }, { status: 429 }),
    'Too many tries',
  ],
  ['says nothing', () => new Response('', { status: 500 }), 'Not able to change password'],
  ['does not answer', () => Promise.reject(new TypeError('fetch failed')), 'Not able to change password'],
])('a new password is asked for at the identity provider, which %s', async (_what, answer, text) => {
  const identity = {
    ...{ passwordResetUrl: 'https://id.test/reset', clientId: 'client', passwordResetConnection: 'Users' },
  };
  const sent: unknown[] = [];
  let said = '';
  await readAgainAfter(
    () => useResetPassword(identity as never, 'ann@msp.example'),
    [],
    async (reset) => {
      vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit) => {
        sent.push([method, url, new Headers(headers).has('authorization'), JSON.parse(String(body))]);
        return answer();
      });
      said = await reset.mutateAsync().catch((error: Error) => error.message);
    },
  );
  const wish = { client_id: 'client', email: 'ann@msp.example', connection: 'Users' };
  expect(sent).toEqual([['POST', 'https://id.test/reset', false, wish]]);
  expect(said).toBe(text);
});
