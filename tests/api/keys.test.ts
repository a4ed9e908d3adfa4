import { expect, test } from 'vitest';
import type { KeyUse } from '../../src/contracts/operations/operator.ts';
import { audit } from '../../src/server/kernel/audit.ts';
import { inTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { operate } from './support/operate.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { insert, type Organisation, seedOrganisation } from './support/world.ts';

const [old, fresh] = ['1:the-key-of-years-ago-and-long', '2:the-key-of-today-which-is-longer'];
const openedBy = (text: string) => {
  const [number = '', secret = ''] = text.split(':');
  return createSeal([{ number: Number(number), secret }]);
};

/** One value in each place where any is kept sealed, under the old key, as each feature seals it. */
async function sealedWorld(
  portal: Portal,
): Promise<Record<'item' | 'hold' | 'invite' | 'access', string> & { a: Organisation }> {
  const a = await seedOrganisation(portal, 'kk');
  const { owner } = portal;
  for (const table of ['invites', 'audit_heads', 'legal_holds', 'audit_log', 'subject_keys'])
    await owner.query(`DELETE FROM ${table}`);
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}`, 'content-type': 'application/json' };
  const payload = JSON.stringify({ email: 'new@zqkk.example' });
  const invited = await portal.call({ method: 'POST', url: '/api/user/subuser', headers, payload });
  const invite = (JSON.parse(invited.body) as { data: { link: string } }).data.link;
  const actor = { organisationId: a.id, userId: a.userIds.MSP_OWNER, email: 'x@x.example', ip: null };
  const entry = {
    at: new Date(),
    action: 'users.change' as const,
    objectKind: 'thing',
    object: 'one',
    customerId: null,
  };
  await inTransaction(portal.stack.database.db, actor, (tx) => audit(tx, actor, entry));
  await portal.features.audit.keepHeads();
  const seal = openedBy(old);
  const { rows } = await owner.query('SELECT id FROM order_items WHERE address = $1', [
    a.customers[0].domain,
  ]);
  const item = String(rows[0].id);
  const secrets = seal.seal('{"username":"ann"}', `${a.id}:${item}`);
  await owner.query('UPDATE order_items SET secrets_sealed = $1 WHERE id = $2', [secrets, item]);
  await owner.query('UPDATE domains SET credentials_sealed = $1 WHERE address = $2', [
    secrets,
    a.customers[0].domain,
  ]);
  const hold = newId();
  const data_sealed = seal.seal('{"kept":true}', `legal-hold:${a.id}:${hold}`);
  const what = {
    id: hold,
    organisation_id: a.id,
    customer_id: a.customers[0].id,
    address: 'gone.com',
    data_sealed,
  };
  await insert(portal, 'legal_holds', {
    ...what,
    ended_at: new Date(),
    delete_after: new Date(Date.now() + 1e9),
  });
  await owner.query('UPDATE acme_accesses SET hmac_sealed = $1', [Buffer.alloc(0)]);
  const accesses = await owner.query('SELECT id FROM acme_accesses WHERE customer_id = $1', [
    a.customers[0].id,
  ]);
  const access = String(accesses.rows[0].id);
  await owner.query('UPDATE acme_accesses SET hmac_sealed = $1 WHERE id = $2', [
    ...[seal.seal(Buffer.from('a key').toString('base64url'), `acme-access:${a.id}:${access}`), access],
  ]);
  return { a, item, hold, invite, access };
}

test('everything that an old key sealed is moved to the newest, after which the old key may go; what no key opens is told', async () => {
  await using portal = await startPortal({ SEAL_KEYS: old });
  const { a, item, hold, invite, access } = await sealedWorld(portal);
  const both = await portal.withSettings({ SEAL_KEYS: `${fresh},${old}` });
  const use = async () => {
    const { text } = await operate(both.app, 'keys', '--json');
    const { places } = JSON.parse(text) as KeyUse;
    return places
      .flatMap(({ place, keys }) => keys.map(({ key, values }) => `${place} ${key} ${values}`))
      .toSorted();
  };
  const places = [
    'acme_accesses.hmac_sealed',
    'audit_heads.head_sealed',
    'domains.credentials_sealed',
    'invites.token_sealed',
  ];
  places.push('legal_holds.data_sealed', 'order_items.secrets_sealed', 'subject_keys.key');
  // A letter with a sealed text has its row too; it is sent, or not, with the key that it has.
  await portal.owner.query(
    `SELECT enqueue_job('mail.send', $1::json, NULL, now() + interval '1 hour', 25, NULL)`,
    [{ sealedText: openedBy(old).seal('Dear Ann', 'letter').toString('base64') }],
  );
  expect(await use()).toEqual([...places, 'letters that wait'].toSorted().map((place) => `${place} 1 1`));

  const moved = await operate(both.app, 'keys', 'reseal');
  expect([moved.code, moved.text]).toEqual([0, expect.stringContaining('7 values were resealed.')]);
  expect(await use()).toEqual([...places.map((place) => `${place} 2 1`), 'letters that wait 1 1'].toSorted());
  expect((await operate(both.app, 'keys', 'reseal')).text).toContain('0 values were resealed.');

  // The old key is gone: all of it opens as before.
  const { app, features } = await portal.withSettings({ SEAL_KEYS: fresh });
  const headers = { authorization: `Bearer ${a.tokens.MSP_OWNER}` };
  const get = async (url: string) =>
    (JSON.parse((await app.inject({ method: 'GET', url: `/api${url}`, headers })).body) as { data: unknown })
      .data;
  const [invited] = (await get('/user/invites')) as { inviteId: string }[];
  expect(await get(`/user/subuser/invite/${invited?.inviteId}/link`)).toEqual({ link: invite });
  expect(await get('/audit/verification')).toMatchObject({ broken: null });
  // The invitation is the one person that the log speaks of.
  const entries = (await get('/audit?action=users.invite')) as { after: unknown }[];
  expect(entries.map(({ after }) => after)).toEqual([expect.objectContaining({ email: 'new@zqkk.example' })]);
  expect(await get('/privacy/hold/gone.com')).toMatchObject([{ data: { kept: true }, fault: null }]);
  const { rows } = await portal.owner.query<{ sealed: Buffer }>(
    `SELECT secrets_sealed AS sealed FROM order_items WHERE id = $1
     UNION ALL SELECT credentials_sealed FROM domains WHERE address = $2`,
    [item, a.customers[0].domain],
  );
  expect(rows.map(({ sealed }) => openedBy(fresh).open(sealed, `${a.id}:${item}`))).toEqual(
    Array(2).fill('{"username":"ann"}'),
  );

  expect((await features.acmeAccesses.findById(access))?.hmacKey().toString()).toBe('a key');
  await portal.owner.query('UPDATE legal_holds SET data_sealed = set_byte(data_sealed, 1, 9) WHERE id = $1', [
    hold,
  ]);
  const lost = await operate(both.app, 'keys', 'reseal');
  expect([lost.code, lost.text]).toEqual([
    1,
    expect.stringContaining('NOT READABLE  1 of legal_holds.data_sealed'),
  ]);
});
