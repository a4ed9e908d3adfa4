import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#contracts/values/limits.ts';
import { newId } from '#kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
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
});

test('a name is used once for each person and screen, and once among the shared ones', async () => {
  const { scope } = await people.organisation();
  const { scope: colleague } = await people.join(scope, { type: 'MSP_EMPLOYEE' });
  await views.save(scope, view('Expiring'));
  await expect(views.save(scope, view('expiring'))).rejects.toMatchObject({ code: 'already_exists' });
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
});
