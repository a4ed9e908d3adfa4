import { afterEach, describe, expect, test } from 'vitest';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { Contact, RegisterInput, Registrar } from '../../ports/registrar.ts';
import { sign } from './sign.ts';
import {
  type Answer,
  no,
  ok,
  replyXml,
  type ScriptedServer,
  type Seen,
  startScripted,
  testKey,
} from './testing/scripted-server.ts';

/** Orders: what is sent, and what each thing the registrar or the network can do is taken for. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}

const ann: Contact = {
  firstName: 'Zoë',
  lastName: 'Müller',
  organization: 'Größe & Söhne <GmbH>',
  address1: '1 High Street',
  city: 'Leeds',
  state: 'WY',
  postalCode: 'LS1 1AA',
  country: 'UK',
  email: 'ann@example.com',
  phone: '+44.1134960000',
};
const input: RegisterInput = {
  domain: 'new-7781.com',
  years: 2,
  privacy: true,
  autoRenew: false,
  contacts: { owner: ann, admin: ann, billing: ann },
  credentials: { username: 'user1234', password: 'Ab12cd34Ef' },
  tag: 'item-1',
};
const renewal = { domain: 'a.com', years: 1, currentExpiryYear: 2027, autoRenew: false, tag: 'item-2' };
const transfer = {
  domain: 'in.com',
  authCode: 'x9!Q&<',
  contacts: input.contacts,
  credentials: input.credentials,
  tag: 'item-3',
};
const certificate = {
  domain: 'www.a.com',
  productType: 'rapidssl',
  csr: '-----BEGIN CERTIFICATE REQUEST----- MIIB AAAA -----END CERTIFICATE REQUEST-----',
  years: 1,
  validation: 'Email' as const,
  approverEmail: 'admin@a.com',
  contacts: { admin: ann, billing: ann, tech: ann },
  tag: 'item-4',
};

const registered = ok(
  {
    registration_code: '200',
    registration_text: 'Domain registration successfully completed',
    id: '11820034',
    admin_email: 'a@x.com',
    domain_id: '1532247',
    whois_privacy_state: 'enabled',
  },
  'Domain registration successfully completed\nDomain successfully locked.\nWhois Privacy successfully enabled.',
);

const orders: [string, (registrar: Registrar) => Promise<Outcome<unknown>>, Answer][] = [
  ['register', (registrar) => registrar.register(input), registered],
  [
    'renew',
    (registrar) => registrar.renew(renewal),
    ok({
      'registration expiration date': '2028-03-02 10:11:12',
      auto_renew: '0',
      id: '1',
      order_id: '3511417',
    }),
  ],
  [
    'transfer',
    (registrar) => registrar.transferIn(transfer),
    ok({ registration_code: '200', id: '3735288' }, 'Transfer request has been successfully sent'),
  ],
  [
    'certificate',
    (registrar) => registrar.orderCertificate(certificate),
    ok({ domain: 'www.a.com', order_id: '5555', state: 'awaiting-approval' }),
  ],
];

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

  test('a certificate: line ends put back into the request, the tag twice', async () => {
    const { registrar, seen } = await start(() => no('465', 'no'));
    await registrar.orderCertificate(certificate);
    expect(seen[0]).toMatchObject({ action: 'SW_REGISTER', object: 'TRUST_SERVICE' });
    expect(seen[0]?.attributes).toMatchObject({
      csr: '-----BEGIN CERTIFICATE REQUEST-----\nMIIBAAAA\n-----END CERTIFICATE REQUEST-----',
      reg_type: 'new',
      handle: 'process',
      dv_auth_method: 'Email',
      approver_email: 'admin@a.com',
      affiliate_id: 'item-4',
    });
    expect(seen[0]?.attributes.special_instructions).toContain('item-4');
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
    expect(await order(registrar)).toEqual({ kind: 'pending', orderId: '77', text: 'submitted' });
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

describe('unknown, and sent exactly once', () => {
  const whole = replyXml({ code: '200', success: '1', attributes: { id: '1', order_id: '1' } });
  const faults: [string, Answer][] = [
    ['an empty answer', { raw: '' }],
    ['a page of a proxy', { raw: '<html>Bad gateway</html>', status: 502 }],
    ['a good answer with a bad status', { raw: whole, status: 500 }],
    ['an answer cut off, its length kept', { raw: whole.slice(0, whole.length / 2) }],
    ['an answer cut off, its connection too', { cutAfter: 100, of: whole }],
    ['bytes without sense', { raw: Buffer.from([0xff, 0x00, 0x80]) }],
    ['a connection reset', 'reset'],
    ['no answer at all', 'hang'],
    ['705', no('705', 'Timed out, resubmit request.')],
    ['400', no('400', 'Internal server error.')],
    ['404', no('404', 'Internal Server Error')],
    ['405', no('405', 'registry error')],
    ['a code nobody knows', no('999', 'what')],
  ];
  test.each(
    orders.flatMap(([name, order]) => faults.map(([fault, answer]) => [name, fault, order, answer] as const)),
  )('%s: %s', async (_name, _fault, order, answer) => {
    const { registrar, seen } = await start(() => answer);
    expect((await order(registrar)).kind).toBe('unknown');
    expect(seen).toHaveLength(1);
  });
});

describe('refused, and sent exactly once', () => {
  test.each([
    ['485', 'Domain taken', 'taken'],
    ['465', 'Registration Failed: Invalid data', 'invalid'],
    ['420', 'failed to create registrant contact', 'invalid'],
    ['440', 'Registration Failed: over quota', 'registrar-funds'],
    ['401', 'Authentication Failed', 'forbidden'],
  ])('%s %s', async (code, text, reason) => {
    const { registrar, seen } = await start(() => no(code, text));
    expect(await registrar.register(input)).toMatchObject({ kind: 'refused', reason, code });
    expect(seen).toHaveLength(1);
  });

  test('the second line tells why a transfer is not possible', async () => {
    const { registrar } = await start(() => no('487', 'Domain not transferable\nThe name is locked'));
    expect(await registrar.transferIn(transfer)).toMatchObject({
      kind: 'refused',
      reason: 'not-transferable',
      text: 'The name is locked',
    });
  });

  test('contacts and profiles the registrar would refuse are not sent at all', async () => {
    const { registrar, seen } = await start(() => registered);
    const bad = { ...input, contacts: { ...input.contacts, admin: { ...ann, email: 'nobody' } } };
    expect(await registrar.register(bad)).toMatchObject({ kind: 'refused', reason: 'invalid' });
    expect(await registrar.register({ ...input, domain: 'a\u0000.com' })).toMatchObject({ kind: 'refused' });
    expect(seen).toHaveLength(0);
  });
});

describe('a copy that a refusal leaves for approval', () => {
  const refusal = no('435', "Request failed validation: Name server 'ns1.x' is not found at the registry.", {
    registration_code: '435',
    id: '900',
    forced_pending: '900',
  });
  const left = (tag: string, status = 'pending') =>
    ok({ field_hash: { id: '900', domain: input.domain, status, affiliate_id: tag, reg_type: 'new' } });

  test('is cancelled when it is ours', async () => {
    const { registrar, seen } = await start((request) =>
      request.action === 'SW_REGISTER'
        ? refusal
        : request.action === 'GET_ORDER_INFO'
          ? left('item-1')
          : ok(),
    );
    expect(await registrar.register(input)).toMatchObject({ kind: 'refused', reason: 'invalid' });
    expect(seen.map(({ action }) => action)).toEqual(['SW_REGISTER', 'GET_ORDER_INFO', 'PROCESS_PENDING']);
    expect(seen[2]?.attributes).toEqual({ order_id: '900', command: 'cancel' });
  });

  test.each([
    ['somebody else’s', left('item-9')],
    ['no longer pending', left('item-1', 'completed')],
    ['not to be seen', no('705', 'Timed out')],
  ])('is left alone when it is %s', async (_name, answer) => {
    const { registrar, seen } = await start((request) =>
      request.action === 'SW_REGISTER' ? refusal : answer,
    );
    expect((await registrar.register(input)).kind).toBe('refused');
    expect(seen.some(({ action }) => action === 'PROCESS_PENDING')).toBe(false);
  });
});

describe('busy', () => {
  test.each(['300', '310', '350', '437', '486'])(
    '%s is asked again a few times, then given back',
    async (code) => {
      const { registrar, seen } = await start(() => no(code, 'later'), {
        timeouts: { readMs: 500, writeMs: 500, waitMs: 5_000 },
      });
      expect(await registrar.register(input)).toEqual({ kind: 'busy', code, text: 'later' });
      expect(seen).toHaveLength(3);
      expect(new Set(seen.map(({ body }) => body.toString())).size).toBe(1);
    },
  );

  test('a registrar that gets free carries the same attempt out', async () => {
    const { registrar } = await start((_request, count) =>
      count < 3 ? no('486', 'processing') : registered,
    );
    expect((await registrar.register(input)).kind).toBe('done');
  });

  test('a registrar that cannot be reached at all was sent nothing', async () => {
    const { registrar } = await start(() => registered);
    await server?.close();
    expect(await registrar.register(input)).toMatchObject({ kind: 'busy', code: 'not-sent' });
    server = undefined;
  });
});

test('writes to one domain go in order and never overlap; those to others do', async () => {
  const open: Record<string, number> = {};
  let sameOpen = 0;
  let otherOpen = 0;
  const { registrar, seen } = await start(async ({ attributes }) => {
    const domain = String(attributes.domain);
    open[domain] = (open[domain] ?? 0) + 1;
    sameOpen = Math.max(sameOpen, open[domain]);
    otherOpen = Math.max(otherOpen, Object.values(open).filter((count) => count > 0).length);
    // Long enough for whatever may come beside it to come.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    open[domain] -= 1;
    return ok();
  });
  await Promise.all([
    registrar.setLock('a.com', true),
    registrar.setLock('a.com', false),
    registrar.setAutoRenew('a.com', true),
    registrar.setLock('b.com', true),
  ]);
  const ofA = seen.filter(({ attributes }) => attributes.domain === 'a.com');
  expect(ofA.map(({ attributes }) => attributes.lock_state ?? attributes.data)).toEqual([
    '1',
    '0',
    'expire_action',
  ]);
  expect(sameOpen).toBe(1);
  expect(otherOpen).toBe(2);
});

test('five hundred calls of one organisation do not make another wait for all of them', async () => {
  const { registrar, seen } = await start(() => ok({ price: '9.85' }), {
    limits: { parallel: 2, perSecond: 10_000 },
    timeouts: { readMs: 20_000, writeMs: 1_000 },
  });
  const many = withFairnessKey('A', () =>
    Promise.all(Array.from({ length: 500 }, (_, index) => registrar.quote(`a${index}.com`, 'new', 1))),
  );
  await withFairnessKey('B', () => registrar.quote('b.com', 'new', 1));
  expect(seen.findIndex(({ attributes }) => attributes.domain === 'b.com')).toBeLessThan(10);
  await many;
});
