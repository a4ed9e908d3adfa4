import { afterEach, describe, expect, test } from 'vitest';
import { sign } from './sign.ts';
import { certificate, input, orders, registered, renewal, transfer } from './testing/orders.ts';
import { no, ok, type ScriptedServer, type Seen, startScripted, testKey } from './testing/scripted-server.ts';
import { pendingText } from './texts.ts';

/** Orders: what is sent, and what counts as done. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}

describe('what is sent', () => {
  test('a registration: signed bytes, contacts in the registrar’s words, our tag, no technical contact', async () => {
    const { registrar, seen } = await start(() => registered);
    await registrar.register(input);
    const [request] = seen as [Seen];
    expect([request.action, request.object]).toEqual(['SW_REGISTER', 'DOMAIN']);
    expect(request.headers['content-type']).toBe('text/xml');
    expect(request.headers['x-username']).toBe('reseller');
    expect(request.headers['x-signature']).toBe(sign(request.body, testKey));
    expect(request.headers['content-length']).toBe(String(request.body.length));
    const { contact_set, ...rest } = request.attributes;
    expect(rest).toEqual({
      domain: 'new-7781.com',
      reg_type: 'new',
      period: '2',
      handle: 'process',
      reg_username: 'user1234',
      reg_password: 'Ab12cd34Ef',
      custom_nameservers: '0',
      custom_tech_contact: '0',
      f_lock_domain: '1',
      f_whois_privacy: '1',
      auto_renew: '0',
      affiliate_id: 'item-1',
    });
    expect(Object.keys(contact_set ?? {}).sort()).toEqual(['admin', 'billing', 'owner']);
    expect(contact_set).toMatchObject({
      owner: { first_name: 'Zoë', org_name: 'Größe & Söhne <GmbH>', country: 'GB', phone: '+44.1134960000' },
    });
  });

  test('a renewal: the expiry year that was quoted, all that the registrar requires', async () => {
    const { registrar, seen } = await start(() => no('541', 'mismatch'));
    await registrar.renew(renewal);
    expect(seen[0]?.attributes).toEqual({
      domain: 'a.com',
      currentexpirationyear: '2027',
      period: '1',
      handle: 'process',
      auto_renew: '0',
      affiliate_id: 'item-2',
    });
  });

  test('a transfer: the code to the letter, the present nameservers kept', async () => {
    const { registrar, seen } = await start(() => no('487', 'no'));
    await registrar.transferIn(transfer);
    expect(seen[0]?.attributes).toMatchObject({
      reg_type: 'transfer',
      auth_info: 'x9!Q&<',
      custom_transfer_nameservers: '0',
      change_contact: '1',
      affiliate_id: 'item-3',
    });
    expect(seen[0]?.attributes.custom_nameservers).toBeUndefined();
  });

  test('a certificate: line ends put back into the request, the tag twice, all that the registrar requires', async () => {
    const { registrar, seen } = await start(() => no('465', 'no'));
    await registrar.orderCertificate(certificate);
    const [request] = seen as [Seen];
    expect([request.action, request.object]).toEqual(['SW_REGISTER', 'TRUST_SERVICE']);
    const { contact_set, ...rest } = request.attributes;
    expect(rest).toEqual({
      domain: 'www.a.com',
      product_type: 'rapidssl',
      reg_type: 'new',
      period: '1',
      handle: 'process',
      csr: '-----BEGIN CERTIFICATE REQUEST-----\nMIIBAAAA\n-----END CERTIFICATE REQUEST-----',
      server_type: 'other',
      dv_auth_method: 'Email',
      approver_email: 'admin@a.com',
      affiliate_id: 'item-4',
      special_instructions: 'Order reference item-4',
    });
    expect(Object.keys(contact_set ?? {}).sort()).toEqual(['admin', 'billing', 'organization', 'tech']);
  });

  test.each([
    [
      'a reissue, free within its term, names the order that was paid',
      { reissues: '71' },
      'new',
      [null, '71'],
    ],
    ['a renewal names the order that it carries on', { renews: '72' }, 'renew', ['72', null]],
    ['a new order names none', {}, 'new', [null, null]],
  ] as const)('%s', async (_what, change, type, named) => {
    const { registrar, seen } = await start(() => no('465', 'no'));
    await registrar.orderCertificate({ ...certificate, ...change });
    const [{ attributes }] = seen as [Seen];
    const { reg_type, order_id = null, base_order_id = null } = attributes;
    expect([reg_type, [order_id, base_order_id]]).toEqual([type, named]);
  });

  test.each([
    ['DNS', null, undefined],
    ['File', null, undefined],
    ['Email', 'hostmaster@a.com', 'hostmaster@a.com'],
  ] as const)(
    'control that is proved by %s is asked for so, with the mailbox %s',
    async (validation, approverEmail, mailbox) => {
      const { registrar, seen } = await start(() => no('465', 'no'));
      await registrar.orderCertificate({ ...certificate, validation, approverEmail, years: 3 });
      const [{ attributes }] = seen as [Seen];
      const { dv_auth_method, approver_email, period } = attributes;
      expect([dv_auth_method, approver_email, period]).toEqual([validation, mailbox, '3']);
    },
  );

  test.each([
    ['comodo_ev', ['admin', 'organization', 'signer']],
    ['comodo_ssl', ['organization']],
    ['essentialssl', ['organization']],
    ['positivessl', ['organization']],
    ['trustwave_dv', ['admin']],
    ['truebizid', ['admin', 'billing', 'organization', 'tech']],
  ])('%s is ordered with the contacts that its authority wants: %o', async (productType, types) => {
    const { registrar, seen } = await start(() => no('465', 'no'));
    const of = (email: string) => ({ ...certificate.contacts.admin, email });
    const contacts = { admin: of('admin@x.com'), billing: of('billing@x.com'), tech: of('tech@x.com') };
    await registrar.orderCertificate({ ...certificate, productType, contacts });
    const [{ attributes }] = seen as [Seen];
    const sent = Object.entries(attributes.contact_set ?? {});
    expect(sent.map(([type]) => type).sort()).toEqual(types);
    const own = (type: string) => (type === 'billing' || type === 'tech' ? type : 'admin');
    for (const [type, contact] of sent) expect(contact).toMatchObject({ email: `${own(type)}@x.com` });
  });

  test('each order on a connection of its own', async () => {
    const { registrar, seen } = await start(() => registered);
    await registrar.register(input);
    await registrar.register({ ...input, domain: 'other.com' });
    expect(seen.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

describe('done', () => {
  test('a registration', async () => {
    const { registrar } = await start(() => registered);
    expect(await registrar.register(input)).toEqual({
      kind: 'done',
      value: { orderId: '11820034', notes: [] },
    });
  });

  test('a registration whose privacy failed says so', async () => {
    const { registrar } = await start(() =>
      ok({
        registration_code: '200',
        id: '1',
        whois_privacy: {
          response_code: '300',
          is_success: '0',
          response_text: 'not\nallowed',
          order_id: '2',
        },
      }),
    );
    expect(await registrar.register(input)).toEqual({
      kind: 'done',
      value: { orderId: '1', notes: ['Privacy could not be enabled: not allowed'] },
    });
  });

  test('a renewal takes the order number, not the other one, and the expiry as UTC', async () => {
    const { registrar } = await start(() => (orders[1] as (typeof orders)[number])[2]);
    expect(await registrar.renew(renewal)).toEqual({
      kind: 'done',
      value: { orderId: '3511417', expiresAt: new Date('2028-03-02T10:11:12Z') },
    });
  });

  test('a transfer, a certificate', async () => {
    const { registrar } = await start((request) =>
      request.object === 'DOMAIN'
        ? ok({ registration_code: '200', id: '3735288' })
        : (orders[3] as (typeof orders)[number])[2],
    );
    expect(await registrar.transferIn(transfer)).toEqual({ kind: 'done', value: { orderId: '3735288' } });
    expect(await registrar.orderCertificate(certificate)).toEqual({
      kind: 'done',
      value: { orderId: '5555', state: 'awaiting-approval' },
    });
  });
});

describe('not done, although the registrar says success', () => {
  test.each(orders.slice(0, 3))('%s kept pending by force', async (_name, order, answer) => {
    const kept = answer as { attributes: Record<string, string> };
    const { registrar } = await start(() => ok({ ...kept.attributes, forced_pending: '998' }));
    expect((await order(registrar)).kind).toBe('pending');
  });
  test.each(orders)('%s submitted to a registry that takes its time', async (_name, order) => {
    const { registrar } = await start(() => ({
      code: '250',
      success: '1',
      text: 'submitted',
      attributes: { order_id: '77', id: '77' },
    }));
    expect(await order(registrar)).toEqual({ kind: 'pending', orderId: '77', text: pendingText });
  });
  test.each(orders)('%s without the order’s number is unknown', async (_name, order) => {
    const { registrar } = await start(() => ok({ 'registration expiration date': '2028-03-02 10:11:12' }));
    expect((await order(registrar)).kind).toBe('unknown');
  });
  test('a renewal without a readable expiry is unknown', async () => {
    const { registrar } = await start(() => ok({ order_id: '1', 'registration expiration date': 'undef' }));
    expect((await registrar.renew(renewal)).kind).toBe('unknown');
  });
  test('a registration that contradicts itself inside is unknown', async () => {
    const { registrar } = await start(() => ok({ id: '1', registration_code: '435' }));
    expect((await registrar.register(input)).kind).toBe('unknown');
  });
});
