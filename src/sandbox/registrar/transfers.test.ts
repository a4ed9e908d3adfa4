import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Fields, newOrder, openStand, type Stand } from './test-client.ts';

const mails: { to: string; text: string }[] = [];
let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    mail: {
      send: async (message) => {
        mails.push(message);
      },
    },
  });
});
afterAll(() => stand.close());
beforeEach(() => stand.control('reset'));

const send = (action: string, attributes: Fields, object = 'DOMAIN') =>
  stand.send(action, object, attributes);
const check = async (domain: string, more: Fields = {}) =>
  (await send('CHECK_TRANSFER', { domain, ...more })).attributes;
const order = (domain: string, more: Fields = {}) =>
  send(
    'SW_REGISTER',
    newOrder(domain, {
      reg_type: 'transfer',
      custom_transfer_nameservers: '0',
      auth_info: 'EPP-2468-move',
      ...more,
    }),
  );

it('a check tells movable names from locked, young, free and own ones', async () => {
  expect(await check('x-elsewhere.com')).toEqual({ transferrable: '1', noservice: '0', type: 'reg2reg' });
  expect((await check('x-reseller.com')).type).toBe('rsp2rsp');
  expect(await check('x-locked.com')).toMatchObject({
    transferrable: '0',
    reason: 'Domain status clientTransferProhibited does not allow for transfer',
  });
  expect(await check('x-young.com')).toMatchObject({
    transferrable: '0',
    reason: 'Domain is less than 60 days old',
  });
  expect((await check('nobody-has-this.com')).reason).toBe('Domain not registered');
  expect(await check('x-ours.com')).toMatchObject({
    reason: 'Domain already exists in sandbox account',
    reason_code: 'domain_already_belongs_to_current_reseller',
    status: 'completed',
  });
});

it('a transfer goes owner, registry, completed; it is charged at the end and adds a year', async () => {
  await stand.control('outside-world', { domain: 'come-in.com', expiresInDays: 100, authCode: 'a<&>b' });
  const sent = await order('come-in.com', { auth_info: 'a<&>b', affiliate_id: 'item-4' });
  expect(sent).toMatchObject({ code: '200', message: 'Transfer request has been successfully sent' });
  expect(await check('come-in.com')).toMatchObject({
    transferrable: '0',
    reason: 'Transfer in progress',
    status: 'pending_owner',
  });
  expect(await stand.state()).toMatchObject({ balance: '100000.00', hold: '10.26' });
  await stand.control('transfers/advance', { domain: 'come-in.com' });
  expect((await check('come-in.com', { check_status: '1' })).status).toBe('pending_registry');
  stand.store.advance(10 * 60_000);
  expect((await check('come-in.com', { check_status: '1' })).status).toBe('completed');
  const { domains, orders, balance, hold } = await stand.state();
  expect({ balance, hold }).toEqual({ balance: '99989.74', hold: '0.00' });
  expect(orders).toMatchObject([{ id: sent.attributes.id, status: 'completed', affiliateId: 'item-4' }]);
  const days = (Date.parse(`${domains[0]?.expiresAt}Z`) - stand.store.now()) / 86_400_000;
  expect(Math.round(days)).toBeGreaterThanOrEqual(464);
  expect(domains[0]?.nameservers).toEqual(['ns1.elsewhere-dns.net', 'ns2.elsewhere-dns.net']);
});

it('a wrong code is accepted and cancelled later, and frees what was held', async () => {
  const sent = await order('x-elsewhere.com', { auth_info: 'wrong' });
  expect(sent.code).toBe('200');
  await stand.control('transfers/advance');
  expect((await check('x-elsewhere.com', { check_status: '1' })).status).toBe('cancelled');
  expect(await stand.state()).toMatchObject({
    hold: '0.00',
    balance: '100000.00',
    orders: [{ status: 'cancelled' }],
  });
  const again = await send(
    'PROCESS_TRANSFER',
    { order_id: sent.attributes.id ?? '', reseller: 'sandbox' },
    'TRANSFER',
  );
  expect(again.code).toBe('200');
  expect(again.attributes.order_id).not.toBe(sent.attributes.id);
});

it('without a code the owner is asked, and nothing moves by itself', async () => {
  await order('x-elsewhere.com', { auth_info: '' });
  stand.store.advance(3_600_000);
  expect((await check('x-elsewhere.com')).status).toBe('pending_owner');
});

it('names that cannot move are refused with the reason on the second line', async () => {
  expect(await order('x-locked.com')).toMatchObject({
    code: '487',
    message: 'Domain not transferable\nDomain status clientTransferProhibited does not allow for transfer',
  });
  expect((await order('x-young.com')).code).toBe('552');
  expect((await order('x-ours.com')).code).toBe('485');
  await order('x-elsewhere.com');
  expect((await order('x-elsewhere.com')).code).toBe('487');
  expect((await stand.state()).orders).toHaveLength(1);
});

it('a pending transfer is cancelled by domain or order', async () => {
  const { attributes } = await order('x-elsewhere.com');
  const reply = await send('CANCEL_TRANSFER', { reseller: 'sandbox', domain: 'x-elsewhere.com' }, 'TRANSFER');
  expect(reply.message).toBe(`Transfer with order id: ${attributes.id} has been canceled.`);
  expect(
    (await send('CANCEL_TRANSFER', { reseller: 'sandbox', domain: 'x-elsewhere.com' }, 'TRANSFER')).code,
  ).toBe('480');
  expect((await stand.state()).hold).toBe('0.00');
});

it('lists transfers in and away, in pages, and leaves the list out when there are none', async () => {
  expect((await send('GET_TRANSFERS_IN', {})).attributes).toEqual({ page: '1', page_size: '40', total: '0' });
  await order('x-elsewhere.com', { affiliate_id: 'item-6' });
  await order('y-elsewhere.com');
  const { attributes } = await send('GET_TRANSFERS_IN', {
    losing_registrar: 'Elsewhere*',
    domain: 'x-elsewhere.com',
  });
  expect(attributes).toMatchObject({
    total: '1',
    transfers: [{ domain: 'x-elsewhere.com', status: 'pending_owner', affiliate_id: 'item-6' }],
  });
  await send('SW_REGISTER', newOrder('going-away.com'));
  await stand.control('transfers/away', { domain: 'going-away.com', registrar: 'Other Ltd' });
  expect(
    (await send('GET', { domain: 'going-away.com', type: 'status' })).attributes.transfer_away_in_progress,
  ).toBe('1');
  await stand.control('transfers/advance', { domain: 'going-away.com', steps: 2 });
  const away = await send('GET_TRANSFERS_AWAY', { status: 'completed', gaining_registrar: 'Other Ltd' });
  expect(away.attributes).toMatchObject({ total: '1', transfers: [{ domain: 'going-away.com' }] });
  expect((await send('GET', { domain: 'going-away.com', type: 'status' })).code).toBe('415');
});

it('the auth code is mailed for domain_name, not domain', async () => {
  await send('SW_REGISTER', newOrder('mail-code.com'));
  expect((await send('SEND_AUTHCODE', { domain_name: 'mail-code.com' })).code).toBe('200');
  const { domains } = await stand.state();
  expect(mails).toMatchObject([{ to: 'ann@customer.example' }]);
  expect(mails[0]?.text).toContain(domains[0]?.authCode);
  expect((await send('SEND_AUTHCODE', { domain: 'mail-code.com' })).code).toBe('460');
});
