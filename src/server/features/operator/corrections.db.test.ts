import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { correctionBody } from '../../../contracts/operations/operator.ts';
import { verifyAuditChain } from '../../kernel/audit.ts';
import { inTransaction, systemTransaction } from '../../kernel/db/database.ts';
import { newId, sha256 } from '../../kernel/ids.ts';
import type { Operator } from '../../kernel/operator.ts';
import type { Scope } from '../../kernel/scope.ts';
import { checkLedger } from '../../ledger/check.ts';
import { createCorrections, organisationFor } from './corrections.ts';
import { insertOperator } from './operators.repo.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let organization: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  people = createPeople(database);
  scope = (await people.organisation()).scope;
  const row = await inTransaction(database.db, scope, (tx) =>
    tx
      .selectFrom('organisations')
      .select('name')
      .where('id', '=', scope.organisationId)
      .executeTakeFirstOrThrow(),
  );
  organization = row.name;
});

let ada: Operator;
let ben: Operator;
let letters: [string, ...string[]][] = [];
beforeEach(async () => {
  letters = [];
  [ada, ben] = await Promise.all([operatorNamed('Ada Smith'), operatorNamed('Ben Jones')]);
});

async function operatorNamed(name: string): Promise<Operator> {
  const id = newId();
  const now = people.clock.now();
  await systemTransaction(database.systemDb, (tx) =>
    insertOperator(tx, { id, name: `${name} ${id}`, keyHash: sha256(id), now }),
  );
  return { id, name, ip: '192.0.2.7', requestId: 'r' };
}

const deps = () => ({ systemDb: database.systemDb, clock: people.clock, aloneLimitCents: 1_000_00 });
const corrections = () =>
  createCorrections({
    ...deps(),
    tell: async (subject, lines) => void letters.push([subject, ...lines]),
  });
const correct = (change: object = {}, by: Operator = ada) =>
  corrections().correct(by, {
    organizationId: scope.organisationId,
    organization,
    amount: 12.5,
    reason: 'Registration never carried out',
    reference: newId(),
    ...change,
  });
const entries = () =>
  database.systemDb
    .selectFrom('journal')
    .select(['kind', 'actor', 'text'])
    .where('organisation_id', '=', scope.organisationId)
    .execute();

const logOf = () => logged(database.db, scope, 'operator.correct');

test('a correction is an entry of the ledger with its reason, either way, and the books add up', async () => {
  expect(await correct()).toMatchObject({ state: 'entered', balance: 1_250 });
  expect(await correct({ amount: -20, reason: 'Payment never arrived' })).toMatchObject({ balance: -750 });
  expect(await entries()).toEqual([
    { kind: 'adjustment', actor: 'operator Ada Smith', text: 'Registration never carried out' },
    { kind: 'adjustment', actor: 'operator Ada Smith', text: 'Payment never arrived' },
  ]);
  expect(await checkLedger(database.systemDb)).toEqual([]);
});

test('a correction that takes money has auto balance look; one that gives some has not', async () => {
  const looks = async () =>
    (await takeJobs(database.url)).filter(({ task }) => task === 'billing.consider-auto-topup');
  await looks();
  await correct();
  expect(await looks()).toEqual([]);
  await correct({ amount: -20 });
  expect(await looks()).toMatchObject([{ payload: { organisationId: scope.organisationId } }]);
});

test('the organisation’s log says what was corrected, and its chain is whole', async () => {
  await correct({ reference: 'pi_123' });
  const rows = await database.systemDb
    .selectFrom('audit_log')
    .select(['actor', 'ip', 'action', 'object', 'after'])
    .where('organisation_id', '=', scope.organisationId)
    .where('action', '=', 'operator.correct')
    .execute();
  const after = { amount: 12.5, balance: 1_250, reason: 'Registration never carried out' };
  const by = { actor: 'operator Ada Smith', ip: '192.0.2.7' };
  expect(rows).toEqual([{ ...by, action: 'operator.correct', object: 'pi_123', after }]);
  expect(await logOf()).toMatchObject([{ kind: 'balance', before: { balance: 0 }, after }]);
  expect((await verifyAuditChain(database.systemDb, scope.organisationId)).broken).toBeNull();
});

test('sent ten times at once, a reference is entered once', async () => {
  const reference = newId();
  const answers = await Promise.allSettled(Array.from({ length: 10 }, () => correct({ reference })));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' });
  }
  expect(await entries()).toHaveLength(1);
});

test('an id with another organisation’s name, or of nobody, changes nothing', async () => {
  await expect(correct({ organization: 'Somebody Else' })).rejects.toMatchObject({
    code: 'unprocessable',
    message: `This id belongs to ${organization}.`,
  });
  await expect(correct({ organizationId: newId() })).rejects.toMatchObject({ code: 'not_found' });
  expect(await entries()).toEqual([]);
});

test('the same reference belongs to each organisation on its own', async () => {
  const reference = 'INV-1';
  await correct({ reference });
  await expect(correct({ reference })).rejects.toMatchObject({ code: 'conflict' });
  const { scope: other } = await people.organisation('Other MSP');
  const theirs = { organizationId: other.organisationId, organization: 'Other MSP', reference };
  expect(await correct(theirs, ben)).toMatchObject({ state: 'entered', balance: 1_250 });
});

test('five corrections of $10,000 in a row enter nothing: each waits for a second person', async () => {
  for (let count = 0; count < 5; count += 1) {
    expect(await correct({ amount: 10_000 })).toMatchObject({ state: 'waiting', balance: null });
  }
  expect(await entries()).toEqual([]);
  expect(letters.map(([subject]) => subject)).toEqual(
    Array(5).fill('A correction is waiting for a second person'),
  );
  expect(await logOf()).toEqual([]);
});

test('the operators are told what waits and why; what is entered, confirmed or declined is told nobody', async () => {
  await correct();
  expect(letters).toEqual([]);
  const { id } = await correct({ amount: -1_000.01, reason: 'Paid twice', reference: 'pi_9' });
  const declined = await correct({ amount: 2_000, reference: 'pi_10' });
  expect(letters).toEqual([
    [
      'A correction is waiting for a second person',
      `Ada Smith asks to change the balance of ${organization} by −$1,000.01.`,
      'Reason: Paid twice (pi_9)',
    ],
    [expect.any(String), expect.stringContaining('$2,000.00'), expect.stringContaining('pi_10')],
  ]);
  await corrections().confirm(ben, id);
  await corrections().decline(ben, declined.id);
  expect(letters).toHaveLength(2);
});

test('one person enters $1,000 in a day and no cent more, in whatever pieces and for whomever', async () => {
  expect(await correct({ amount: 600 })).toMatchObject({ state: 'entered' });
  expect(await correct({ amount: -400 })).toMatchObject({ state: 'entered' });
  expect(await correct({ amount: 0.01 })).toMatchObject({ state: 'waiting' });
  // Not by another person for the same organisation, nor by the same person for another one.
  expect(await correct({ amount: 0.01 }, ben)).toMatchObject({ state: 'waiting' });
  const { scope: other } = await people.organisation('Other MSP');
  const theirs = { organizationId: other.organisationId, organization: 'Other MSP', amount: 0.01 };
  expect(await correct(theirs)).toMatchObject({ state: 'waiting' });
  expect(await correct(theirs, ben)).toMatchObject({ state: 'entered' });
  people.clock.forward(86_400_000 - 1);
  expect(await correct({ amount: 1_000 })).toMatchObject({ state: 'waiting' });
  people.clock.forward(1);
  expect(await correct({ amount: 1_000 })).toMatchObject({ state: 'entered' });
});

test('what waits, was declined, or was confirmed by a second person leaves one’s own $1,000 of the day alone', async () => {
  const [first, second] = [await correct({ amount: 5_000 }), await correct({ amount: 5_000 })];
  await correct({ amount: 5_000 });
  await corrections().confirm(ben, first.id);
  await corrections().decline(ben, second.id);
  expect(await correct({ amount: 1_000 })).toMatchObject({ state: 'entered', balance: 6_000_00 });
  expect(await correct({ amount: 0.01 })).toMatchObject({ state: 'waiting' });
});

test('what is listed of a correction is all that a second person decides by: what waits first, then the newest', async () => {
  const asked = async (change: object) => {
    people.clock.forward(1_000);
    return (await correct({ reason: 'A large refund', ...change })).id;
  };
  const waiting = await asked({ amount: 2_000, reference: 'one' });
  const entered = await asked({ amount: 3, reference: 'two' });
  const declined = await asked({ amount: -3_000, reference: 'three' });
  const askedAt = people.clock.now().toISOString();
  people.clock.forward(1_000);
  const decidedAt = people.clock.now().toISOString();
  const row = await corrections().decline(ben, declined);
  const { id, name } = { id: ben.id ?? '', name: 'Ben Jones' };
  expect(row).toEqual({
    ...{ id: declined, organizationId: scope.organisationId, organization, organizationClosedAt: null },
    ...{ amount: -3_000, reason: 'A large refund', reference: 'three', state: 'declined' },
    ...{ askedBy: { id: ada.id, name: `Ada Smith ${ada.id}` }, askedAt },
    ...{ decidedBy: `${name} ${id}`, decidedAt },
  });
  const own = (await corrections().list()).filter((one) => one.organizationId === scope.organisationId);
  expect(own.map((one) => one.id)).toEqual([waiting, declined, entered]);
  expect(own[1]).toEqual(row);
  expect(own[2]).toMatchObject({ state: 'entered', decidedBy: null, decidedAt: null });
  expect(own[0]).toMatchObject({ state: 'waiting', decidedBy: null, decidedAt: null });
});

test('the key that makes operators corrects nothing, and an unknown correction is decided by nobody', async () => {
  const { id } = await correct({ amount: 5_000 });
  const nobody = { ...ada, id: null };
  for (const act of [
    () => correct({}, nobody),
    () => corrections().confirm(nobody, id),
    () => corrections().decline(nobody, id),
    () => corrections().withdraw(nobody, id),
  ]) {
    await expect(act()).rejects.toMatchObject({ code: 'forbidden' });
  }
  for (const act of [corrections().confirm, corrections().decline, corrections().withdraw]) {
    await expect(act(ben, newId())).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await entries()).toEqual([]);
  expect(await corrections().confirm(ben, id)).toMatchObject({ state: 'entered' });
});

test('ten at once of $200 by one person: five are entered', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => correct({ amount: 200 })));
  expect(answers.filter(({ state }) => state === 'entered')).toHaveLength(5);
  expect(await entries()).toHaveLength(5);
});

test('what waits is entered once, by another person than who asked, and the log names both', async () => {
  const { id } = await correct({ amount: 5_000, reference: 'big' });
  await expect(corrections().confirm(ada, id)).rejects.toMatchObject({
    code: 'forbidden',
    message: 'You requested this correction, so another operator must confirm it.',
  });
  expect(await entries()).toEqual([]);
  const tries = await Promise.allSettled([1, 2, 3].map(() => corrections().confirm(ben, id)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await entries()).toEqual([
    { kind: 'adjustment', actor: 'operator Ben Jones', text: 'Registration never carried out' },
  ]);
  expect(await logOf()).toMatchObject([
    {
      ...{ by: 'operator Ben Jones', object: 'big', before: { balance: 0 } },
      after: { amount: 5_000, balance: 5_000_00, askedBy: expect.stringContaining('operator Ada Smith') },
    },
  ]);
  await expect(corrections().decline(ben, id)).rejects.toMatchObject({ code: 'conflict' });
  expect(await checkLedger(database.systemDb)).toEqual([]);
});

test('what would give money to an organization that was closed meanwhile is not confirmed, and says why; what takes some is', async () => {
  const [gives, takes] = [await correct({ amount: 5_000 }), await correct({ amount: -5_000 })];
  const closedAt = async () =>
    (await corrections().list())
      .filter(({ organizationId }) => organizationId === scope.organisationId)
      .map(({ organizationClosedAt }) => organizationClosedAt);
  expect(await closedAt()).toEqual([null, null]);
  await people.users.close(scope);
  const then = people.clock.now().toISOString();
  expect(await closedAt()).toEqual([then, then]);
  await expect(corrections().confirm(ben, gives.id)).rejects.toMatchObject({
    code: 'conflict',
    message:
      'This organization was closed, and nobody there could spend the money. Decline the correction and pay the person back.',
  });
  expect(await entries()).toEqual([]);
  expect(await corrections().decline(ben, gives.id)).toMatchObject({ state: 'declined' });
  await takeJobs(database.url);
  expect(await corrections().confirm(ben, takes.id)).toMatchObject({ state: 'entered' });
  expect(await takeJobs(database.url)).toMatchObject([{ task: 'billing.consider-auto-topup' }]);
});

test('one operator alone gives a closed organization nothing either, and takes from it what arrived there', async () => {
  await people.users.close(scope);
  const refusal = {
    code: 'unprocessable',
    message:
      'This organization was closed, and nobody there could spend the money. Pay the person back instead.',
    details: [{ path: 'organization' }],
  };
  for (const amount of [0.01, 12.5, 5_000]) {
    await expect(correct({ amount })).rejects.toMatchObject(refusal);
  }
  expect(await entries()).toEqual([]);
  const listed = (await corrections().list()).map(({ organizationId }) => organizationId);
  expect(listed).not.toContain(scope.organisationId);
  expect(await correct({ amount: -12.5 })).toMatchObject({ state: 'entered', balance: -1_250 });
  expect(await correct({ amount: -5_000 })).toMatchObject({ state: 'waiting' });
});

test('what a closed organization owes may be covered or written off, to the cent and once', async () => {
  await people.users.close(scope);
  expect(await correct({ amount: -50, reference: 'disputed' })).toMatchObject({ balance: -50_00 });
  await expect(correct({ amount: 50.01 })).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await correct({ amount: 20, reference: 'collected' })).toMatchObject({ balance: -30_00 });
  await expect(correct({ amount: 30.01 })).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await correct({ amount: 30, reference: 'written off' })).toMatchObject({ balance: 0 });
  await expect(correct({ amount: 0.01 })).rejects.toMatchObject({ code: 'unprocessable' });
  expect(await checkLedger(database.systemDb)).toEqual([]);
});

test('of two corrections at once that cover the same debt of a closed organization, one is entered', async () => {
  for (let round = 0; round < 5; round += 1) {
    ({ scope } = await people.organisation(organization));
    const [one, other] = [await correct({ amount: 2_000 }), await correct({ amount: 2_000 })];
    const takes = await correct({ amount: -3_000 });
    await people.users.close(scope);
    await corrections().confirm(ben, takes.id);
    const results = await Promise.allSettled([one, other].map(({ id }) => corrections().confirm(ben, id)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'conflict' } });
    expect((await entries()).length).toBe(2);
  }
});

test('a correction that is being entered is waited for and stands against closing; one that comes later is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    ({ scope } = await people.organisation(organization));
    const results = await Promise.allSettled([correct(), people.users.close(scope)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await entries()).toHaveLength(results[0].status === 'fulfilled' ? 1 : 0);
  }
});

test.each([
  {
    what: 'declined',
    by: () => ben,
    act: 'decline',
    other: 'withdraw',
    says: 'Another operator requested this correction. Decline it instead.',
  },
  {
    what: 'withdrawn',
    by: () => ada,
    act: 'withdraw',
    other: 'decline',
    says: 'You requested this correction. Withdraw it instead.',
  },
] as const)('what is $what enters nothing, and its reference may be used again', async (one) => {
  const { id } = await correct({ amount: 5_000, reference: 'again' });
  await expect(correct({ amount: 1, reference: 'again' })).rejects.toMatchObject({ code: 'conflict' });
  // Each act has one name, and is not done by the other.
  await expect(corrections()[one.other](one.by(), id)).rejects.toMatchObject({
    ...{ code: 'forbidden', message: one.says },
  });
  expect(await corrections()[one.act](one.by(), id)).toMatchObject({ state: one.what });
  await expect(corrections().confirm(ben, id)).rejects.toMatchObject({ code: 'conflict' });
  expect(await entries()).toEqual([]);
  expect(await correct({ amount: 1, reference: 'again' })).toMatchObject({ state: 'entered' });
});

const whole = {
  ...{ organizationId: newId(), organization: 'Acme', amount: 1 },
  ...{ reason: 'A mistake', reference: 'ref' },
};

test.each([
  { amount: 10_000 },
  { amount: -10_000 },
  { amount: 0.01 },
  { reason: 'Wrong' },
  { reference: 'r'.repeat(100) },
  { organization: 'A' },
])('%j is taken', (change) => {
  expect(correctionBody.safeParse({ ...whole, ...change }).data).toEqual({ ...whole, ...change });
});

test.each([
  [{ amount: 0 }, 'amount'],
  [{ amount: 10_000.01 }, 'amount'],
  [{ amount: -10_000.01 }, 'amount'],
  [{ amount: 1.005 }, 'amount'],
  [{ reason: 'why' }, 'reason'],
  [{ reference: 're' }, 'reference'],
  [{ reference: 'r'.repeat(101) }, 'reference'],
  [{ organizationId: 'Acme' }, 'organizationId'],
  [{ organization: '' }, 'organization'],
])('%j is refused at its field', (change, field) => {
  const found = correctionBody.safeParse({ ...whole, ...change });
  expect(found.error?.issues.map(({ path }) => path[0])).toEqual([field]);
});

test('what one operator may still enter alone is told before they ask, and is exactly that', async () => {
  const left = async (by: Operator) => {
    const { aloneLeft, ...seen } = await organisationFor(deps(), by, scope.organisationId);
    expect(seen).toMatchObject({ name: organization, closedAt: null, customers: 0 });
    return aloneLeft;
  };
  expect(await left(ada)).toBe(1_000_00);
  expect(await correct({ amount: -300, reference: 'one' })).toMatchObject({ state: 'entered' });
  // Of the organization, no matter who asks.
  expect([await left(ada), await left(ben)]).toEqual([700_00, 700_00]);
  expect(await correct({ amount: 700.01, reference: 'two' })).toMatchObject({ state: 'waiting' });
  expect(await correct({ amount: 700, reference: 'three' }, ben)).toMatchObject({ state: 'entered' });
  expect(await left(ada)).toBe(0);
  const { scope: other } = await people.organisation('Other MSP');
  const there = (by: Operator) => organisationFor(deps(), by, other.organisationId);
  expect([(await there(ada)).aloneLeft, (await there(ben)).aloneLeft]).toEqual([700_00, 300_00]);
  const message = 'There is no organization with this ID.';
  await expect(organisationFor(deps(), ada, newId())).rejects.toMatchObject({
    code: 'not_found',
    message,
  });
  await expect(organisationFor(deps(), { ...ada, id: null }, other.organisationId)).rejects.toMatchObject({
    code: 'forbidden',
  });
});
