import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createSeal } from '../../kernel/seal.ts';
import { adjust, balances, hold } from '../../ledger/ledger.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Act, ActResult, Finding } from './act.ts';
import { registrationAct } from './acts/registration.ts';
import { transferAct } from './acts/transfer.ts';
import { Engine } from './engine.ts';
import { findItem } from './items.repo.ts';

/** A name that another organisation of the portal lists: its money, and whose it is in the end. */

let database: TestDatabase;
let organisationId: string;
let other: string;
let found: Finding;
let refuses: () => Promise<boolean>;
const send = vi.fn<Act['send']>();
const find = async () => found;
const unused = {} as never;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  send.mockReset();
  found = { kind: 'absent' };
  refuses = async () => false;
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  await tenant((tx) =>
    adjust(tx, { organisationId, cents: 100_00, ref: organisationId, actor: 'test', text: '' }),
  );
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const engine = () =>
  new Engine({
    ...{ db: database.db, systemDb: database.systemDb, clock: systemClock, parallelItems: 1 },
    acts: {
      domain: { ...registrationAct(unused), send, find, refuses: () => refuses() },
      transfer: { ...transferAct(unused), send, find, refuses: () => refuses() },
      ...{ renewal: unused, redemption: unused, certificate: unused },
    },
    seal: createSeal([{ number: 1, secret: 'test' }]),
    logger: pino({ level: 'silent' }),
    times: { callMs: 60_000, claimMarginMs: 5_000, releaseAfterMs: 600_000, reviewAfterMs: 86_400_000 },
  });

async function ordered(kind: 'domain' | 'transfer', address = newName()) {
  const orderId = await orderRow(database, organisationId);
  const id = await itemRow(database, { organisationId, orderId }, { kind, address });
  await tenant((tx) =>
    hold(tx, { organisationId, items: [{ itemId: id, cents: 10_00 }], pendingLimitCents: 0 }),
  );
  return { id, address };
}
const read = (id: string) => tenant((tx) => findItem(tx, systemClock, id));
const money = async () => {
  const { balanceCents, heldCents } = await tenant((tx) => balances(tx, organisationId));
  return { balanceCents, heldCents };
};
const listed = (address: string, owner = organisationId) =>
  within(database, owner, (tx) =>
    tx
      .selectFrom('domains')
      .select('status')
      .where('organisation_id', '=', owner)
      .where('address', '=', address)
      .execute(),
  );
const result: ActResult = { registrarOrderId: 'R1', expiresAt: new Date('2027-11-22T12:00:00Z') };

describe.each(['domain', 'transfer'] as const)('a name that another organisation lists (%s)', (kind) => {
  test('is refused as to anybody when the registrar says that it would refuse it', async () => {
    const { address } = await domainRow(database, other);
    refuses = async () => true;
    send.mockResolvedValue({ kind: 'refused', reason: 'invalid', code: '465', text: 'As to anybody.' });
    const { id } = await ordered(kind, address);
    await engine().begin(organisationId, id);
    expect(await read(id)).toMatchObject({ state: 'declined', publicError: 'As to anybody.' });
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('waits for a person when the registrar took it although it said that it would not', async () => {
    const { address } = await domainRow(database, other);
    refuses = async () => true;
    send.mockResolvedValue({ kind: 'done', value: result });
    const { id } = await ordered(kind, address);
    await engine().begin(organisationId, id);
    expect(await read(id)).toMatchObject({ state: 'review', registrarOrderId: 'R1' });
    expect((await money()).heldCents).toBe(10_00);
  });

  test.each([
    ['would take it', async () => false],
    ['does not answer', () => Promise.reject(new UpstreamUnavailable('no answer'))],
  ])(
    'is not sent, the money goes back, and the name is read for those who list it: the registrar %s',
    async (_what, says) => {
      const { address } = await domainRow(database, other);
      refuses = says;
      const { id } = await ordered(kind, address);
      await engine().begin(organisationId, id);
      expect(send).not.toHaveBeenCalled();
      expect(await read(id)).toMatchObject({
        state: 'declined',
        publicError: `${address} cannot be ordered here at present. Please ask the portal’s support.`,
      });
      expect(await money()).toEqual({ balanceCents: 100_00, heldCents: 0 });
      expect(await takeJobs(database.url)).toEqual([
        { task: 'domains.sync', payload: { organisationId: other, address } },
      ]);
    },
  );

  test('is not given up when it was sent before: the money stays held until a person has decided', async () => {
    const { address } = await domainRow(database, other);
    const { id } = await ordered(kind, address);
    found = { kind: 'done', result };
    await engine().begin(organisationId, id);
    expect(send).not.toHaveBeenCalled();
    expect(await read(id)).toMatchObject({ state: 'review', registrarOrderId: 'R1' });
    expect((await money()).heldCents).toBe(10_00);
  });

  test('is asked about as any other when the registrar does not say whether it was sent before', async () => {
    const { address } = await domainRow(database, other);
    const { id } = await ordered(kind, address);
    found = { kind: 'contradictory', text: 'Two orders' };
    await engine().begin(organisationId, id);
    expect(await read(id)).toMatchObject({ state: 'unknown' });
    expect((await money()).heldCents).toBe(10_00);
  });

  test('that the registrar has taken waits for a person, and is charged when it is listed here', async () => {
    const { id, address } = await ordered(kind);
    // Nobody lists it when it is sent.
    send.mockImplementation(async () => {
      await domainRow(database, other, { address });
      return kind === 'domain'
        ? { kind: 'done', value: result }
        : { kind: 'pending', orderId: 'R1', text: 'Requested' };
    });
    await engine().begin(organisationId, id);
    expect(await read(id)).toMatchObject({
      ...{ state: 'review', registrarOrderId: 'R1' },
      outcomeNote: 'The name is listed for another organization of this portal.',
    });
    expect((await money()).heldCents).toBe(10_00);
    expect(await listed(address)).toEqual([]);
    expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual([
      ...['operator.alert', 'domains.sync'],
    ]);

    found = { kind: 'done', result };
    expect(await engine().lookAgain(organisationId, id)).toBe('review');
    expect((await money()).heldCents).toBe(10_00);
    expect(await listed(address, other)).toEqual([{ status: 'active' }]);

    await within(database, other, (tx) =>
      tx.updateTable('domains').set({ status: 'ended' }).where('address', '=', address).execute(),
    );
    expect(await engine().lookAgain(organisationId, id)).toBe('succeeded');
    expect(await money()).toEqual({ balanceCents: 90_00, heldCents: 0 });
    expect(await listed(address)).toEqual([{ status: 'active' }]);
    expect(send).toHaveBeenCalledTimes(1);
  });
});

test('what has left comes back by an order of its own: the former row ends with the new one', async () => {
  const former = await domainRow(database, organisationId, { missing_since: new Date() });
  const { id } = await ordered('transfer', former.address);
  send.mockResolvedValue({ kind: 'pending', orderId: 'R1', text: 'Requested' });
  await engine().begin(organisationId, id);
  expect(await read(id)).toMatchObject({ state: 'pending' });
  const states = await listed(former.address);
  expect(states.map(({ status }) => status).sort()).toEqual(['ended', 'transferring']);
});

describe('a transfer that waits for a person, after the registrar said that it has ended', () => {
  async function waiting(kind: 'transfer' | 'domain' = 'transfer') {
    const { id, address } = await ordered(kind);
    send.mockResolvedValue({ kind: 'pending', orderId: 'R1', text: 'Requested' });
    await engine().begin(organisationId, id);
    await tenant((tx) =>
      tx
        .updateTable('order_items')
        .set({ state: 'review', outcome_note: 'For too long.', next_check_at: null })
        .where('id', '=', id)
        .execute(),
    );
    await takeJobs(database.url);
    return { id, address };
  }
  const seekEnd = (id: string) => engine().seekEnd(organisationId, id);

  test('is given up, and its money goes back, when it was cancelled', async () => {
    const { id, address } = await waiting();
    found = { kind: 'declined', text: 'The transfer was refused or cancelled.' };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'declined', publicError: found.text });
    expect(await money()).toEqual({ balanceCents: 100_00, heldCents: 0 });
    expect(await listed(address)).toEqual([{ status: 'ended' }]);
  });

  test('is charged, and its domain is there, when it is through', async () => {
    const { id, address } = await waiting();
    found = { kind: 'done', result };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded' });
    expect(await money()).toEqual({ balanceCents: 90_00, heldCents: 0 });
    expect(await listed(address)).toEqual([{ status: 'active' }]);
  });

  test('waits on, and nobody is alerted once more, while its order says anything else', async () => {
    const { id } = await waiting();
    for (const says of [
      { kind: 'pending', registrarOrderId: 'R1', text: 'Almost there.' },
      { kind: 'contradictory', text: 'Two orders' },
      { kind: 'absent' },
    ] as const) {
      found = says;
      await seekEnd(id);
      expect(await read(id)).toMatchObject({ state: 'review', outcomeNote: 'For too long.' });
    }
    expect((await money()).heldCents).toBe(10_00);
    expect(await takeJobs(database.url)).toEqual([]);
  });

  test('and so is a registration that is through by now', async () => {
    const { id, address } = await waiting('domain');
    found = { kind: 'absent' };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'review' });
    expect((await money()).heldCents).toBe(10_00);
    found = { kind: 'done', result };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'succeeded' });
    expect(await money()).toEqual({ balanceCents: 90_00, heldCents: 0 });
    expect(await listed(address)).toEqual([{ status: 'active' }]);
  });

  test('and one that is still followed goes on as ever', async () => {
    const { id } = await waiting();
    await tenant((tx) =>
      tx.updateTable('order_items').set({ state: 'pending' }).where('id', '=', id).execute(),
    );
    found = { kind: 'declined', text: 'Cancelled.' };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'declined' });
  });
});
