import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  itemRow,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import {
  type CertificateBand,
  listCustomerCertificates,
} from '../../../contracts/operations/certificates.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/scope.ts';
import { countBands, listCertificates } from './certificates.repo.ts';
import { insertReissue } from './reissues.repo.ts';

/** Each certificate is in one band of the list, and the band of those that need somebody is what their flags say. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
type Change = NonNullable<Parameters<typeof certificateRow>[2]>;
const scopeOf = (organisationId: string, customerId?: string) =>
  ({
    organisationId,
    reach: customerId ? { kind: 'customers', ids: [customerId] } : { kind: 'organisation' },
  }) as unknown as Scope;

/** In order: in force for long, its proof by DNS, and reissued by the portal. */
const sound = {
  state: 'completed',
  validation_method: 'DNS',
  proof_state: 'present' as const,
  auto_reissue: true,
  ordered_at: inDays(-1),
  ...{ valid_from: inDays(-60), valid_to: inDays(130), term_ends_at: inDays(300) },
};

/** By an access that works, was revoked, or is over; made with its certificate. */
const accesses = { works: newId(), revoked: newId(), over: newId() };
const byMachine = (access: keyof typeof accesses) => ({
  ...{ acme_access_id: accesses[access], auto_reissue: false },
});

/** What differs from a sound one, and where it belongs. */
const cases: Record<string, [change: Change, band: CertificateBand]> = {
  sound: [{}, 'valid'],
  'a machine renews it': [
    { ...byMachine('works'), valid_to: inDays(10.1), term_ends_at: inDays(11) },
    'valid',
  ],
  'a machine is late': [{ ...byMachine('works'), valid_to: inDays(10) }, 'attention'],
  'a machine renews it, whose proof is written again': [
    { ...byMachine('works'), proof_state: 'missing' },
    'valid',
  ],
  'its access was revoked': [{ ...byMachine('revoked'), valid_to: inDays(30) }, 'attention'],
  'its access has ended': [{ ...byMachine('over'), valid_to: inDays(30) }, 'attention'],
  'without dates yet': [{ valid_from: null, valid_to: null, term_ends_at: null }, 'valid'],
  'its term ends in 60 days': [{ valid_to: inDays(60), term_ends_at: inDays(60) }, 'attention'],
  'its term ends in 61 days': [{ valid_to: inDays(61), term_ends_at: inDays(61) }, 'valid'],
  'reissued by itself in good time': [{ valid_to: inDays(14.1) }, 'valid'],
  'not reissued by itself in time': [{ valid_to: inDays(14) }, 'attention'],
  'a person reissues it, 30 days': [{ valid_to: inDays(30), auto_reissue: false }, 'attention'],
  'a person reissues it, 31 days': [{ valid_to: inDays(30.1), auto_reissue: false }, 'valid'],
  'the last of its term': [{ valid_to: inDays(80), term_ends_at: inDays(80.5) }, 'valid'],
  'its proof is gone': [{ proof_state: 'missing' }, 'attention'],
  'its proof is gone and no longer needed': [
    { proof_state: 'missing', valid_to: inDays(130), term_ends_at: inDays(130) },
    'valid',
  ],
  'a file proves it': [{ validation_method: 'File', proof_state: 'missing' }, 'valid'],
  'shorter the next time': [{ valid_from: new Date('2026-03-01'), valid_to: inDays(200) }, 'attention'],
  'approved by mail for too long': [
    {
      ...{ validation_method: 'Email', proof_state: null },
      ...{ valid_from: new Date('2027-06-01'), valid_to: new Date('2028-05-01') },
      term_ends_at: new Date('2029-05-01'),
    },
    'attention',
  ],
  'ran out a moment ago': [{ valid_to: now }, 'attention'],
  expired: [{ state: 'expired', valid_to: inDays(-9) }, 'attention'],
  'waits for a record': [{ state: 'awaiting-approval', proof_state: 'missing' }, 'attention'],
  'waits for the authority': [{ state: 'awaiting-approval', proof_state: 'present' }, 'open'],
  'waits for a mail': [
    { state: 'awaiting-approval', validation_method: 'Email', proof_state: 'missing' },
    'open',
  ],
  'waits for a mail since two days': [
    {
      ...{ state: 'awaiting-approval', validation_method: 'Email', proof_state: null },
      ordered_at: inDays(-2),
    },
    'open',
  ],
  'waits for a mail for longer': [
    {
      ...{ state: 'awaiting-approval', validation_method: 'Email', proof_state: null },
      ordered_at: inDays(-2.001),
    },
    'attention',
  ],
  'waits for the authority for longer': [
    { state: 'awaiting-approval', proof_state: 'present', ordered_at: inDays(-3) },
    'attention',
  ],
  'in progress for long': [{ state: 'in-progress', valid_to: null, ordered_at: inDays(-9) }, 'open'],
  ordered: [{ state: 'pending', valid_from: null, valid_to: null }, 'open'],
  'in progress': [{ state: 'in-progress', proof_state: 'missing', valid_to: null }, 'open'],
  revoked: [{ state: 'revoked' }, 'ended'],
  cancelled: [{ state: 'cancelled', valid_to: null }, 'ended'],
  declined: [{ state: 'declined', valid_to: null }, 'ended'],
};

async function makeAccesses(organisationId: string): Promise<void> {
  const [customerId, userId] = [
    await customerRow(database, organisationId),
    await userRow(database, organisationId),
  ];
  const ends = { works: inDays(1), revoked: null, over: now };
  for (const [name, id] of Object.entries(accesses)) {
    await within(database, organisationId, (tx) =>
      tx
        .insertInto('acme_accesses')
        .values({
          ...{ id, organisation_id: organisationId, customer_id: customerId, name, key_id: id },
          ...{ hmac_sealed: Buffer.from('sealed'), hosts: null, product_type: 'rapidssl', made_by: userId },
          ...{ by_customer: false, revoked_at: name === 'revoked' ? now : null },
          expires_at: ends[name as keyof typeof accesses],
        })
        .execute(),
    );
  }
}

const list = (organisationId: string, query: object = {}) =>
  within(database, organisationId, (tx) =>
    listCertificates(tx, scopeOf(organisationId), { pageSize: 100, ...query }, now),
  );
const count = (organisationId: string, customerId?: string) =>
  within(database, organisationId, (tx) => countBands(tx, scopeOf(organisationId, customerId), now));

test('each certificate is in one band, those with a flag in the first, and the figures are those of the lists', async () => {
  const organisationId = await organisationRow(database);
  await makeAccesses(organisationId);
  const named = new Map<string, string>();
  for (const [name, [change]] of Object.entries(cases)) {
    named.set(await certificateRow(database, organisationId, { ...sound, ...change }), name);
  }
  const found: Record<string, CertificateBand> = {};
  const counts: Record<string, number> = {};
  for (const band of ['attention', 'valid', 'open', 'ended'] as const) {
    const { rows, total } = await list(organisationId, { band });
    counts[band] = total;
    for (const { certificateId, flags } of rows) {
      const name = named.get(certificateId) ?? '';
      expect(found[name], name).toBeUndefined();
      found[name] = band;
      expect(flags.length > 0, name).toBe(band === 'attention');
    }
  }
  expect(found).toEqual(Object.fromEntries(Object.entries(cases).map(([name, [, band]]) => [name, band])));
  expect(await count(organisationId)).toEqual(counts);
  const flagged = await list(organisationId, { flagged: 'true' });
  expect(flagged.total).toBe(counts.attention);
});

test('a reissue that waits for a person needs one; one that the portal makes does not until it is late', async () => {
  const organisationId = await organisationRow(database);
  const [byHand, itself, late, last] = [
    await certificateRow(database, organisationId, { ...sound, auto_reissue: false }),
    await certificateRow(database, organisationId, { ...sound, valid_to: inDays(14.1) }),
    await certificateRow(database, organisationId, { ...sound, valid_to: inDays(14) }),
    await certificateRow(database, organisationId, {
      ...sound,
      valid_to: inDays(70),
      term_ends_at: inDays(70),
    }),
  ];
  for (const certificateId of [byHand, itself, late, last]) {
    const id = newId();
    await within(database, organisationId, async (tx) => {
      const place = { organisationId, certificateId };
      await insertReissue(tx, { now: () => now } as Clock, place, { id, csr: 'csr', automatic: false });
      await tx.updateTable('certificate_reissues').set({ state: 'running' }).where('id', '=', id).execute();
    });
  }
  const { rows } = await list(organisationId, { band: 'attention' });
  expect(new Set(rows.map(({ certificateId }) => certificateId))).toEqual(new Set([byHand, late]));
  for (const { certificateId, flags } of rows) expect(flags, certificateId).toHaveLength(1);
});

test('a certificate that takes its place takes the call away; the figures are those of one’s own customer and organization', async () => {
  const organisationId = await organisationRow(database);
  const customer_id = await customerRow(database, organisationId);
  const same = { ...sound, address: 'renewed.com', host_names: ['renewed.com', 'www.renewed.com'] };
  await certificateRow(database, organisationId, { ...same, state: 'expired', ordered_at: inDays(-400) });
  await certificateRow(database, organisationId, { ...same, ordered_at: now });
  await certificateRow(database, organisationId, { ...sound, customer_id, proof_state: 'missing' });
  expect(await count(organisationId)).toEqual({ attention: 1, valid: 1, open: 0, ended: 1 });
  expect(await count(organisationId, customer_id)).toEqual({ attention: 1, valid: 0, open: 0, ended: 0 });
  const other = await organisationRow(database);
  expect(await count(other)).toEqual({ attention: 0, valid: 0, open: 0, ended: 0 });
});

test('the certificates of one customer are listed and counted by band, however many there are', async () => {
  const organisationId = await organisationRow(database);
  const customer_id = await customerRow(database, organisationId);
  for (let at = 0; at < 3; at += 1) {
    await certificateRow(database, organisationId, { ...sound, customer_id, state: 'revoked' });
  }
  const calling = { ...sound, customer_id, state: 'awaiting-approval', proof_state: 'missing' as const };
  await certificateRow(database, organisationId, { ...calling, valid_to: null });
  await certificateRow(database, organisationId, { ...calling, customer_id: null });
  const asked = listCustomerCertificates.query.parse({ band: 'attention', page: '1', pageSize: '1' });
  const { rows, total } = await list(organisationId, { ...asked, customerId: customer_id });
  expect([rows.length, total]).toEqual([1, 1]);
});

describe('the list', () => {
  const addresses = async (organisationId: string, query: object, scope = scopeOf(organisationId)) => {
    const { rows, total } = await within(database, organisationId, (tx) =>
      listCertificates(tx, scope, { pageSize: 2, ...query }, now),
    );
    return [rows.map(({ address }) => address).join(' '), total];
  };
  /** No two of the orders are the same. `d` was not issued. */
  async function four() {
    const organisationId = await organisationRow(database);
    const owner = JSON.stringify({ ...contactsOf().owner, organization: 'Zeta' });
    const customer_id = await customerRow(database, organisationId, { owner });
    const rows: Change[] = [
      { address: 'a.com', state: 'completed', ordered_at: inDays(-3), valid_to: inDays(9), customer_id },
      { address: 'b.com', state: 'cancelled', ordered_at: inDays(-1), valid_to: inDays(8), serial: '0a1b' },
      { address: 'c.com', state: 'revoked', ordered_at: inDays(-4), valid_to: inDays(7) },
      { address: 'd_1.com', state: 'declined', ordered_at: inDays(-2), valid_to: null },
    ];
    for (const [at, row] of rows.entries()) {
      const term_ends_at = row.valid_to ? inDays([20, 40, 30][at] ?? 0) : null;
      await certificateRow(database, organisationId, { ...row, term_ends_at });
    }
    await certificateRow(database, await organisationRow(database), { address: 'theirs.com' });
    return { organisationId, customer_id };
  }

  test.each([
    [undefined, 'b.com d_1.com a.com c.com'],
    ['orderedAt', 'c.com a.com d_1.com b.com'],
    ['-orderedAt', 'b.com d_1.com a.com c.com'],
    ['address', 'a.com b.com c.com d_1.com'],
    ['-address', 'd_1.com c.com b.com a.com'],
    ['state', 'b.com a.com d_1.com c.com'],
    ['validTo', 'c.com b.com a.com d_1.com'],
    ['-validTo', 'a.com b.com c.com d_1.com'],
    ['termEndsAt', 'a.com c.com b.com d_1.com'],
    ['-termEndsAt', 'b.com c.com a.com d_1.com'],
  ])('sorted by %s has what has no date last: %s', async (sort, expected) => {
    const { organisationId } = await four();
    expect(await addresses(organisationId, { sort })).toEqual([expected, 4]);
  });

  test('comes in pages, those of the same moment in one order, and counts all of them', async () => {
    const { organisationId } = await four();
    expect(await addresses(organisationId, { page: 1 })).toEqual(['b.com d_1.com', 4]);
    expect(await addresses(organisationId, { page: 2 })).toEqual(['a.com c.com', 4]);
    expect(await addresses(organisationId, { page: 3 })).toEqual(['', 4]);
    const same = await organisationRow(database);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push(await certificateRow(database, same, sound));
    const { rows } = await list(same, { sort: 'orderedAt' });
    expect(rows.map(({ certificateId }) => certificateId)).toEqual(ids.sort().reverse());
  });

  test('is searched by name and by serial, however they are typed', async () => {
    const { organisationId } = await four();
    const found = (search: string) => addresses(organisationId, { search });
    expect(await found(' B.Co ')).toEqual(['b.com', 1]);
    expect(await found('0A1B')).toEqual(['b.com', 1]);
    expect(await found('_1')).toEqual(['d_1.com', 1]);
    expect(await found('zeta')).toEqual(['', 0]);
    expect((await found(' '))[1]).toBe(4);
  });

  test("has of a customer's own user theirs alone, and names the customer", async () => {
    const { organisationId, customer_id } = await four();
    const scope = scopeOf(organisationId, customer_id);
    expect(await addresses(organisationId, {}, scope)).toEqual(['a.com', 1]);
    expect(await addresses(organisationId, { customerId: customer_id })).toEqual(['a.com', 1]);
    const { rows } = await list(organisationId, { sort: 'address' });
    expect(rows.map(({ customer }) => customer)).toEqual(['Zeta', '', '', '']);
  });
});

/** Ends soon, with its term. */
const ending = {
  ...{ ...sound, address: 'acme.com', host_names: ['mail.acme.com'], registrar_order_id: '70' },
  ...{ valid_to: inDays(20), term_ends_at: inDays(20), ordered_at: inDays(-300) },
};
const calls = async (organisationId: string, id: string) =>
  (await list(organisationId, { band: 'attention' })).rows.some(({ certificateId }) => certificateId === id);

test('another host’s certificate of the same address silences nothing', async () => {
  const organisationId = await organisationRow(database);
  const mail = await certificateRow(database, organisationId, ending);
  const www = { ...sound, address: 'acme.com', host_names: ['www.acme.com', 'acme.com'], ordered_at: now };
  await certificateRow(database, organisationId, www);
  expect(await calls(organisationId, mail)).toBe(true);
  await certificateRow(database, organisationId, { ...www, host_names: ['mail.acme.com'] });
  expect(await calls(organisationId, mail)).toBe(false);
});

test.each<[string, { ordered?: number; change?: Change; renews?: string }, boolean]>([
  ['under way since a day', {}, false],
  ['in progress since a day', { change: { state: 'in-progress' } }, false],
  ['under way since two days', { ordered: -2 }, false],
  ['not approved for longer', { ordered: -2.001 }, true],
  ['declined', { change: { state: 'declined' } }, true],
  ['of another order', { renews: '71' }, true],
  ['of another address', { change: { address: 'other.com' } }, true],
])(
  'a renewal %s keeps what it renews from calling, or does not',
  async (_what, { ordered = -1, change, renews = '70' }, told) => {
    const organisationId = await organisationRow(database);
    const old = await certificateRow(database, organisationId, ending);
    const details = JSON.stringify({ certificate: { renewsOrderId: renews } });
    const order_item_id = await itemRow(
      database,
      { organisationId, orderId: await orderRow(database, organisationId) },
      { kind: 'certificate', address: 'acme.com', state: 'succeeded', details },
    );
    const renewal = { state: 'awaiting-approval', validation_method: 'Email', address: 'acme.com' };
    await certificateRow(database, organisationId, {
      ...{ ...renewal, ordered_at: inDays(ordered), order_item_id },
      ...change,
    });
    expect(await calls(organisationId, old)).toBe(told);
    const { rows } = await list(organisationId);
    const flags = rows.find(({ certificateId }) => certificateId === old)?.flags ?? [];
    expect(flags.length > 0).toBe(told);
  },
);

test('a renewal that was ordered when there was no time to wait for it silences nothing', async () => {
  const organisationId = await organisationRow(database);
  const details = JSON.stringify({ certificate: { renewsOrderId: '70' } });
  const order_item_id = await itemRow(
    database,
    { organisationId, orderId: await orderRow(database, organisationId) },
    { kind: 'certificate', address: 'acme.com', state: 'succeeded', details },
  );
  const renewal = { state: 'pending', address: 'acme.com', ordered_at: inDays(-1), order_item_id };
  await certificateRow(database, organisationId, renewal);
  const late = { ...ending, valid_to: inDays(1), term_ends_at: inDays(1) };
  const old = await certificateRow(database, organisationId, late);
  expect(await calls(organisationId, old)).toBe(true);
  const { rows } = await list(organisationId);
  expect(rows.find(({ certificateId }) => certificateId === old)?.flags).toMatchObject([
    { kind: 'term', text: expect.stringContaining('A renewal is in progress.') },
  ]);
  await within(database, organisationId, (tx) =>
    tx
      .updateTable('certificates')
      .set({ valid_to: inDays(1.001) })
      .where('id', '=', old)
      .execute(),
  );
  expect(await calls(organisationId, old)).toBe(false);
});
