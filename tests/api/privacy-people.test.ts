import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAuditChain } from '../../src/server/kernel/audit.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { contacts, type PrivacyStand, startPrivacyStand } from './support/privacy.ts';
import { insert, insertOrganisation, person } from './support/world.ts';

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

test('every former customer and user is found, page by page and by a search, however many there are', async () => {
  const { portal, organisationId, owner, ask, act } = stand;
  const other = newId();
  await insertOrganisation(portal, other, 'Southwind MSP');
  const gone = `timestamptz '2026-01-01' + n * interval '1 minute'`;
  const fill = async (place: string, name: string, to: number) => {
    await portal.owner.query(
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups, deleted_at)
       SELECT gen_random_uuid(), $1, o, o, o, '{}', ${gone} FROM generate_series(1, $3::int) n, LATERAL (SELECT
         jsonb_build_object('organization', $2 || ' ' || n, 'email', $2 || n || '@gone.example') || $4::jsonb AS o) x`,
      [
        place,
        name,
        to,
        JSON.stringify({ firstName: 'Ann', lastName: 'Gone', city: '', state: '', country: 'US', phone: '' }),
      ],
    );
    await portal.owner.query(
      `INSERT INTO users (id, organisation_id, identity_issuer, identity_subject, role, email, username, removed_at)
       SELECT gen_random_uuid(), $1, 'issuer', $2 || n, 'MSP_EMPLOYEE', $2 || n || '@Gone.example', $2 || n, ${gone}
       FROM generate_series(1, $3::int) n`,
      [place, name, to],
    );
  };
  await fill(organisationId, 'Quillfeather', 1_001);
  await fill(other, 'Quillfeather', 2);
  interface Page {
    data: { organization?: string; email?: string }[];
    meta: { total: number; page: number; pageSize: number };
  }
  const page = async (of: 'customers' | 'users', query: string) => {
    const { text } = await ask(owner.token, 'GET', `/privacy/former/${of}?search=quillfeather${query}`);
    const { data, meta } = JSON.parse(text) as Page;
    return [data.map(({ organization, email }) => organization ?? email), meta] as const;
  };
  const meta = (number: number, pageSize: number) => ({ total: 1_001, page: number, pageSize });
  const user = (number: number) => `Quillfeather${number}@Gone.example`;
  const customer = (number: number) => `Quillfeather ${number}`;
  expect(await page('customers', '&page=1&pageSize=2')).toEqual([
    [customer(1_001), customer(1_000)],
    meta(1, 2),
  ]);
  expect(await page('customers', '&page=11&pageSize=100')).toEqual([[customer(1)], meta(11, 100)]);
  expect(await page('customers', '&sort=deletedAt&page=1&pageSize=1')).toEqual([[customer(1)], meta(1, 1)]);
  expect(await page('users', '&page=1&pageSize=2')).toEqual([[user(1_001), user(1_000)], meta(1, 2)]);
  expect(await page('users', '&page=11&pageSize=100')).toEqual([[user(1)], meta(11, 100)]);
  expect(await page('users', '&sort=removedAt&page=1&pageSize=1')).toEqual([[user(1)], meta(1, 1)]);
  // By words in any order and by a part of an address; who was erased is found by none.
  const found = async (of: 'customers' | 'users', search: string) =>
    (
      await act<{ customerId?: string; userId?: string; organization?: string; email?: string }[]>(
        owner.token,
        'GET',
        `/privacy/former/${of}?search=${encodeURIComponent(search)}`,
      )
    ).map(({ customerId, userId, ...row }) => ({
      id: customerId ?? userId,
      name: row.organization ?? row.email,
    }));
  const [oldCustomer, oldUser] = [
    await found('customers', 'GONE quillfeather1@ '),
    await found('users', 'feather1@g'),
  ];
  expect([oldCustomer, oldUser]).toMatchObject([[{ name: customer(1) }], [{ name: user(1) }]]);
  await act(owner.token, 'POST', `/privacy/customer/${oldCustomer[0]?.id}/erasure`);
  await act(owner.token, 'POST', `/privacy/user/${oldUser[0]?.id}/erasure`);
  expect(await found('customers', 'quillfeather1@')).toEqual([]);
  expect(await found('customers', 'erased customer')).toEqual([]);
  expect(await found('users', 'feather1@g')).toEqual([]);
  // Who is there is in neither list.
  expect(await found('users', 'boss@northwind.example')).toEqual([]);
});
