import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import {
  across,
  domainRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  within,
} from '../../../../tests/support/rows.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { createSeal } from '../../kernel/seal.ts';
import { adjust, balances, hold } from '../../ledger/ledger.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Act, ActResult, Finding } from './act.ts';
import { registrationAct } from './acts/registration.ts';
import { transferAct } from './acts/transfer.ts';
import { Engine } from './engine.ts';
import { secretsContext } from './item.ts';
import { findItem } from './items.repo.ts';

/** What becomes of an item between the registrar's words and silences, of its money, and of a name that another organisation lists. */

let database: TestDatabase;
let organisationId: string;
let other: string;
/** What the registrar says when it is asked, or how the question fails. */
let found: Finding | Error;
let asked: string[];
let refuses: () => Promise<boolean>;
const send = vi.fn<Act['send']>();
const find: Act['find'] = async ({ id }) => {
  asked.push(id);
  if (found instanceof Error) throw found;
  return found;
};
const unused = {} as never;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  send.mockReset();
  [found, asked] = [{ kind: 'absent' }, []];
  refuses = async () => false;
  [organisationId, other] = [await organisationRow(database), await organisationRow(database)];
  await tenant((tx) =>
    adjust(tx, { organisationId, cents: 100_00, ref: organisationId, actor: 'test', text: '' }),
  );
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const seal = createSeal([{ number: 1, secret: 'test' }]);
const engine = ({ parallelItems = 1 } = {}) =>
  new Engine({
    ...{ db: database.db, systemDb: database.systemDb, clock: systemClock, parallelItems },
    acts: {
      domain: { ...registrationAct(unused), send, find, refuses: () => refuses() },
      transfer: { ...transferAct(unused), send, find, refuses: () => refuses() },
      ...{ renewal: unused, redemption: unused, certificate: unused },
    },
    seal,
    logger: pino({ level: 'silent' }),
    times: { callMs: 60_000, claimMarginMs: 5_000, releaseAfterMs: 600_000, reviewAfterMs: 86_400_000 },
  });

async function ordered(
  kind: 'domain' | 'transfer' = 'domain',
  address = newName(),
  change: Parameters<typeof itemRow>[2] = {},
) {
  const orderId = await orderRow(database, organisationId);
  const id = await itemRow(database, { organisationId, orderId }, { kind, address, ...change });
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
    const text = 'The transfer was refused or cancelled.';
    found = { kind: 'declined', text };
    await seekEnd(id);
    expect(await read(id)).toMatchObject({ state: 'declined', publicError: text });
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

  test.each([
    ['does not answer', new UpstreamUnavailable('no answer')],
    ['refuses the question', new UpstreamRefused('other', '400', 'No.')],
  ])('waits on, and its job comes again, while the registrar %s', async (_what, failure) => {
    const { id } = await waiting();
    found = failure;
    await expect(seekEnd(id)).rejects.toBe(failure);
    expect(await read(id)).toMatchObject({ state: 'review' });
    expect(await engine().seekEnd(organisationId, newId())).toBeUndefined();
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

const ended = { balanceCents: 90_00, heldCents: 0 };
const givenBack = { balanceCents: 100_00, heldCents: 0 };
const stillHeld = { balanceCents: 90_00, heldCents: 10_00 };
const agoMs = (ms: number) => new Date(Date.now() - ms);
const change = (id: string, set: Parameters<typeof itemRow>[2] = {}) =>
  tenant((tx) =>
    tx
      .updateTable('order_items')
      .set(set as object)
      .where('id', '=', id)
      .execute(),
  );

describe('an item that is sent', () => {
  const taken = { kind: 'refused', reason: 'taken', code: '485', text: 'Taken.' } as const;

  test('by two at once is sent once, with its own secrets, under a claim that holds', async () => {
    const { id } = await ordered();
    const secrets = { username: 'user-1', password: 'secret-1' };
    const sealed = seal.seal(JSON.stringify(secrets), secretsContext(organisationId, id));
    await change(id, { secrets_sealed: sealed });
    send.mockImplementation(async (_item, _secrets, fence) => {
      expect(await fence.holdsForMs()).toBeGreaterThan(0);
      expect(await fence.holdsForMs()).toBeLessThanOrEqual(60_000);
      return { kind: 'done', value: result };
    });
    await Promise.all([engine().begin(organisationId, id), engine().begin(organisationId, id)]);
    await engine().begin(organisationId, id);
    expect(send).toHaveBeenCalledTimes(1);
    expect(send.mock.calls[0]?.slice(0, 2)).toMatchObject([{ id, state: 'sending', attempt: 1 }, secrets]);
    expect(await read(id)).toMatchObject({ state: 'succeeded', registrarOrderId: 'R1' });
    expect(await money()).toEqual(ended);
  });

  test.each([
    ['is ours when its order is found', { kind: 'done', result }, 'succeeded', ended],
    ['is not ours without an order', { kind: 'absent' }, 'declined', givenBack],
    [
      'is unknown when the registrar does not say',
      new UpstreamUnavailable('no answer'),
      'unknown',
      stillHeld,
    ],
    [
      'is unknown when the registrar does not let it be asked',
      new UpstreamRefused('other', '400', 'No.'),
      'unknown',
      stillHeld,
    ],
    [
      'waits for a person when there are two orders',
      { kind: 'contradictory', text: 'Two' },
      'review',
      stillHeld,
    ],
  ] as const)('and refused as taken %s', async (_what, says, state, left) => {
    const { id } = await ordered();
    found = says;
    send.mockResolvedValue(taken);
    await engine().begin(organisationId, id);
    expect(asked).toEqual([id]);
    expect(await read(id)).toMatchObject({ state, publicError: state === 'declined' ? 'Taken.' : null });
    expect(await money()).toEqual(left);
  });

  test('and refused for anything else gives its money back at once, and asks nobody', async () => {
    const { id } = await ordered();
    send.mockResolvedValue({ ...taken, reason: 'invalid' });
    await engine().begin(organisationId, id);
    expect([(await read(id))?.state, asked, await money()]).toEqual(['declined', [], givenBack]);
  });

  test('and breaks off in a way that nobody foresaw is unknown: its money stays held', async () => {
    const [broken, foreign] = [await ordered(), await ordered('domain')];
    // Sealed for another item: it does not open, and nothing is sent.
    const sealed = seal.seal('{}', secretsContext(organisationId, broken.id));
    await change(foreign.id, { secrets_sealed: sealed });
    send.mockRejectedValue(new TypeError('a mistake of ours'));
    for (const { id } of [broken, foreign]) {
      await engine().begin(organisationId, id);
      expect(await read(id)).toMatchObject({
        ...{ state: 'unknown', outcomeNote: 'The call ended without an answer.', publicError: null },
      });
    }
    expect(send).toHaveBeenCalledTimes(1);
    expect((await money()).heldCents).toBe(20_00);
  });

  test('to a busy registrar is sent again, under a new claim', async () => {
    const { id } = await ordered();
    send.mockResolvedValueOnce({ kind: 'busy', code: '400', text: 'Later.' });
    await engine().begin(organisationId, id);
    expect(await read(id)).toMatchObject({ state: 'queued', attempt: 1, outcomeNote: 'Later.' });
    send.mockResolvedValueOnce({ kind: 'done', value: result });
    await engine().advance(organisationId, id);
    expect(await read(id)).toMatchObject({ state: 'succeeded', attempt: 2, outcomeNote: null });
    expect(await money()).toEqual(ended);
  });

  test('waits for its turn, in which the organizations alternate; as many are sent at once as is said', async () => {
    const [mine, theirs] = [organisationId, other];
    const placed = async (owner: string) =>
      itemRow(database, { organisationId: owner, orderId: await orderRow(database, owner) });
    const [first, second, third, foreign] = [
      ...[await placed(mine), await placed(mine), await placed(mine), await placed(theirs)],
    ];
    const sent: string[] = [];
    let [running, most] = [0, 0];
    send.mockImplementation(async ({ id }) => {
      sent.push(id);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { kind: 'unknown', text: 'No answer.' };
    });
    const one = engine();
    const ofMine = [first, second, third].map((id) => one.begin(mine, id ?? ''));
    await Promise.all([...ofMine, one.begin(theirs, foreign ?? '')]);
    expect(sent).toEqual([first, second, foreign, third]);
    expect(most).toBe(1);
  });
});

describe('a claim whose process is gone', () => {
  const claimed = (sentMs: number) =>
    ordered('domain', newName(), { state: 'sending', attempt: 1, sent_at: agoMs(sentMs) });

  test('is left alone while the longest call may still run', async () => {
    const { id } = await claimed(30_000);
    await engine().advance(organisationId, id);
    expect([(await read(id))?.state, asked]).toEqual(['sending', []]);
  });

  test.each([
    ['charged for what the registrar did', { kind: 'done', result }, 'succeeded', ended],
    ['unknown while there is no trace of it', { kind: 'absent' }, 'unknown', stillHeld],
    ['unknown while the registrar is silent', new UpstreamUnavailable('no answer'), 'unknown', stillHeld],
  ] as const)('is given up, and asked about at once: it is %s', async (_what, says, state, left) => {
    const { id } = await claimed(120_000);
    found = says;
    await engine().advance(organisationId, id);
    expect(asked).toEqual([id]);
    expect(await read(id)).toMatchObject({ state });
    expect(await money()).toEqual(left);
    expect(send).not.toHaveBeenCalled();
    if (state !== 'unknown') return;
    const note = 'The portal was interrupted while the order was being sent.';
    expect(await read(id)).toMatchObject({ outcomeNote: note, unknownSince: expect.any(Date) });
    // Ten minutes without a trace: it never was there.
    await change(id, { unknown_since: agoMs(600_000) });
    await engine().advance(organisationId, id);
    const silent = found instanceof Error;
    expect(await read(id)).toMatchObject({ state: silent ? 'unknown' : 'declined' });
    expect(await money()).toEqual(silent ? stillHeld : givenBack);
  });
});

describe('an answer that comes after its claim was lost', () => {
  /** The process is paused in its call; the others act meanwhile. */
  async function answeredLate(
    answer: Awaited<ReturnType<Act['send']>>,
    meanwhile: (id: string) => Promise<unknown>,
  ) {
    const { id, address } = await ordered();
    send.mockImplementationOnce(async (_item, _secrets, fence) => {
      await change(id, { sent_at: agoMs(120_000) });
      expect(await fence.holdsForMs()).toBe(0);
      await meanwhile(id);
      return answer;
    });
    await engine().begin(organisationId, id);
    return { id, address };
  }
  const givenUp = async (id: string) => {
    found = { kind: 'absent' };
    await engine().advance(organisationId, id);
    await change(id, { unknown_since: agoMs(600_000) });
    await engine().advance(organisationId, id);
    expect((await read(id))?.state).toBe('declined');
  };
  const alerts = async () =>
    (await takeJobs(database.url))
      .filter(({ task }) => task === 'operator.alert')
      .map(({ payload }) => payload);

  test('decides nothing by itself: the registrar is asked at once, and its word counts', async () => {
    const { id } = await answeredLate(
      { kind: 'refused', reason: 'invalid', code: '1', text: 'No.' },
      async () => {
        found = { kind: 'done', result };
      },
    );
    expect(asked).toEqual([id]);
    expect(await read(id)).toMatchObject({ state: 'succeeded' });
    expect(await money()).toEqual(ended);
  });

  test('gives no money back, though it says that the name is taken and there is no trace of the order yet', async () => {
    const taken = { kind: 'refused', reason: 'taken', code: '485', text: 'Taken.' } as const;
    const { id } = await answeredLate(taken, async () => undefined);
    expect(await read(id)).toMatchObject({ state: 'unknown', publicError: null });
    expect(await money()).toEqual(stillHeld);
  });

  test('and says that nothing was sent has it sent again, and asks nobody', async () => {
    const { id } = await answeredLate(
      { kind: 'busy', code: 'too-late', text: 'Too late.' },
      async () => undefined,
    );
    expect(asked).toEqual([]);
    expect(await read(id)).toMatchObject({ state: 'queued', attempt: 1 });
    expect(await money()).toEqual(stillHeld);
  });

  test('of an item that was paid back, and that the registrar carried out, alerts the operator, once for the item', async () => {
    const { id, address } = await answeredLate({ kind: 'done', value: result }, async (late) => {
      await givenUp(late);
      await takeJobs(database.url);
      found = { kind: 'done', result };
    });
    expect(await read(id)).toMatchObject({ state: 'declined' });
    expect(await money()).toEqual(givenBack);
    const text = `${address} was given up and paid back, and the registrar carried it out all the same.`;
    expect(await alerts()).toEqual([{ kind: 'given up but carried out', organisationId, itemId: id, text }]);
  });

  test.each([
    ['refused', { kind: 'refused', reason: 'invalid', code: '1', text: 'No.' }, { kind: 'done', result }],
    ['without a trace at the registrar', { kind: 'unknown', text: 'No answer.' }, { kind: 'absent' }],
  ] as const)('of an item that was paid back alerts nobody when it was %s', async (_what, answer, says) => {
    await answeredLate(answer, async (late) => {
      await givenUp(late);
      await takeJobs(database.url);
      found = says;
    });
    expect(await alerts()).toEqual([]);
    expect(await money()).toEqual(givenBack);
  });

  test('of an item that others have taken to its end by then alerts nobody either', async () => {
    const { id } = await answeredLate({ kind: 'done', value: result }, async (late) => {
      found = { kind: 'done', result };
      await engine().advance(organisationId, late);
      await takeJobs(database.url);
    });
    expect(await read(id)).toMatchObject({ state: 'succeeded' });
    expect(await money()).toEqual(ended);
    expect(await alerts()).toEqual([]);
  });
});

test('a sweep advances what is due in every organization, though one of them breaks, and says how many it took', async () => {
  await across(database, (tx) => tx.updateTable('order_items').set({ next_check_at: null }).execute());
  const due = { state: 'unknown', unknown_since: agoMs(1_000), next_check_at: agoMs(1_000) } as const;
  const [broken, mine] = [await ordered('domain', newName(), due), await ordered('domain', newName(), due)];
  const orderId = await orderRow(database, other);
  const theirs = await itemRow(database, { organisationId: other, orderId }, due);
  const sweeper = engine();
  found = { kind: 'contradictory', text: 'Two' };
  const advance = sweeper.advance.bind(sweeper);
  sweeper.advance = (whose, id) =>
    id === broken.id ? Promise.reject(new TypeError('a mistake of ours')) : advance(whose, id);
  expect(await sweeper.sweep()).toBe(3);
  expect((await read(broken.id))?.state).toBe('unknown');
  expect((await read(mine.id))?.state).toBe('review');
  expect((await within(database, other, (tx) => findItem(tx, systemClock, theirs)))?.state).toBe('review');
  expect(await sweeper.sweep()).toBe(0);
});

describe('a person who has the registrar asked once more', () => {
  test('about what waits for a person learns where it went, also that nobody answered', async () => {
    const { id } = await ordered('domain', newName(), { state: 'review', unknown_since: agoMs(5_000) });
    found = new UpstreamUnavailable('no answer');
    expect(await engine().lookAgain(organisationId, id)).toBe('unknown');
    expect(asked).toEqual([id]);
    expect(send).not.toHaveBeenCalled();
    expect(await money()).toEqual(stillHeld);
  });

  test.each(['succeeded', 'declined'] as const)(
    'about what has ended (%s) changes nothing, and asks nobody',
    async (state) => {
      const { id } = await ordered('domain', newName(), { state });
      expect(await engine().lookAgain(organisationId, id)).toBe(state);
      expect(asked).toEqual([]);
    },
  );

  test('about what does not exist, or is another organization’s, hears so', async () => {
    const { id } = await ordered('domain', newName(), { state: 'review' });
    expect(await engine().lookAgain(organisationId, newId())).toBeNull();
    expect(await engine().lookAgain(other, id)).toBeNull();
    expect((await read(id))?.state).toBe('review');
  });
});
