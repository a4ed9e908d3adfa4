import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/server/ledger/check.ts';
import { Acme, csrFor } from '../support/acme-protocol.ts';
import { type AcmeStand, startAcmeStand } from '../support/acme-stand.ts';

/** kill -9 at each step of a finalize, then a restart: the client's next question ends with its certificate, paid once. */
const times = {
  REGISTRAR_WRITE_TIMEOUT_MS: '1000',
  ORDER_RELEASE_AFTER_MS: '1500',
  ORDER_CLAIM_MARGIN_MS: '500',
};
let stand: AcmeStand;
beforeAll(async () => {
  stand = await startAcmeStand({ env: times });
}, 180_000);
afterAll(() => stand[Symbol.asyncDispose]());

interface SandboxOrder {
  domain: string;
  state: string;
  baseOrderId: string | null;
}
const atAuthority = async (name: string) =>
  (await stand.stack.control<{ orders: SandboxOrder[] }>('registrar', 'certificates')).orders.filter(
    ({ domain, state }) => domain === name && state === 'completed',
  );

/** Finalizes while the server dies at the point, restarts it, and follows the same order. */
async function finalizeThrough(point: string, acme: Acme, name: string, withinMs = 90_000): Promise<string> {
  const { stack } = stand;
  const order = await acme.order(name);
  const location = order.headers.get('location') ?? '';
  await stack.killServer();
  await stack.startServer({ ...times, FAILPOINT: `${point}:1` });
  await acme.post(order.json.finalize, { csr: csrFor([name]).der }).catch(() => 'no answer');
  // The later points are passed by the client's questions.
  for (let asked = 0; stack.serverLives() && asked < 100; asked += 1) {
    await acme.post(location).catch(() => 'no answer');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stack.serverDied();
  await stack.startServer(times);
  const settled = await acme.settled(location, withinMs);
  return settled.json.status;
}

async function expectRight(name: string, items: string[], reissues: number): Promise<void> {
  const { systemDb } = stand.stack.database;
  const found = await systemDb
    .selectFrom('order_items')
    .select('state')
    .where('kind', '=', 'certificate')
    .where('address', '=', name)
    .orderBy('id')
    .execute();
  expect(found.map(({ state }) => state)).toEqual(items);
  const orders = await atAuthority(name);
  expect(orders.filter(({ baseOrderId }) => baseOrderId === null)).toHaveLength(1);
  expect(orders.filter(({ baseOrderId }) => baseOrderId !== null)).toHaveLength(reissues);
  const holds = await systemDb
    .selectFrom('holds')
    .select('state')
    .where('organisation_id', '=', stand.account.organisationId)
    .where('state', '=', 'open')
    .execute();
  expect(holds).toEqual([]);
  expect(await checkLedger(systemDb)).toEqual([]);
}

async function client(name: string): Promise<Acme> {
  const acme = new Acme(stand.directory);
  const { status, text } = await acme.register(await stand.access());
  if (status !== 201) throw new Error(`${name}: ${text}`);
  return acme;
}

test.for(['acme.started', 'acme.bought', 'item.answered'])(
  'buying, killed at %s: one order, one certificate',
  {
    timeout: 300_000,
  },
  async (point) => {
    const name = await stand.domain('killed');
    expect(await finalizeThrough(point, await client(name), name), stand.stack.log()).toBe('valid');
    await expectRight(name, ['succeeded'], 0);
  },
);

test('killed before the order left: nothing is paid, and the next try has the certificate', {
  timeout: 300_000,
}, async () => {
  const name = await stand.domain('unsent');
  const acme = await client(name);
  expect(await finalizeThrough('item.claimed', acme, name), stand.stack.log()).toBe('invalid');
  await acme.issue([name]);
  await expectRight(name, ['declined', 'succeeded'], 0);
});

test('reissuing, killed when it was answered: one reissue, nothing paid', { timeout: 300_000 }, async () => {
  const name = await stand.domain('again');
  const acme = await client(name);
  await acme.issue([name]);
  expect(await finalizeThrough('acme.reissued', acme, name), stand.stack.log()).toBe('valid');
  await expectRight(name, ['succeeded'], 1);
});

test('reissuing, killed before it left: the order stays open, and nothing is paid', {
  timeout: 300_000,
}, async () => {
  const name = await stand.domain('waits');
  const acme = await client(name);
  await acme.issue([name]);
  // What left no trace counts as never made after ten minutes.
  expect(await finalizeThrough('reissue.intent', acme, name, 3_000), stand.stack.log()).toBe('processing');
  await expectRight(name, ['succeeded'], 0);
});
