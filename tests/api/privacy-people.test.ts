import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { contacts, type PrivacyStand, startPrivacyStand } from './support/privacy.ts';
import { insert, person } from './support/world.ts';

/** Users who are erased, customers that cannot be yet, and what is held of those that were. */

let stand: PrivacyStand;
beforeAll(async () => {
  stand = await startPrivacyStand();
});
afterAll(() => stand[Symbol.asyncDispose]());

test('a user is erased with invitations, tokens and authorship; never oneself, never the last who manages', async () => {
  const { portal, organisationId, owner, ask, act, hits } = stand;
  const place = { organisationId, role: 'MSP_ADMIN', customerId: null } as const;
  const email = 'wilhelmina@brightwater.example';
  const admin = await person(portal, email, place);
  const { customerId } = await act<{ customerId: string }>(admin.token, 'POST', '/customer', {
    contacts: { owner: contacts.owner, admin: contacts.admin, billing: contacts.billing },
  });
  await act(admin.token, 'POST', '/user/tokens', {
    name: 'Wilhelmina script',
    permissions: ['customers.read'],
  });
  const view = { screen: 'customers', query: 'search=rosebud' };
  await act(admin.token, 'POST', '/view', { ...view, name: 'Of one', shared: false });
  await act(admin.token, 'POST', '/view', { ...view, name: 'Of all', shared: true });
  // Saved and removed: the log alone still speaks of it.
  const named = { ...view, name: 'Wilhelmina’s own list', query: 'search=brightwater', shared: false };
  const { id: viewId } = await act<{ id: string }>(admin.token, 'POST', '/view', named);
  await act(admin.token, 'DELETE', `/view/${viewId}`);
  await act(owner.token, 'PATCH', `/user/subuser/${admin.userId}`, { type: 'MSP_EMPLOYEE', dailyLimit: 100 });
  await act(owner.token, 'PATCH', `/user/subuser/${admin.userId}`, { type: 'MSP_ADMIN' });
  await insert(portal, 'invites', {
    ...{ id: newId(), organisation_id: organisationId, email: email.toUpperCase(), role: 'MSP_ADMIN' },
    ...{ token_hash: Buffer.from('i'), token_sealed: Buffer.from('s'), invited_by: owner.userId },
    ...{ expires_at: new Date(), accepted_at: new Date() },
  });
  await portal.owner.query(
    `UPDATE users SET first_name = 'Wilhelmina', username = 'brightwater' WHERE id = $1`,
    [admin.userId],
  );
  const exported = (await ask(admin.token, 'GET', '/privacy/own')).text;
  for (const word of [email, 'Wilhelmina script', 'customers.create', 'users.change', customerId]) {
    expect(exported).toContain(word);
  }
  // Where others act from is not theirs to know.
  const { sections } = JSON.parse(exported) as {
    sections: { title: string; rows: { actor_id: string; ip: string | null }[] }[];
  };
  const rows = sections.find(({ title }) => title === 'Audit log')?.rows ?? [];
  expect(new Set(rows.map(({ actor_id, ip }) => [actor_id === admin.userId, ip].join()))).toEqual(
    new Set(['true,127.0.0.1', 'false,']),
  );
  // The data of the customers whom they wrote belongs to those customers.
  expect(exported).not.toMatch(/quixworth|vandermolen/i);
  expect((await ask(owner.token, 'GET', `/privacy/user/${admin.userId}?format=csv`)).text).toContain(email);

  expect((await ask(admin.token, 'POST', `/privacy/user/${admin.userId}/erasure`)).status).toBe(403);
  expect((await ask(admin.token, 'POST', `/privacy/user/${owner.userId}/erasure`)).status).toBe(403);
  await act(owner.token, 'POST', `/privacy/user/${admin.userId}/erasure`);
  expect(await hits(['wilhelmina', 'brightwater'])).toEqual([]);
  const views = await portal.owner.query('SELECT name FROM saved_views');
  expect(views.rows).toEqual([{ name: 'Of all' }]);
  expect((await ask(admin.token, 'GET', '/user')).status).toBe(403);
  const [row] = await act<{ actor: string }[]>(owner.token, 'GET', `/audit?person=${admin.userId}`);
  expect(row?.actor).toMatch(/^Erased user \w{6}$/);
  expect((await verifyAuditChain(portal.stack.database.systemDb, organisationId)).broken).toBeNull();
  expect((await ask(owner.token, 'POST', `/privacy/user/${owner.userId}/erasure`)).status).toBe(403);
  expect((await ask(owner.token, 'POST', `/privacy/user/${newId()}/erasure`)).status).toBe(404);
});
