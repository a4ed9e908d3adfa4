import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#contracts/values/limits.ts';
import { inTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { destroyKeys } from '#kernel/subject-keys.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { eraseViews } from './views.repo.ts';
import { createViews, type ViewsApi } from './views.service.ts';

let database: TestDatabase;
let people: People;
let views: ViewsApi;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  views = createViews({ db: database.db, clock: people.clock, newId });
});
afterAll(() => database.close());

const view = (name: string, shared = false) => ({
  ...{ screen: 'domains' as const, name, query: 'kind=manual&sort=expireDate', shared },
});

test('own views are the person’s alone, shared ones everybody’s of the organization, and nobody else’s', async () => {
  const { scope } = await people.organisation();
  const { scope: stranger } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  await views.save(scope, view('Mine'));
  const shared = await views.save(scope, view('Everybody’s', true));
  await views.save(scope, { ...view('Orders'), screen: 'orders' });
  const seen = async (who: typeof scope) =>
    (await views.list(who, 'domains')).map(({ name, own }) => [name, own]);
  expect(await seen(scope)).toEqual([
    ['Everybody’s', true],
    ['Mine', true],
  ]);
  expect(await seen(colleague)).toEqual([['Everybody’s', false]]);
  expect(await seen(stranger)).toEqual([]);

  await expect(views.remove(colleague, shared.id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(views.remove(stranger, shared.id)).rejects.toMatchObject({ code: 'not_found' });
  const theirs = await views.save(colleague, view('Of a colleague', true));
  await views.remove(scope, theirs.id);
  expect(await seen(colleague)).toEqual([['Everybody’s', false]]);
  // What somebody keeps for themselves not even a manager removes.
  const own = await views.save(colleague, view('Own'));
  await expect(views.remove(scope, own.id)).rejects.toMatchObject({ code: 'not_found' });
  await views.remove(colleague, own.id);
  expect(await seen(colleague)).toEqual([['Everybody’s', false]]);
});

test('views are read as they were saved, by name in any case; of one list or of all', async () => {
  const { scope } = await people.organisation();
  const saved = [
    await views.save(scope, view('zeta')),
    await views.save(scope, { ...view('Beta', true), query: 'search=a%20b' }),
    await views.save(scope, { ...view('alpha'), screen: 'orders' }),
  ];
  expect(await views.list(scope, 'domains')).toEqual([saved[1], saved[0]]);
  expect(await views.list(scope, undefined)).toEqual([saved[2], saved[1], saved[0]]);
  expect(saved[1]).toEqual({
    ...{ id: saved[1]?.id, screen: 'domains', name: 'Beta', query: 'search=a%20b', shared: true, own: true },
  });
});

test('the log has who saved and who removed a view, whole, as something about the person whose it is', async () => {
  const { scope } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  const { own: _, ...saved } = await views.save(colleague, view('Theirs', true));
  await expect(views.save(colleague, view('THEIRS', true))).rejects.toMatchObject({ code: 'already_exists' });
  await expect(views.remove(colleague, newId())).rejects.toMatchObject({ code: 'not_found' });
  await views.remove(scope, saved.id);
  const { id, ...removed } = saved;
  const entry = { kind: 'saved view', object: id };
  expect(await logged(database.db, scope, 'views.save')).toEqual([
    { ...entry, by: colleague.userId, before: null, after: saved },
  ]);
  expect(await logged(database.db, scope, 'views.delete')).toEqual([
    { ...entry, by: scope.userId, before: removed, after: null },
  ]);
  // With their key goes what the log says of both.
  await inTransaction(database.db, scope, (tx) => destroyKeys(tx, scope.organisationId, [colleague.userId]));
  for (const action of ['views.save', 'views.delete'] as const) {
    expect(JSON.stringify(await logged(database.db, scope, action))).not.toContain('Theirs');
  }
});

test('a view is renamed by whose it is, and a shared one by managers; what is kept to oneself by nobody else', async () => {
  const { scope } = await people.organisation();
  const { scope: stranger } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  const own = await views.save(colleague, view('Own'));
  const shared = await views.save(colleague, view('Shared', true));
  expect(await views.rename(colleague, own.id, { name: 'Mine', shown: 'Own' })).toEqual({
    ...own,
    name: 'Mine',
  });
  expect(await views.rename(scope, shared.id, { name: 'Of all', shown: 'Shared' })).toEqual({
    ...{ ...shared, name: 'Of all', own: false },
  });
  const names = async (who: Scope) => (await views.list(who, 'domains')).map(({ name }) => name);
  expect(await names(colleague)).toEqual(['Mine', 'Of all']);
  const managers = await views.save(scope, view('Of a manager', true));
  const refused: [Scope, string, string][] = [
    [scope, own.id, 'Mine'],
    [stranger, shared.id, 'Of all'],
    [colleague, managers.id, 'Of a manager'],
    [colleague, newId(), 'Mine'],
  ];
  for (const [who, id, shown] of refused) {
    await expect(views.rename(who, id, { name: 'Taken over', shown })).rejects.toMatchObject({
      code: 'not_found',
    });
  }
  expect(await names(colleague)).toEqual(['Mine', 'Of a manager', 'Of all']);
});

test('a name that is taken is refused, and one that is another by now is replaced by nobody who has not seen it', async () => {
  const { scope } = await people.organisation();
  const first = await views.save(scope, view('Expiring', true));
  const second = await views.save(scope, view('Unlocked', true));
  const message = 'A view with this name already exists.';
  await expect(views.rename(scope, second.id, { name: 'EXPIRING', shown: 'Unlocked' })).rejects.toMatchObject(
    {
      ...{ code: 'already_exists', message, details: [{ path: 'name', message }] },
    },
  );
  // Of itself only the letters change.
  await views.rename(scope, first.id, { name: 'EXPIRING', shown: 'Expiring' });
  const answers = await Promise.allSettled(
    ['Open', 'Not locked'].map((name) => views.rename(scope, second.id, { name, shown: 'Unlocked' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const [present] = (await views.list(scope, 'domains')).filter(({ id }) => id === second.id);
  const late = answers.find(({ status }) => status === 'rejected');
  expect(late).toMatchObject({ reason: { code: 'conflict', data: present } });
});

test('the log has who renamed a view, from what and to what, and nothing of a name that stayed', async () => {
  const { scope } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  const { id } = await views.save(colleague, view('Theirs', true));
  await views.rename(scope, id, { name: 'Theirs', shown: 'Theirs' });
  await views.rename(scope, id, { name: 'Ours', shown: 'Theirs' });
  expect(await logged(database.db, scope, 'views.rename')).toEqual([
    { kind: 'saved view', object: id, by: scope.userId, before: { name: 'Theirs' }, after: { name: 'Ours' } },
  ]);
  // The words are those of the person who made it.
  await inTransaction(database.db, scope, (tx) => destroyKeys(tx, scope.organisationId, [colleague.userId]));
  expect(JSON.stringify(await logged(database.db, scope, 'views.rename'))).not.toContain('Theirs');
});

test('what erased people kept for themselves goes; what they share, and what is others’, stays', async () => {
  const { scope } = await people.organisation();
  const { scope: gone } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  for (const who of [scope, gone]) {
    await views.save(who, view('Own'));
    await views.save(who, view(`Shared by ${who.userId}`, true));
  }
  await inTransaction(database.db, scope, (tx) => eraseViews(tx, scope, [gone.userId]));
  const names = async (who: Scope) => (await views.list(who, undefined)).map(({ name }) => name);
  const shared = [`Shared by ${scope.userId}`, `Shared by ${gone.userId}`].toSorted();
  expect(await names(scope)).toEqual(['Own', ...shared]);
  expect(await names(gone)).toEqual(shared);
});

test('a name is used once for each person and screen, and once among the shared ones', async () => {
  const { scope } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  await views.save(scope, view('Expiring'));
  const message = 'A view with this name already exists.';
  await expect(views.save(scope, view('expiring'))).rejects.toMatchObject({
    ...{ code: 'already_exists', message, details: [{ path: 'name', message }] },
  });
  await views.save(scope, { ...view('expiring'), screen: 'orders' });
  await views.save(colleague, view('Expiring'));
  await views.save(scope, view('Expiring', true));
  await expect(views.save(colleague, view('EXPIRING', true))).rejects.toMatchObject({
    code: 'already_exists',
  });
});

test('a person keeps 50 views, however many are saved at once', async () => {
  const { scope } = await people.organisation();
  const results = await Promise.allSettled(
    Array.from({ length: limits.savedViews.most + 3 }, (_, index) =>
      views.save(scope, view(`View ${index}`)),
    ),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(limits.savedViews.most);
  expect(await views.list(scope, undefined)).toHaveLength(limits.savedViews.most);
  // A colleague has a count of their own.
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  await views.save(colleague, view('First'));
  expect(await views.list(colleague, undefined)).toHaveLength(1);
});
