import { describe, expect, test } from 'vitest';
import { certificateOf } from '../../../tests/support/certificate-samples.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../tests/support/screen.tsx';
import CertificateScreen from './certificate.tsx';

/** The second step of a certificate: how control of the name is proven, and by whom. */

const set = 'POST /ssl/order/:orderId/validation';
const approvers = 'GET /ssl/order/:orderId/approvers';
const resend = 'POST /ssl/order/:orderId/resend';
const waiting = { state: 'awaiting-approval', serial: null, proofState: 'missing' } as const;
const proof = certificateOf().proof;
const byEmail = {
  ...{ ...waiting, proofState: null, approverEmail: 'admin@acme.example' },
  proof: { ...proof, method: 'Email' },
} as const;
const byFile = {
  ...{ ...waiting, proofState: null },
  proof: { ...proof, method: 'File', filePath: '/.well-known/pki/a.txt', fileContent: 'content-1' },
} as const;
const mailboxes = ['admin@acme.example', 'hostmaster@acme.example'];

async function open(
  change: Parameters<typeof certificateOf>[0],
  answers: Answers = {},
  role: 'MSP_OWNER' | 'MSP_CUSTOMER' = 'MSP_OWNER',
) {
  let now = certificateOf(change);
  const opened = await openScreen(CertificateScreen, {
    ...{ route: '/SSL/$opensrsorderid', path: '/SSL/4711', role },
    answers: { 'GET /ssl/order/:orderId': () => now, [approvers]: mailboxes, ...answers },
  });
  await opened.user.click(button(/Choose validation method/));
  const becomes = (after: object) => {
    now = { ...now, ...after };
    return now;
  };
  const choose = (method: string) => opened.user.click(screen.getByRole('radio', { name: method }));
  const approve = async (mailbox: string) => {
    await opened.user.click(screen.getByRole('combobox', { name: 'Approver' }));
    await opened.user.click(screen.getByRole('option', { name: mailbox }));
  };
  return { ...opened, becomes, choose, approve };
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const buttons = (name: string | RegExp) => screen.queryAllByRole('button', { name });
const step = () => screen.getAllByRole('region')[0]?.getAttribute('aria-label');
const codes = () => [...document.querySelectorAll('code')].map(({ textContent }) => textContent);

describe('another method', () => {
  test('is sent with nothing else, once, and leads to the wait', async () => {
    const answer = new Held();
    const { choose, user, sent, becomes, settled } = await open(waiting, { [set]: answer });
    expect(buttons(/^Use /)).toEqual([]);
    await choose('HTTP file');
    // The record is not what has to be done any more.
    expect(codes()).toEqual([]);
    expect(sent(set)).toEqual([]);
    await user.dblClick(button('Use HTTP file'));
    expect(button('Saving...')).toHaveProperty('disabled', true);
    answer.give(becomes(byFile));
    await settled();
    expect(sent(set).map(({ params, body }) => [params, body])).toEqual([
      [{ orderId: '4711' }, { method: 'File' }],
    ]);
    expect(step()).toBe('Wait for certificate');
  });

  test('by email needs a mailbox, and sends the one that was chosen', async () => {
    const { choose, approve, user, sent, becomes, answer } = await open(waiting);
    answer(set, () => becomes({ ...byEmail, approverEmail: 'hostmaster@acme.example' }));
    await choose('Email');
    expect(button('Use Email')).toHaveProperty('disabled', true);
    await approve('hostmaster@acme.example');
    await user.click(button('Use Email'));
    expect(sent(set).map(({ body }) => body)).toEqual([
      { method: 'Email', approverEmail: 'hostmaster@acme.example' },
    ]);
    expect(sent(approvers)[0]?.params).toEqual({ orderId: '4711' });
  });

  test('than email sends no mailbox, although one was chosen before', async () => {
    const { choose, user, sent, becomes, answer } = await open(byEmail);
    answer(set, () => becomes(waiting));
    await choose('DNS');
    await user.click(button('Use DNS'));
    expect(sent(set).map(({ body }) => body)).toEqual([{ method: 'DNS' }]);
  });

  test('of approval is another mailbox as well; the same one is not sent', async () => {
    const { approve, user, sent, becomes, answer } = await open(byEmail);
    answer(set, () => becomes({ approverEmail: 'hostmaster@acme.example' }));
    expect(buttons('Use Email')).toEqual([]);
    await approve('hostmaster@acme.example');
    // The email that was sent went to somebody else.
    expect(buttons('Resend the email')).toEqual([]);
    expect(buttons('Continue')).toEqual([]);
    await user.click(button('Use Email'));
    expect(sent(set).map(({ body }) => body)).toEqual([
      { method: 'Email', approverEmail: 'hostmaster@acme.example' },
    ]);
  });

  test('that is refused or not answered stays chosen with the reason, and may be sent again', async () => {
    const { choose, user, sent, answer } = await open(waiting, {
      [set]: refused(422, 'registrar_refused', { message: 'Not for this product.' }),
    });
    await choose('HTTP file');
    await user.click(button('Use HTTP file'));
    expect(screen.getByRole('alert').textContent).toBe('Not for this product.');
    answer(set, silence);
    await user.click(button('Use HTTP file'));
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    expect(screen.getByRole('radio', { name: 'HTTP file' })).toHaveProperty('checked', true);
    expect(step()).toBe('Choose validation method');
    expect(sent(set)).toHaveLength(2);
  });

  test.each<[string, Parameters<typeof certificateOf>[0], 'MSP_OWNER' | 'MSP_CUSTOMER', boolean]>([
    ['an order that waits', waiting, 'MSP_OWNER', true],
    [
      'a reissue that runs',
      { reissue: { orderId: '1', state: 'running', automatic: true, startedAt: '2026-11-01T00:00:00Z' } },
      ...(['MSP_OWNER', true] as const),
    ],
    ['an issued certificate', {}, 'MSP_OWNER', false],
    ['an order that has ended', { ...waiting, state: 'cancelled' }, 'MSP_OWNER', false],
    ['an order that waits', waiting, 'MSP_CUSTOMER', false],
  ])('of %s (%j, %s) can be chosen: %s', async (_what, change, role, may) => {
    await open(change, {}, role);
    const radios = screen.getAllByRole<HTMLInputElement>('radio');
    expect(radios.map(({ disabled }) => disabled)).toEqual([!may, !may, !may]);
    const isOver = change !== waiting && !may;
    expect(screen.queryByText(/No proof is needed now/) !== null).toBe(isOver);
  });

  test('of a wildcard is no file', async () => {
    await open({ ...waiting, wildcard: true });
    expect(screen.queryByRole('radio', { name: 'HTTP file' })).toBeNull();
    expect(screen.getByText('A file cannot prove control of a wildcard name.')).toBeDefined();
  });
});

describe('the mailboxes', () => {
  test('that cannot be read say so at their field, and the present one stays', async () => {
    await open(byEmail, {
      [approvers]: refused(502, 'upstream_unavailable', { message: 'The registrar is away.' }),
    });
    expect(fieldErrors()).toEqual({ Approver: 'The registrar is away.' });
    expect(screen.getByRole('combobox', { name: 'Approver' })).toHaveProperty('value', 'admin@acme.example');
  });

  test("are not read for a customer's own user, who may not send the email again", async () => {
    const { sent } = await open(byEmail, {}, 'MSP_CUSTOMER');
    expect(sent(approvers)).toEqual([]);
    expect(screen.getByRole('combobox', { name: 'Approver' })).toHaveProperty('disabled', true);
    expect(buttons('Resend the email')).toEqual([]);
  });

  test('are sent the email again, once for a press, and the answer is told', async () => {
    const answer = new Held();
    const opened = await open(byEmail, { [resend]: answer });
    await opened.user.dblClick(button('Resend the email'));
    expect(button('Sending...')).toHaveProperty('disabled', true);
    answer.give({});
    await opened.settled();
    expect(screen.getByText('The email was sent again.')).toBeDefined();
    expect(opened.sent(resend).map(({ params }) => params)).toEqual([{ orderId: '4711' }]);
    opened.answer(resend, refused(422, 'unprocessable', { message: 'It was sent a minute ago.' }));
    await opened.user.click(button('Resend the email'));
    expect(screen.getByText('It was sent a minute ago.')).toBeDefined();
    expect(screen.queryByText('The email was sent again.')).toBeNull();
  });
});

describe('what has to be done', () => {
  const proofOf = (more: object) => ({ ...waiting, proof: { ...proof, ...more } });
  test.each<[string, Parameters<typeof certificateOf>[0], string[], RegExp | null]>([
    [
      'a record that is missing',
      waiting,
      ['_dnsauth.shop.acme.example', 'token-1'],
      /is not visible in DNS yet/,
    ],
    [
      'a record that is seen',
      { ...waiting, proofState: 'present' },
      ['_dnsauth.shop.acme.example', 'token-1'],
      /^The record is visible in DNS/,
    ],
    [
      'a record that waits for the domain',
      { ...waiting, proofState: 'waiting' },
      ['_dnsauth.shop.acme.example', 'token-1'],
      /not in your account yet/,
    ],
    ['a record that the portal wrote', { ...waiting, proofState: 'set' }, [], /have added the record/],
    ['a file', byFile, ['http://shop.acme.example/.well-known/pki/a.txt', 'content-1'], /fetches this file/],
    ['an email', byEmail, [], /We sent an email with a link to admin@acme.example/],
    ['a record that nobody knows yet', proofOf({ dnsValue: null }), [], /has not sent its instructions yet/],
    ['a file that nobody knows yet', proofOf({ method: 'File' }), [], /has not sent its instructions yet/],
  ])('for %s is told', async (_what, change, texts, sentence) => {
    await open(change);
    expect(codes()).toEqual(texts);
    expect(screen.getByText(sentence ?? '')).toBeDefined();
  });

  test('is not told twice where the page says above that it waits', async () => {
    await open({ ...waiting, flags: [{ kind: 'waiting', level: 'warning', text: 'Add the record.' }] });
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual(['Add the record.']);
    expect(screen.queryByText(/is not visible in DNS yet/)).toBeNull();
  });

  test('is copied as it is', async () => {
    const { user } = await open(waiting);
    const types = within(screen.getByRole('region')).getAllByText('TXT');
    expect(types).toHaveLength(1);
    await user.click(button('Copy value'));
    expect(await navigator.clipboard.readText()).toBe('token-1');
    await user.click(button('Copy name'));
    expect(await navigator.clipboard.readText()).toBe('_dnsauth.shop.acme.example');
  });
});
