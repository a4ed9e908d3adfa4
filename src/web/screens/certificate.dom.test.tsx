import { afterEach, describe, expect, test, vi } from 'vitest';
import { certificateOf, requestPem } from '../../../tests/support/certificate-samples.ts';
import {
  type Answers,
  type Call,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { type CertificateItem, cart, cartNow } from '../features/orders/cart.ts';
import CertificateScreen from './certificate.tsx';

const reissue = { orderId: '4712', state: 'running', automatic: false, startedAt: '2026-11-01T00:00:00Z' };
type Change = Parameters<typeof certificateOf>[0];
const read = 'GET /ssl/order/:orderId';
const of = (act: string) => `POST /ssl/order/:orderId/${act}`;

async function openOne(
  change: Change = {},
  answers: Answers = {},
  role: 'MSP_OWNER' | 'MSP_CUSTOMER' = 'MSP_OWNER',
) {
  let now = certificateOf(change);
  const opened = await openScreen(CertificateScreen, {
    ...{ route: '/SSL/$opensrsorderid', path: '/SSL/4711', role },
    answers: { [read]: () => now, 'GET /ssl/order/:orderId/approvers': [], ...answers },
  });
  /** What the portal knows of it from here on. */
  const becomes = (after: Change) => {
    now = { ...now, ...after };
    return now;
  };
  return { ...opened, becomes };
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const offered = () =>
  within(screen.getByRole('region'))
    .queryAllByRole('button')
    .map(({ textContent }) => textContent);
/** The step that is shown; what it shows within is no step. */
const step = () => screen.getAllByRole('region')[0]?.getAttribute('aria-label');
const alerts = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent);

afterEach(() => {
  cart.clear();
  localStorage.clear();
});

describe('an act that asks first', () => {
  const acts: {
    act: string;
    /** What opens its question; what confirms it, and what does not. */
    open: string;
    confirm: string;
    keep: string;
    running: string;
    before: Change;
    body: unknown;
    after: Change;
    said: string;
  }[] = [
    {
      ...{ act: 'reissue', open: 'Reissue now', confirm: 'Reissue', keep: 'Cancel', running: 'Ordering...' },
      ...{ before: {}, body: {}, after: { reissue }, said: 'completedReissue in progress' },
    },
    {
      ...{
        act: 'revoke',
        open: 'Revoke',
        confirm: 'Revoke for good',
        keep: 'Cancel',
        running: 'Revoking...',
      },
      ...{ before: {}, body: { confirm: '' }, after: { state: 'revoked' }, said: 'revoked' },
    },
    {
      ...{ act: 'cancel', open: 'Cancel order', confirm: 'Cancel order', keep: 'Keep it' },
      ...{ running: 'Cancelling...', before: { state: 'pending', serial: null }, body: null },
      ...{ after: { state: 'cancelled' }, said: 'cancelled' },
    },
  ];
  const inDialog = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });

  test.each(acts)(
    '($act) sends nothing before, then one request for this very order, and shows what came of it',
    async ({ act, keep, confirm, running, before, body, after, said, ...labels }) => {
      const answer = new Held();
      const { user, sent, becomes, settled } = await openOne(before, { [of(act)]: answer });
      await user.click(button(labels.open));
      expect(screen.getByRole('dialog').textContent).toContain('for shop.acme.example?');
      await user.click(inDialog(keep));
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(sent(of(act))).toEqual([]);

      await user.click(button(labels.open));
      await user.dblClick(inDialog(confirm));
      expect(inDialog(running)).toHaveProperty('disabled', true);
      await user.click(inDialog(keep));
      await user.keyboard('{Escape}');
      expect(inDialog(running)).toBeDefined();
      answer.give(becomes(after));
      await settled();
      expect(sent(of(act)).map((call) => [call.params, call.body])).toEqual([[{ orderId: '4711' }, body]]);
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(screen.getByRole('status').textContent).toBe(`Status: ${said}`);
    },
  );

  test.each(acts)(
    '($act) that is refused or not answered stays open, says why, and may be tried again',
    async ({ act, confirm, before, ...labels }) => {
      const { user, sent, answer } = await openOne(before, {
        [of(act)]: refused(422, 'unprocessable', { message: 'Not while it rains.' }),
      });
      await user.click(button(labels.open));
      const said = () => within(screen.getByRole('dialog')).getByRole('alert').textContent;
      await user.click(inDialog(confirm));
      expect(said()).toBe('Not while it rains.');
      answer(of(act), silence);
      await user.click(inDialog(confirm));
      expect(said()).toBe('Something went wrong');
      expect(inDialog(confirm)).toHaveProperty('disabled', false);
      expect(sent(of(act))).toHaveLength(2);
    },
  );

  test('a revocation sends the name that was typed, and a refusal of it keeps it', async () => {
    const message = 'Type shop.acme.example to confirm.';
    const { user, sent } = await openOne(
      {},
      {
        [of('revoke')]: refused(400, 'validation_failed', {
          message,
          details: [{ path: 'confirm', message }],
        }),
      },
    );
    await user.click(button('Revoke'));
    await user.type(screen.getByLabelText('Type shop.acme.example to confirm'), 'shop.acme');
    await user.click(button('Revoke for good'));
    expect(sent(of('revoke')).map(({ body }) => body)).toEqual([{ confirm: 'shop.acme' }]);
    expect(within(screen.getByRole('dialog')).getByRole('alert').textContent).toBe(message);
    expect(screen.getByLabelText('Type shop.acme.example to confirm')).toHaveProperty('value', 'shop.acme');
  });
});

describe('what is offered at the end', () => {
  const files = [
    'Certificate with chain (nginx, HAProxy, Caddy)',
    'Certificate alone (Apache)',
    'Chain (Apache)',
    'PKCS #7 (Windows, IIS)',
    'Copy link for a colleague',
  ];
  const none = { serial: null, validTo: null, validFrom: null };
  test.each<[string, Change, string[], string]>([
    ['pending', none, ['Cancel order'], 'The registrar has received the order and will process it later.'],
    [
      ...(['in-progress', none, ['Cancel order']] as [string, Change, string[]]),
      'Control of the name is proven. The certificate is being issued.',
    ],
    [
      ...(['completed', {}, [...files, 'Reissue now', 'Renew', 'Revoke']] as [string, Change, string[]]),
      'The certificate has been issued. Download and install it.',
    ],
    ['expired', {}, [...files, 'Renew'], 'The certificate has expired. Browsers reject it.'],
    [
      ...(['declined', none, ['Order a new certificate']] as [string, Change, string[]]),
      'The certificate authority declined the order. The charge is returned to your balance.',
    ],
    [
      ...(['cancelled', none, ['Order a new certificate']] as [string, Change, string[]]),
      'The order was cancelled. No certificate will be issued.',
    ],
    [
      ...(['revoked', {}, [...files, 'Order a new certificate']] as [string, Change, string[]]),
      'The certificate was revoked. Browsers reject it.',
    ],
  ])('of one that is %s fits that state', async (state, change, buttons, text) => {
    await openOne({ state, ...change });
    expect(offered()).toEqual(buttons);
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByRole('switch') !== null).toBe(state === 'completed');
  });

  test('of one whose reissue is under way says so, and offers no second one', async () => {
    const reissue = {
      orderId: '4712',
      state: 'running',
      automatic: false,
      startedAt: '2026-11-01T00:00:00Z',
    };
    await openOne({ reissue });
    expect(screen.getByRole('status').textContent).toBe('Status: completedReissue in progress');
    expect(offered()).toEqual([...files, 'Renew', 'Revoke']);
    // Who sent another request must not install the certificate of the former key for it.
    expect(screen.queryByText('The certificate has been issued. Download and install it.')).toBeNull();
    expect(
      screen.getByText(
        'A new certificate is being issued. The files below are still those of the present one.',
      ),
    ).toBeDefined();
  });

  test('of one that a machine has is no automatic reissue: its server renews it', async () => {
    const byAcme = {
      ...{ accessId: uuid(41), name: 'Web server', lastSeenAt: null, problem: 'The name is not covered.' },
      renewsAt: { from: '2075-11-01T12:00:00Z', to: '2075-11-05T12:00:00Z' },
    };
    await openOne({ byAcme });
    expect(screen.queryByRole('switch')).toBeNull();
    expect(
      screen.getByText('The certificate has been issued. Its server fetches and installs it.'),
    ).toBeDefined();
    expect(screen.getByRole('link', { name: 'Web server' }).getAttribute('href')).toBe(
      `/certificates/acme/${uuid(41)}`,
    );
    expect(document.body.textContent).toContain(
      'Its server has not been seen yet. It is asked to renew between Nov 1, 2075 and Nov 5, 2075.',
    );
    expect(alerts()).toEqual(['The last request of its server failedThe name is not covered.']);
    expect(screen.getByText('Its server renews it')).toBeDefined();
  });

  test("for a customer's own user are the files, and nothing that changes it", async () => {
    await openOne({}, {}, 'MSP_CUSTOMER');
    expect(offered()).toEqual(files);
    expect(screen.queryByRole('switch')).toBeNull();
  });

  test('tells the dates, the names, the serial and the words of the authority', async () => {
    await openOne({ remark: 'Checked twice' });
    expect(screen.getByText('The certificate authority says: Checked twice')).toBeDefined();
    const [terms, facts] = ['dt', 'dd'].map((kind) =>
      [...screen.getByLabelText('Certificate', { selector: 'dl' }).querySelectorAll(kind)].map(
        (found) => found.querySelector('time')?.getAttribute('datetime') ?? found.textContent,
      ),
    );
    expect(terms).toEqual(['Host names', 'Valid to', 'Order term ends', 'Next reissue', 'Serial']);
    expect(facts).toEqual([
      'shop.acme.example, www.shop.acme.example',
      ...['2076-01-02T04:00:00Z', '2077-02-03T04:00:00Z', '2075-12-03T04:00:00Z', '0A1B2C'],
    ]);
  });
});

test('automatic reissue is turned off and on for this order; a refusal is shown, and it stays as it was', async () => {
  const { user, sent, answer, becomes } = await openOne();
  answer(of('auto-reissue'), ({ body }: Call) =>
    becomes({ autoReissue: Object.values(body ?? {})[0] === true }),
  );
  const toggle = () => screen.getByRole('switch', { name: /Reissue automatically/ });
  await user.click(toggle());
  expect(toggle()).toHaveProperty('checked', false);
  answer(of('auto-reissue'), refused(409, 'conflict', { message: 'Somebody else is at it.' }));
  await user.click(toggle());
  expect(alerts()).toEqual(['Somebody else is at it.']);
  expect(toggle()).toMatchObject({ checked: false, disabled: false });
  expect(sent(of('auto-reissue')).map(({ params, body }) => [params, body])).toEqual([
    [{ orderId: '4711' }, { enabled: false }],
    [{ orderId: '4711' }, { enabled: true }],
  ]);
});

describe('a download', () => {
  const file = 'GET /ssl/order/:orderId/files/:file';
  test.each([
    ['Certificate with chain (nginx, HAProxy, Caddy)', 'fullchain.pem'],
    ['Certificate alone (Apache)', 'certificate.pem'],
    ['Chain (Apache)', 'chain.pem'],
    ['PKCS #7 (Windows, IIS)', 'bundle.p7b'],
  ])('(%s) asks for that file of this order', async (label, name) => {
    const { user, sent } = await openOne(
      {},
      { [file]: refused(404, 'not_found', { message: 'It is not there yet.' }) },
    );
    await user.click(button(label));
    expect(sent(file).map(({ params }) => params)).toEqual([{ orderId: '4711', file: name }]);
    expect(alerts()).toEqual(['It is not there yet.']);
    expect(button(label)).toHaveProperty('disabled', false);
  });

  test('hands the browser the file under its name', async () => {
    const blobs = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file');
    const made = vi.spyOn(document, 'createElement');
    const headers = { 'content-disposition': 'attachment; filename="shop.acme.example.chain.pem"' };
    const { user } = await openOne({}, { [file]: () => new Response('PEM', { headers }) });
    await user.click(button('Chain (Apache)'));
    const [blob] = blobs.mock.calls[0] ?? [];
    expect(await (blob as Blob).text()).toBe('PEM');
    const links = made.mock.results.map(({ value }) => value as HTMLElement);
    expect(links.flatMap((link) => link.getAttribute('download') ?? [])).toEqual([
      'shop.acme.example.chain.pem',
    ]);
    expect(alerts()).toEqual([]);
    vi.restoreAllMocks();
  });

  test('that runs bars the others until it has come', async () => {
    const answer = new Held();
    const { user, sent, settled } = await openOne({}, { [file]: answer });
    await user.click(button('Chain (Apache)'));
    await user.click(button('Certificate alone (Apache)'));
    expect(button('Certificate alone (Apache)')).toHaveProperty('disabled', true);
    answer.give(refused(404, 'not_found'));
    await settled();
    expect(sent(file)).toHaveLength(1);
  });
});

describe('an order of the next certificate', () => {
  const item: Partial<CertificateItem> = {
    ...{ type: 'certificate', address: 'shop.acme.example', customerId: uuid(21) },
    ...{ provider: 'RapidSSL', productType: 'rapidssl', csr: requestPem(1), csrName: 'as before' },
  };
  test.each([
    ['completed', 'Renew', { ...item, renews: true }],
    ['expired', 'Renew', { ...item, renews: true }],
    ['declined', 'Order a new certificate', item],
    ['revoked', 'Order a new certificate', item],
  ])(
    'of one that is %s goes into the cart with the same customer, product and CSR',
    async (state, label, added) => {
      const { user, path } = await openOne({ state });
      await user.click(button(label));
      expect(cartNow().items).toEqual([added]);
      expect(path()).toBe('/cart');
    },
  );
});

describe('the page', () => {
  test('that cannot be read says so, and reads it again when asked', async () => {
    const { user, answer, sent } = await openOne(
      {},
      { [read]: refused(404, 'not_found', { message: 'No such order.' }) },
    );
    expect(alerts()).toEqual([expect.stringContaining('No such order.')]);
    answer(read, certificateOf());
    await user.click(button('Try again'));
    expect(screen.getByText('Status: completed')).toBeDefined();
    expect(sent(read).map(({ params }) => params)).toEqual([{ orderId: '4711' }, { orderId: '4711' }]);
  });

  test('of one whose term ends first promises no other reissue', async () => {
    await openOne({ nextReissueAt: null });
    expect(screen.getByText('None: the order term ends first')).toBeDefined();
  });

  test('has three steps under its heading', async () => {
    await openOne();
    expect(screen.getByRole('heading', { name: 'Domain Validated CSR' })).toBeDefined();
    for (const name of [/Input your CSR/, /Choose validation method/, /Wait for certificate/])
      expect(button(name)).toBeDefined();
  });

  test('without an order number asks for nothing', async () => {
    const { sent } = await openScreen(CertificateScreen, { route: '/SSL', path: '/SSL' });
    expect(screen.getByRole('status').textContent).toBe('no order id');
    expect(sent(read)).toEqual([]);
  });

  test('that is being read says so', async () => {
    const answer = new Held();
    const { settled } = await openOne({}, { [read]: answer });
    expect(screen.getByRole('status', { name: 'Loading certificate...' })).toBeDefined();
    answer.give(certificateOf());
    await settled();
    expect(screen.queryByLabelText('Loading certificate...')).toBeNull();
  });

  const email = { ...certificateOf().proof, method: 'Email' as const };
  test.each<[string, Change, string]>([
    ['a record that is missing', { proofState: 'missing' }, 'Choose validation method'],
    ['an email that waits', { proof: email, proofState: null }, 'Choose validation method'],
    ['a record that the portal wrote', { proofState: 'set' }, 'Wait for certificate'],
    ['a record that waits for the domain', { proofState: 'waiting' }, 'Wait for certificate'],
    ['an order that has ended', { state: 'declined', proofState: 'missing' }, 'Wait for certificate'],
  ])('of an order with %s opens where something is to be done', async (_what, change, shown) => {
    await openOne({ state: 'awaiting-approval', serial: null, ...change });
    expect(step()).toBe(shown);
  });

  test('leads from step to step', async () => {
    const { user } = await openOne({ state: 'awaiting-approval', proofState: 'missing', serial: null });

    await user.click(button(/Input your CSR/));
    expect(step()).toBe('Input your CSR');
    await user.click(button('Continue'));
    expect(step()).toBe('Choose validation method');
    await user.click(button('Continue'));
    expect(step()).toBe('Wait for certificate');
  });

  test('tells what is the matter instead of what is next', async () => {
    await openOne({
      state: 'expired',
      flags: [{ kind: 'expired', level: 'danger', text: 'Order a new one.' }],
    });
    expect(alerts()).toEqual(['Order a new one.']);
    expect(screen.getAllByText(/Order a new one/)).toHaveLength(1);
    expect(document.body.textContent).toContain('RapidSSL, order 4711');
  });

  test.each<[string, Change, string[]]>([
    ['a record that is missing', { proofState: 'missing' }, ['_dnsauth.shop.acme.example', 'token-1']],
    ['a record that is seen', { proofState: 'present' }, []],
    [
      'a file',
      { proof: { ...email, method: 'File', filePath: '/.well-known/pki/a.txt', fileContent: 'content-1' } },
      ['http://shop.acme.example/.well-known/pki/a.txt', 'content-1'],
    ],
    ['an email', { proof: email, proofState: null }, []],
  ])(
    'of an order that waits with %s shows at the end what has to be put in its place',
    async (_what, change, texts) => {
      const { user } = await openOne({ state: 'awaiting-approval', serial: null, ...change });
      await user.click(button(/Wait for certificate/));
      const steps = screen.queryByRole('region', { name: 'Next steps' });
      expect([...(steps?.querySelectorAll('code') ?? [])].map(({ textContent }) => textContent)).toEqual(
        texts,
      );
    },
  );
});
