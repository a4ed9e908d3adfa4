import { describe, expect, test } from 'vitest';
import { certificateText, notACsrText, privateKeyText } from '#contracts/values/csr-text.ts';
import { certificateOf, privateKeyPem, requestPem } from '../../../tests/support/certificate-samples.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
} from '../../../tests/support/screen.tsx';
import CertificateScreen from './certificate.tsx';

/** The first step of a certificate: its signing request is read, and another one may be sent for a reissue. */

const parse = 'POST /ssl/parsecsr';
const reissue = 'POST /ssl/order/:orderId/reissue';
const readCsr = { csr_data: { domain: 'new.acme.example', organization: 'Acme Inc' } };
const underWay = { orderId: '4712', state: 'running', automatic: false, startedAt: '2026-11-01T00:00:00Z' };

async function open(
  change: Parameters<typeof certificateOf>[0] = {},
  answers: Answers = {},
  role: 'MSP_OWNER' | 'MSP_CUSTOMER' = 'MSP_OWNER',
) {
  let now = certificateOf(change);
  const opened = await openScreen(CertificateScreen, {
    ...{ route: '/SSL/$opensrsorderid', path: '/SSL/4711', role },
    answers: { 'GET /ssl/order/:orderId': () => now, ...answers },
  });
  await opened.user.click(button(/Input your CSR/));
  const replace = async (text: string) => {
    await opened.user.clear(field());
    await opened.user.click(field());
    await opened.user.paste(text);
  };
  const becomes = (after: object) => {
    now = { ...now, ...after };
    return now;
  };
  return { ...opened, replace, becomes, validate: () => opened.user.click(button('Validate')) };
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const field = () => screen.getByLabelText<HTMLTextAreaElement>('CSR');
const facts = () =>
  [...(screen.queryByLabelText('Parsed CSR')?.querySelectorAll('dd') ?? [])].map(
    ({ textContent }) => textContent,
  );
const offersReissue = () => screen.queryByRole('button', { name: 'Reissue with this CSR' }) !== null;

test('the request as it was ordered is shown with what was read of it, and is offered to nobody as another one', async () => {
  await open();
  expect(field().value).toBe(requestPem(1));
  expect(facts()).toEqual(['shop.acme.example', '–', '–', '–', '–', '–', 'US']);
  const names = [...screen.getByLabelText('Parsed CSR').querySelectorAll('dt')];
  expect(names.map(({ textContent }) => textContent)).toEqual([
    ...['Domain', 'Organization', 'Organization Unit', 'State', 'Locality', 'Email', 'Country'],
  ]);
  expect(offersReissue()).toBe(false);
});

test('each part of a request that was read stands beside its name', async () => {
  await open({
    csrData: {
      ...{ domain: 'a.example', organization: 'Acme Ltd', organization_unit: 'IT', state: 'New York' },
      ...{ locality: 'Albany', email: 'it@acme.example', country: 'US' },
    },
  });
  expect(facts()).toEqual([
    ...['a.example', 'Acme Ltd', 'IT', 'New York', 'Albany', 'it@acme.example', 'US'],
  ]);
});

describe('another request', () => {
  test('is read for this order, and the very request that was read is sent for the reissue', async () => {
    const { replace, validate, sent, user, answer, becomes } = await open({}, { [parse]: readCsr });
    // What is around it in a file is not sent.
    await replace(`Mail of Tuesday\n${requestPem(2)}Regards`);
    expect(facts()).toEqual([]);
    expect(offersReissue()).toBe(false);
    await validate();
    expect(sent(parse).map(({ body }) => body)).toEqual([{ csr: requestPem(2), opensrsorderid: '4711' }]);
    expect(facts()).toEqual(['new.acme.example', 'Acme Inc', '–', '–', '–', '–', '–']);
    answer(reissue, () => becomes({ reissue: underWay }));
    await user.click(button('Reissue with this CSR'));
    expect(sent(reissue).map(({ params, body }) => [params, body])).toEqual([
      [{ orderId: '4711' }, { csr: requestPem(2) }],
    ]);
    // The last step shows how it goes on.
    expect(screen.getByRole('status').textContent).toBe('Status: completedReissue in progress');
  });

  test('stays while another step is looked at, read or refused as it was, and goes with its reissue', async () => {
    const { replace, validate, user, answer, becomes, sent } = await open({}, { [parse]: readCsr });
    const lookAway = async () => {
      await user.click(button(/Wait for certificate/));
      expect(screen.queryByLabelText('CSR')).toBeNull();
      await user.click(button(/Input your CSR/));
    };
    await replace(requestPem(2));
    await lookAway();
    expect([field().value, facts(), offersReissue()]).toEqual([requestPem(2), [], false]);
    await replace('hello');
    await validate();
    await lookAway();
    expect(fieldErrors()).toEqual({ CSR: notACsrText });
    await replace(requestPem(2));
    await validate();
    await lookAway();
    expect(facts()).toEqual(['new.acme.example', 'Acme Inc', '–', '–', '–', '–', '–']);
    answer(reissue, () => becomes({ reissue: underWay }));
    await user.click(button('Reissue with this CSR'));
    expect(sent(reissue).map(({ body }) => body)).toEqual([{ csr: requestPem(2) }]);
    await user.click(button(/Input your CSR/));
    expect(field().value).toBe(requestPem(1));
  });

  test('that is typed over after it was read is not sent until it is read again', async () => {
    const { replace, validate } = await open({}, { [parse]: readCsr });
    await replace(requestPem(2));
    await validate();
    expect(offersReissue()).toBe(true);
    await replace(requestPem(3));
    expect(offersReissue()).toBe(false);
    expect(facts()).toEqual([]);
  });

  test.each([
    ['a private key', privateKeyPem, privateKeyText],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----', certificateText],
    ['anything else', 'hello', notACsrText],
  ])('that is %s is not sent, and its field says why', async (_what, text, message) => {
    const { replace, validate, sent } = await open();
    await replace(text);
    await validate();
    expect(fieldErrors()).toEqual({ CSR: message });
    expect(sent(parse)).toEqual([]);
    expect(offersReissue()).toBe(false);
    await replace(requestPem(2));
    expect(fieldErrors()).toEqual({});
  });

  test('that is refused or not answered says so at its field, stays, and may be read again', async () => {
    const { replace, validate, sent, answer } = await open(
      {},
      { [parse]: refused(400, 'validation_failed', { message: 'It is for other.example.' }) },
    );
    await replace(requestPem(2));
    await validate();
    expect(fieldErrors()).toEqual({ CSR: 'It is for other.example.' });
    answer(parse, silence);
    await validate();
    expect(fieldErrors()).toEqual({ CSR: 'Something went wrong' });
    expect(field().value).toBe(requestPem(2));
    expect([facts(), offersReissue()]).toEqual([[], false]);
    answer(parse, readCsr);
    await validate();
    expect(fieldErrors()).toEqual({});
    expect(offersReissue()).toBe(true);
    // Read once more, and refused this time: what was read before does not count any more.
    answer(parse, refused(502, 'upstream_unavailable', { message: 'The registrar is away.' }));
    await validate();
    expect([facts(), offersReissue()]).toEqual([[], false]);
    expect(sent(parse)).toHaveLength(4);
  });

  test('is read and ordered once, however often it is pressed', async () => {
    const [reading, ordering] = [new Held(), new Held()];
    const { replace, sent, user, settled, becomes } = await open(
      {},
      { [parse]: reading, [reissue]: ordering },
    );
    await replace(requestPem(2));
    await user.dblClick(button('Validate'));
    expect(button('Validating...')).toHaveProperty('disabled', true);
    reading.give(readCsr);
    await settled();
    await user.dblClick(button('Reissue with this CSR'));
    expect(button('Ordering...')).toHaveProperty('disabled', true);
    ordering.give(becomes({ reissue: underWay }));
    await settled();
    expect([sent(parse).length, sent(reissue).length]).toEqual([1, 1]);
  });

  test('whose reissue is refused stays with the reason, and may be sent again', async () => {
    const { replace, validate, sent, user } = await open(
      {},
      { [parse]: readCsr, [reissue]: refused(422, 'unprocessable', { message: 'The term has ended.' }) },
    );
    await replace(requestPem(2));
    await validate();
    await user.click(button('Reissue with this CSR'));
    expect(screen.getByRole('alert').textContent).toBe('The term has ended.');
    expect(field().value).toBe(requestPem(2));
    await user.click(button('Reissue with this CSR'));
    expect(sent(reissue)).toHaveLength(2);
  });

  const early = /^You cannot change the CSR of an order in progress/;
  const over = 'This order has ended. To use another CSR, order a new certificate.';
  const again = 'A reissue is in progress. You can use another CSR once it is issued.';
  test.each<[string, object, RegExp | string | null]>([
    ['completed', {}, null],
    ['expired', {}, null],
    ['in-progress', {}, early],
    ['awaiting-approval', {}, early],
    ['completed', { reissue: underWay }, again],
    ['expired', { reissue: underWay }, again],
    ['revoked', {}, over],
    ['declined', {}, over],
    ['cancelled', {}, over],
  ])('of one that is %s %o is offered for a reissue, or said why not', async (state, more, obstacle) => {
    const { replace, validate, user } = await open({ state, ...more }, { [parse]: readCsr });
    await replace(requestPem(2));
    await validate();
    expect(offersReissue()).toBe(obstacle === null);
    const told = screen.queryByRole('status')?.textContent ?? null;
    if (obstacle === null) expect(told).toBeNull();
    else expect(told).toMatch(obstacle);
    // The request that was ordered is no other one.
    await user.clear(field());
    await replace(requestPem(1));
    expect(screen.queryByRole('status')).toBeNull();
  });

  test('has one way on: "Continue", which does not take it along, comes second', async () => {
    const { replace } = await open();
    const isFirst = () => button('Continue').getAttribute('data-variant') === 'filled';
    expect(isFirst()).toBe(true);
    await replace(requestPem(2));
    expect(isFirst()).toBe(false);
  });

  test("is nothing that a customer's own user can type or have read: the portal refuses them", async () => {
    const { user } = await open({}, {}, 'MSP_CUSTOMER');
    await user.click(field());
    await user.paste('another');
    expect(field()).toMatchObject({ readOnly: true, value: requestPem(1) });
    expect(screen.queryByRole('button', { name: 'Validate' })).toBeNull();
    expect(facts()).toContain('shop.acme.example');
    await user.click(button('Continue'));
    expect(screen.getByLabelText('Choose validation method')).toBeDefined();
  });

  test('cannot be read while there is none', async () => {
    const { user } = await open();
    await user.clear(field());
    expect(button('Validate')).toHaveProperty('disabled', true);
  });
});
