import pg from 'pg';
import { expect, test } from 'vitest';
import { createLogger } from '#kernel/logger.ts';
import { createTestDatabase } from '../../../tests/support/database.ts';
import { createPeople } from '../../../tests/support/people.ts';
import { createTasks, type TaskDeps } from './tasks.ts';

test('one fault of the ledger is enough to call the operator; without any nobody is called', async () => {
  await using database = await createTestDatabase();
  const people = createPeople(database);
  const { scope } = await people.organisation();
  const sent: object[] = [];
  const tasks = createTasks({
    ...{ systemDb: database.systemDb, clock: people.clock, logger: createLogger({ level: 'silent' }) },
    ...{ operatorEmail: 'operator@portal.example', brandOf: async () => null, more: {} },
    mail: { send: async (mail: object) => void sent.push(mail) },
  } as unknown as TaskDeps);
  await tasks['ledger.check']?.({});
  expect(sent).toEqual([]);
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('UPDATE wallets SET posted_cents = posted_cents + 1 WHERE organisation_id = $1', [
    scope.organisationId,
  ]);
  await owner.end();
  await tasks['ledger.check']?.({});
  expect(sent).toMatchObject([{ to: 'operator@portal.example' }]);
  expect(JSON.stringify(sent)).toContain('The ledger check found one fault; see the log.');
});
