import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Portal, startPortal } from './support/portal.ts';
import { type Organisation, person, seedOrganisation } from './support/world.ts';

/** The customers' own portal, on the database of the MSPs' one. */

let portal: Portal;
let a: Organisation;
let client: Awaited<ReturnType<Portal['withSettings']>>['app'];
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'cp');
  ({ app: client } = await portal.withSettings({ APP_TYPE: 'client', CLIENT_ORGANISATION: a.id }));
});
afterAll(() => portal[Symbol.asyncDispose]());

async function call(app: typeof client, token: string, method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await ask(app, {
    ...{ method, url: `/api/${path}` },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  const { code, message, data } = JSON.parse(answer.body) as Record<string, never>;
  return { status: answer.status, code, message, data: data as unknown };
}
const profile = { username: 'somebody', organization: 'Of Their Own' };

test('it is joined by invitation alone: who signs in founds no organization there, and does in the MSPs’ portal', async () => {
  const stranger = await person(portal, 'stranger@customers.example', null);
  const invited = await person(portal, 'invited@customers.example', null);
  const counted = async () => (await portal.owner.query('SELECT id FROM organisations')).rows.length;
  const before = await counted();
  const found = (app: typeof client, token: string) => call(app, token, 'POST', 'user', profile);
  for (const { token } of [stranger, invited]) {
    expect(await found(client, token)).toMatchObject({
      ...{ status: 403, code: 'forbidden' },
      message: 'You need an invitation to join. Please ask your provider for one.',
    });
    expect(await call(client, token, 'GET', 'user')).toMatchObject({ status: 403, code: 'no_profile' });
  }
  const { data } = await call(portal.app, a.tokens.MSP_OWNER, 'POST', 'user/subuser', {
    ...{ email: 'invited@customers.example', type: 'MSP_CUSTOMER' },
    authorizedClientId: a.customers[0].id,
  });
  const invite = (data as { link: string }).link.split('/').at(-1);
  expect(await call(client, invited.token, 'POST', 'user/subuser/create')).toMatchObject({ status: 200 });
  expect(await found(client, invited.token)).toMatchObject({ status: 403, code: 'forbidden' });
  const accepted = await call(client, invited.token, 'POST', `user/subuser/acceptinvite/${invite}`);
  expect(accepted).toMatchObject({ status: 200 });
  expect(await call(client, invited.token, 'GET', 'user')).toMatchObject({
    data: { type: 'MSP_CUSTOMER', authorizedClientId: a.customers[0].id },
  });
  expect(await counted()).toBe(before);

  expect(await found(portal.app, stranger.token)).toMatchObject({ status: 200, data: { type: 'MSP_ADMIN' } });
  expect(await counted()).toBe(before + 1);
});
