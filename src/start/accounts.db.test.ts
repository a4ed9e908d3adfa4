import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../tests/support/database.ts';
import { newId } from '../server/kernel/ids.ts';
import { followIssuer } from './accounts.ts';

test('people keep their accounts when the sandbox signs them in at another address', async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  stack.defer(() => database.close());
  const dataDir = stack.adopt(await mkdtemp(join(tmpdir(), 'nameward-issuer-')), (dir) =>
    rm(dir, { recursive: true }),
  );
  const person = (issuer: string) => ({
    ...{ id: newId(), identity_issuer: issuer, identity_subject: newId(), email: 'a@example.com' },
    role: 'MSP_ADMIN' as const,
  });
  const [ours, theirs] = [person('http://127.0.0.1:4303'), person('https://sign-in.example.com')];
  await database.systemDb.insertInto('users').values([ours, theirs]).execute();
  await followIssuer(dataDir, database.urls.system, 'http://127.0.0.1:4303');
  await followIssuer(dataDir, database.urls.system, 'http://127.0.0.1:4999');
  const users = await database.systemDb.selectFrom('users').select(['id', 'identity_issuer']).execute();
  expect(new Map(users.map((user) => [user.id, user.identity_issuer]))).toEqual(
    new Map([
      [ours.id, 'http://127.0.0.1:4999'],
      [theirs.id, theirs.identity_issuer],
    ]),
  );
});
