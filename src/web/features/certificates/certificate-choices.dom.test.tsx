import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { certificateText, notACsrText, privateKeyText } from '#contracts/values/csr-text.ts';
import { certificatePrices } from '../../../../tests/support/acme-samples.ts';
import { privateKeyPem, requestBytes, requestPem } from '../../../../tests/support/certificate-samples.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { CertificateChoices } from './certificate-choices.tsx';

/** Product and signing request of a certificate that is about to be bought. */

const parse = 'POST /ssl/parsecsr';
const parsed = { csr_data: {} };
const begun = {
  address: 'acme.example',
  provider: 'DigiCert',
  productType: 'rapidssl',
  csr: '',
  csrName: '',
};

/** The item as the cart keeps it. */
function Choices(props: { begin: typeof begun; disabled: boolean; onItem: (item: typeof begun) => void }) {
  const [item, setItem] = useState(props.begin);
  props.onItem(item);
  return (
    <CertificateChoices
      {...{ item, disabled: props.disabled }}
      onChange={setItem}
      onCsr={(csr, csrName) => setItem((before) => ({ ...before, csr, csrName }))}
    />
  );
}

async function open(answers: Answers = {}, change: Partial<typeof begun & { disabled: boolean }> = {}) {
  const { disabled = false, ...more } = change;
  let now = { ...begun, ...more };
  const opened = await openScreen(
    () => (
      <Choices
        {...{ begin: { ...begun, ...more }, disabled }}
        onItem={(item) => {
          now = item;
        }}
      />
    ),
    { answers: { 'GET /ssl/prices': certificatePrices, ...answers } },
  );
  const { user, sent } = opened;
  return {
    ...opened,
    item: () => now,
    bodies: () => sent(parse).map(({ body }) => body),
    paste: async (text: string) => {
      await user.click(button('Paste CSR'));
      await user.click(screen.getByLabelText('CSR'));
      await user.paste(text);
    },
    upload: (bytes: Uint8Array<ArrayBuffer> | string, name = 'acme.csr') => {
      const input = document.querySelector<HTMLInputElement>('input[type="file"]');
      return user.upload(input ?? document.body, new File([bytes], name));
    },
    choose: async (label: string) => {
      await user.click(provider());
      await user.click(screen.getByRole('option', { name: label }));
    },
  };
}
const button = (name: string) => screen.getByRole('button', { name });
const provider = () => screen.getByRole('combobox', { name: 'Provider of the certificate for acme.example' });
const alert = () => screen.getByRole('alert').textContent;
const kept = { csr: requestPem(1), csrName: 'old.csr' };
const none = { csr: '', csrName: '' };

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the product', () => {
  const wild = 'DigiCert: Wild ($99.50 a year)';
  const small = 'DigiCert: RapidSSL ($9.95 a year)';

  test('is chosen among those that need no check by people, each with its price', async () => {
    const { user, item, choose } = await open();
    await user.click(provider());
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([small, wild]);
    expect(provider()).toHaveProperty('value', small);
    await choose(wild);
    expect(item()).toEqual({ ...begun, productType: 'wild' });
  });

  test('of another kind of name drops the request, and one of the same kind keeps it', async () => {
    const other = {
      ...certificatePrices[0],
      productType: 'other',
      certificate: 'Other',
      provider: 'Sectigo',
    };
    const { item, choose } = await open({ 'GET /ssl/prices': [...certificatePrices, other] }, kept);
    await choose('Sectigo: Other ($9.95 a year)');
    expect(item()).toEqual({ ...begun, ...kept, provider: 'Sectigo', productType: 'other' });
    await choose(wild);
    expect(item()).toEqual({ ...begun, ...none, productType: 'wild' });
  });

  test('and the request cannot be chosen while the order is sent', async () => {
    await open({}, { disabled: true });
    expect(provider()).toHaveProperty('disabled', true);
    for (const name of ['Upload CSR', 'Paste CSR', 'Create one here']) {
      expect(button(name)).toHaveProperty('disabled', true);
    }
  });
});

describe('a request that is pasted', () => {
  test('is read for this name and product, once, and is the one that is bought', async () => {
    const answer = new Held();
    const { user, paste, bodies, item, settled } = await open({ [parse]: answer }, kept);
    await paste(`${requestPem(2)}\nRegards`);
    await user.dblClick(button('Use this CSR'));
    const checking = within(screen.getByRole('dialog')).getByRole('button', { name: 'Checking...' });
    expect(checking).toHaveProperty('disabled', true);
    answer.give(parsed);
    await settled();
    expect(bodies()).toEqual([{ csr: requestPem(2), domain: 'acme.example', productType: 'rapidssl' }]);
    expect(item()).toMatchObject({ csr: requestPem(2), csrName: 'pasted.csr' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('CSR file: pasted.csr')).toBeDefined();
  });

  test.each([
    ['a private key', privateKeyPem, privateKeyText],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----', certificateText],
    ['no request', 'hello', notACsrText],
  ])(
    'and is %s is not sent; its field says why, and the one before is not bought in its place',
    async (_what, text, message) => {
      const { user, paste, bodies, item } = await open({}, kept);
      await paste(text);
      await user.click(button('Use this CSR'));
      expect(fieldErrors()).toEqual({ CSR: message });
      expect(bodies()).toEqual([]);
      expect(item()).toMatchObject(none);
    },
  );

  test('and is refused or not answered says so at its field, stays, and may be tried again', async () => {
    const { user, paste, bodies, item, answer } = await open({
      [parse]: refused(400, 'validation_failed', { message: 'It is for b.example.' }),
    });
    await paste(requestPem(2));
    expect(fieldErrors()).toEqual({});
    await user.click(button('Use this CSR'));
    expect(fieldErrors()).toEqual({ CSR: 'It is for b.example.' });
    answer(parse, silence);
    await user.click(button('Use this CSR'));
    expect(fieldErrors()).toEqual({ CSR: 'Something went wrong' });
    expect(screen.getByLabelText('CSR')).toHaveProperty('value', requestPem(2));
    expect(item()).toMatchObject(none);
    answer(parse, parsed);
    await user.click(button('Use this CSR'));
    expect([item().csr, bodies().length]).toEqual([requestPem(2), 3]);
  });

  test('is not lost by a click beside the dialog', async () => {
    const { user, paste } = await open();
    await paste(requestPem(2));
    const outside = document.querySelector<HTMLElement>('.mantine-Modal-overlay');
    await user.click(outside ?? screen.getByLabelText('CSR'));
    expect(outside).not.toBeNull();
    expect(screen.getByLabelText('CSR')).toHaveProperty('value', requestPem(2));
  });

  test('and given up is not sent, and an empty one cannot be', async () => {
    const { user, paste, bodies, item } = await open({}, kept);
    await paste(' ');
    expect(button('Use this CSR')).toHaveProperty('disabled', true);
    await user.click(screen.getByLabelText('CSR'));
    await user.paste(requestPem(2));
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect([bodies(), item().csr]).toEqual([[], requestPem(1)]);
  });
});

describe('a request that is uploaded', () => {
  test.each<[string, Uint8Array<ArrayBuffer> | string]>([
    ['text', requestPem(2)],
    ['bytes', requestBytes(2)],
    ['UTF-16, as Windows writes it', Uint8Array.from(Buffer.from(`\ufeff${requestPem(2)}`, 'utf16le'))],
  ])('as %s is read and kept under the name of its file', async (_what, bytes) => {
    const { upload, bodies, item } = await open({ [parse]: parsed });
    await upload(bytes);
    expect(bodies()).toEqual([{ csr: requestPem(2), domain: 'acme.example', productType: 'rapidssl' }]);
    expect(item()).toMatchObject({ csr: requestPem(2), csrName: 'acme.csr' });
  });

  test('and is refused says so, and none is kept', async () => {
    const { upload, item, bodies, answer } = await open({}, kept);
    await upload(privateKeyPem, 'acme.pem');
    expect(alert()).toBe(privateKeyText);
    expect([item().csr, bodies()]).toEqual(['', []]);
    expect(screen.getByText('Please upload a CSR to continue')).toBeDefined();
    answer(parse, refused(400, 'validation_failed', { message: 'It is for b.example.' }));
    await upload(requestPem(2));
    expect(alert()).toBe('It is for b.example.');
    answer(parse, parsed);
    await upload(requestPem(3));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(item().csr).toBe(requestPem(3));
  });

  test('is read again for the product that was chosen meanwhile, which stays chosen', async () => {
    const first = new Held();
    const small = {
      ...certificatePrices[0],
      productType: 'other',
      certificate: 'Other',
    };
    const { upload, choose, settled, bodies, item, answer } = await open({
      ...{ 'GET /ssl/prices': [...certificatePrices, small], [parse]: first },
    });
    await upload(requestPem(2));
    await choose('DigiCert: Other ($9.95 a year)');
    answer(parse, parsed);
    first.give(parsed);
    await settled();
    expect(bodies().map((body) => (body as { productType: string }).productType)).toEqual([
      ...['rapidssl', 'other'],
    ]);
    expect(item()).toMatchObject({ productType: 'other', csr: requestPem(2), csrName: 'acme.csr' });
  });

  test('bars another one while it is read', async () => {
    const answer = new Held();
    const { upload, settled } = await open({ [parse]: answer });
    await upload(requestPem(2));
    expect(button('Checking...')).toHaveProperty('disabled', true);
    answer.give(parsed);
    await settled();
    expect(button('Upload CSR')).toHaveProperty('disabled', false);
  });
});

describe('a request that is made here', () => {
  /** What was given to the browser to keep, with its name. */
  function watchFiles() {
    const blobs = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:key');
    const made = vi.spyOn(document, 'createElement');
    return async () => {
      const links = made.mock.results.map(({ value }) => value as HTMLElement);
      const names = links.flatMap((link) => link.getAttribute('download') ?? []);
      return [names, await Promise.all(blobs.mock.calls.map(([blob]) => (blob as Blob).text()))] as const;
    };
  }
  /** Until the key is made and its request is read. */
  const until = (found: () => unknown) => eventually(() => expect(found()).toBeTruthy());

  test('is begun in its field, and not at the button that closes it', async () => {
    const { user } = await open();
    await user.click(button('Create one here'));
    const field = screen.getByRole('textbox', { name: 'Organization (optional)' });
    await eventually(() => expect(document.activeElement).toBe(field));
  });

  test('is read and kept, its key is saved here, and the key goes nowhere', async () => {
    const files = watchFiles();
    const { user, sent, item } = await open({ [parse]: parsed }, { productType: 'wild' });
    await user.click(button('Create one here'));
    expect(screen.getByRole('dialog', { name: 'Create a key and a CSR for *.acme.example' })).toBeDefined();
    await user.type(screen.getByLabelText('Organization (optional)'), ' Acme Inc ');
    await user.dblClick(button('Create and save the key'));
    await until(() => item().csr);
    const [[call], [names, texts]] = [sent(parse), await files()];
    expect(item()).toMatchObject({ csrName: 'wildcard.acme.example.csr' });
    expect(call?.body).toEqual({ csr: item().csr, domain: 'acme.example', productType: 'wild' });
    expect(item().csr).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----/);
    const inside = atob(item().csr.replace(/-----[^-]+-----|\s/g, ''));
    expect(inside).toContain('*.acme.example');
    expect(inside).toMatch(/\bAcme Inc(?! )/);
    expect([names, sent(parse).length]).toEqual([['wildcard.acme.example.key'], 1]);
    expect(texts).toEqual([expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/)]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('and is refused says so, and its key is not saved', async () => {
    const files = watchFiles();
    const { user, item } = await open({
      [parse]: refused(502, 'upstream_unavailable', { message: 'The registrar is away.' }),
    });
    await user.click(button('Create one here'));
    await user.click(button('Create and save the key'));
    await until(() => screen.queryByRole('alert'));
    expect(alert()).toBe('The registrar is away.');
    expect([item().csr, await files()]).toEqual(['', [[], []]]);
    expect(button('Create and save the key')).toHaveProperty('disabled', false);
  });

  test('and given up sends nothing', async () => {
    const { user, bodies } = await open();
    await user.click(button('Create one here'));
    await user.click(button('Cancel'));
    expect([bodies(), screen.queryByRole('dialog')]).toEqual([[], null]);
  });
});
