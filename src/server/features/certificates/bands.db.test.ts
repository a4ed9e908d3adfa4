import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import type { CertificateBand } from '../../../contracts/operations/certificates.ts';
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

test('a reissue that waits for a person needs one; one that the portal makes does not', async () => {
  const organisationId = await organisationRow(database);
  const [byHand, itself] = [
    await certificateRow(database, organisationId, { ...sound, auto_reissue: false }),
    await certificateRow(database, organisationId, sound),
  ];
  for (const certificateId of [byHand, itself]) {
    const id = newId();
    await within(database, organisationId, async (tx) => {
      const place = { organisationId, certificateId };
      await insertReissue(tx, { now: () => now } as Clock, place, { id, csr: 'csr', automatic: false });
      await tx.updateTable('certificate_reissues').set({ state: 'running' }).where('id', '=', id).execute();
    });
  }
  const { rows } = await list(organisationId, { band: 'attention' });
  expect(rows.map(({ certificateId }) => certificateId)).toEqual([byHand]);
});

test('a newer order takes the call away; the figures are those of one’s own customer and organization', async () => {
  const organisationId = await organisationRow(database);
  const customer_id = await customerRow(database, organisationId);
  const old = { ...sound, state: 'expired', address: 'renewed.com', ordered_at: inDays(-400) };
  await certificateRow(database, organisationId, old);
  await certificateRow(database, organisationId, { ...sound, address: 'renewed.com', ordered_at: now });
  await certificateRow(database, organisationId, { ...sound, customer_id, proof_state: 'missing' });
  expect(await count(organisationId)).toEqual({ attention: 1, valid: 1, open: 0, ended: 1 });
  expect(await count(organisationId, customer_id)).toEqual({ attention: 1, valid: 0, open: 0, ended: 0 });
  const other = await organisationRow(database);
  expect(await count(other)).toEqual({ attention: 0, valid: 0, open: 0, ended: 0 });
});
