import { afterEach, describe, expect, test } from 'vitest';
import { withFairnessKey } from '#kernel/fairness.ts';
import { ann, input, orders, registered, transfer } from './testing/orders.ts';
import {
  type Answer,
  no,
  ok,
  replyXml,
  type ScriptedServer,
  startScripted,
} from './testing/scripted-server.ts';
import { busyText } from './texts.ts';

/** What each refusal and each fault of the registrar and the network is taken for, and how often is sent what. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(...args: Parameters<typeof startScripted>): Promise<ScriptedServer> {
  server = await startScripted(...args);
  return server;
}

describe('unknown, and sent exactly once', () => {
  const short = { readMs: 400, writeMs: 300, waitMs: 300 };
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
    const { registrar, seen } = await start(() => answer, answer === 'hang' ? { timeouts: short } : {});
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
      text: 'The domain cannot be transferred at the moment. It says: “The name is locked”',
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
      const { registrar, seen } = await start(() => no(code, 'later'));
      expect(await registrar.register(input)).toEqual({ kind: 'busy', code, text: busyText });
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
    timeouts: { readMs: 120_000, writeMs: 1_000 },
  });
  const many = withFairnessKey('A', () =>
    Promise.all(Array.from({ length: 500 }, (_, index) => registrar.quote(`a${index}.com`, 'new', 1))),
  );
  await withFairnessKey('B', () => registrar.quote('b.com', 'new', 1));
  expect(seen.findIndex(({ attributes }) => attributes.domain === 'b.com')).toBeLessThan(10);
  await many;
});
