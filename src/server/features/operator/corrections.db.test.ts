import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { correctionBody } from '../../../contracts/operations/operator.ts';
import { verifyAuditChain } from '../../kernel/audit.ts';
import { inTransaction } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { checkLedger } from '../../ledger/check.ts';
import { createCorrections } from './corrections.ts';

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

const correct = (change: object = {}) =>
  createCorrections({ systemDb: database.systemDb, clock: people.clock }).correct({
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

test('a correction is an entry of the ledger with its reason, either way, and the books add up', async () => {
  expect(await correct()).toEqual({ balance: 1_250 });
  expect(await correct({ amount: -20, reason: 'Payment never arrived' })).toEqual({ balance: -750 });
  expect(await entries()).toEqual([
    { kind: 'adjustment', actor: 'operator', text: 'Registration never carried out' },
    { kind: 'adjustment', actor: 'operator', text: 'Payment never arrived' },
  ]);
  expect(await checkLedger(database.systemDb)).toEqual([]);
});

test('the organisation’s log says what was corrected, and its chain is whole', async () => {
  await correct({ reference: 'pi_123' });
  const logged = await database.systemDb
    .selectFrom('audit_log')
    .select(['actor', 'action', 'object', 'after'])
    .where('organisation_id', '=', scope.organisationId)
    .where('action', '=', 'operator.correct')
    .execute();
  const after = { amount: 12.5, balance: 1_250, reason: 'Registration never carried out' };
  expect(logged).toEqual([{ actor: 'operator', action: 'operator.correct', object: 'pi_123', after }]);
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
    message: `This id is of ${organization}.`,
  });
  await expect(correct({ organizationId: newId() })).rejects.toMatchObject({ code: 'not_found' });
  expect(await entries()).toEqual([]);
});

test.each([
  [{ amount: 0 }, 'amount'],
  [{ amount: 10_000.01 }, 'amount'],
  [{ amount: -10_000.01 }, 'amount'],
  [{ amount: 1.005 }, 'amount'],
  [{ reason: 'why' }, 'reason'],
  [{ reference: '' }, 'reference'],
  [{ organization: '' }, 'organization'],
])('%j is refused at its field', (change, field) => {
  const whole = {
    organizationId: newId(),
    organization: 'Acme',
    amount: 1,
    reason: 'A mistake',
    reference: 'ref',
  };
  const found = correctionBody.safeParse({ ...whole, ...change });
  expect(found.error?.issues.map(({ path }) => path[0])).toEqual([field]);
});
