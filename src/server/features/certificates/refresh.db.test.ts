import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../../../tests/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { attemptsOf, runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import {
  certificateRow,
  customerRow,
  itemRow,
  newName,
  orderRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { AppError } from '../../../contracts/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder } from '../../ports/registrar.ts';
import { findById, recordCertificateOrder, updateCertificate } from './certificates.repo.ts';
import { createRefresh } from './refresh.ts';

/** What a reading of the registrar, a stand-in here, changes of a certificate, and what it wakes. */

const now = new Date();
const clock = { now: () => now };
let database: TestDatabase;
let organisationId: string;
const registrar = {
  certificateOrder: vi.fn(),
  seekCertificateOrder: vi.fn(),
  certificate: vi.fn(async (_orderId: string): Promise<unknown> => null),
};
const setProof = vi.fn(async (_proof: { value: string; instead: string | null }) => 'set' as const);
const txt = vi.fn(async (_name: string): Promise<string[]> => []);

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.clearAllMocks();
  txt.mockResolvedValue([]);
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const { refresh } = {
  refresh: (certificateId: string) =>
    createRefresh({
      ...{ db: database.db, clock, setProof, registrar: registrar as never },
      resolver: { txt, cname: async () => [] } as never,
    }).refresh({ organisationId, certificateId }),
};
const read = async (certificateId: string) => {
  const row = await tenant((tx) => findById(tx, { organisationId, certificateId }));
  if (!row) throw new Error(`no certificate ${certificateId}`);
  return row;
};
const order = (orderId: string, change: Partial<CertificateOrder> = {}): CertificateOrder => ({
  ...{ orderId, domain: 'a.com', productType: 'product', state: 'awaiting-approval', productId: null },
  ...{ approverEmail: null, validation: null, tag: null, orderedAt: now, notes: [] },
  ...change,
});
async function waiting(change: Parameters<typeof certificateRow>[2] = {}) {
  const orderId = newId();
  const itemId = await itemRow(database, {
    organisationId,
    orderId: await orderRow(database, organisationId),
  });
  const row = {
    registrar_order_id: orderId,
    order_item_id: itemId,
    ordered_at: now,
    state: 'awaiting-approval',
  };
  return { id: await certificateRow(database, organisationId, { ...row, ...change }), orderId, itemId };
}

test.each([
  ['declined', true, true],
  ['cancelled', true, false],
  ['in-progress', false, false],
])('an order that is %s: paid back %s, told %s', async (state, paidBack, told) => {
  const { id, orderId, itemId } = await waiting();
  registrar.certificateOrder.mockResolvedValue(order(orderId, { state }));
  await refresh(id);
  expect((await read(id)).state).toBe(state);
  const jobs = await takeJobs(database.url);
  const refunds = jobs.filter(({ task }) => task === 'orders.refund-certificate');
  expect(refunds.map(({ payload }) => payload)).toEqual(
    paidBack ? [{ organisationId, itemId, reason: `the order was ${state}` }] : [],
  );
  expect(jobs.some(({ task }) => task === 'certificates.letters')).toBe(told);
});

test('a reading that fails is counted, and nobody is told that the certificate was looked at', async () => {
  const { id, orderId } = await waiting();
  registrar.certificateOrder.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
  await refresh(id).catch(() => undefined);
  expect(await read(id)).toMatchObject({ sync_failures: 1, synced_at: null });
  registrar.certificateOrder.mockRejectedValueOnce(new UpstreamUnavailable('no answer'));
  await refresh(id).catch(() => undefined);
  expect(await read(id)).toMatchObject({ sync_failures: 2, synced_at: null });
  registrar.certificateOrder.mockResolvedValue(order(orderId));
  await refresh(id);
  expect(await read(id)).toMatchObject({ sync_failures: 0, synced_at: now });
});

test('a new proof takes the place of the one before at the same name; the same one replaces nothing', async () => {
  const { id, orderId } = await waiting();
  const proof = (dnsValue: string) => ({
    ...{ method: 'DNS' as const, dnsName: '_proof.a.com', dnsType: 'TXT' as const, dnsValue },
    ...{ filePath: null, fileContent: null },
  });
  for (const value of ['first', 'first', 'second']) {
    registrar.certificateOrder.mockResolvedValue(order(orderId, { validation: proof(value) }));
    await refresh(id);
  }
  expect(setProof.mock.calls.map(([{ value, instead }]) => [value, instead])).toEqual([
    ['first', null],
    ['first', null],
    ['second', 'first'],
  ]);
  expect(await read(id)).toMatchObject({ proof_state: 'set', validation_method: 'DNS' });
});

test('a proof whose zone did not answer before the certificate was issued is written soon after, and looked for', async () => {
  const { id, orderId } = await waiting();
  const proof = {
    ...{ method: 'DNS' as const, dnsName: '_proof.a.com', dnsType: 'TXT' as const, dnsValue: 'value' },
    ...{ filePath: null, fileContent: null },
  };
  const silent = () => setProof.mockRejectedValueOnce(new AppError('upstream_unavailable'));
  silent();
  registrar.certificateOrder.mockResolvedValue(order(orderId, { validation: proof }));
  await refresh(id);
  registrar.certificateOrder.mockResolvedValue(order(orderId, { state: 'completed' }));
  registrar.certificate.mockResolvedValue({
    ...{
      certificatePem: makeCertificate('a.com').certificatePem,
      chainPem: [],
      serial: '0a',
      state: 'active',
    },
    ...{ notBefore: now, notAfter: new Date(now.getTime() + 86_400_000 * 90) },
  });
  await refresh(id);
  const soon = new Date(now.getTime() + 4_000);
  expect(await read(id)).toMatchObject({ state: 'completed', proof_state: null, next_sync_at: soon });
  await refresh(id);
  expect(await read(id)).toMatchObject({ proof_state: 'set', proof: { dnsValue: 'value' } });
  // Where the zone stays silent, what DNS says is known: it ends either way.
  await tenant((tx) => updateCertificate(tx, { organisationId, certificateId: id }, { proof_state: null }));
  silent();
  await refresh(id);
  const later = new Date(now.getTime() + 6 * 3_600_000);
  expect(await read(id)).toMatchObject({ proof_state: 'missing', next_sync_at: later });
});

test('what was issued is kept with the order that issued it; what is revoked later is that one', async () => {
  const { id, orderId } = await waiting();
  const leaf = makeCertificate('a.com');
  registrar.certificateOrder.mockResolvedValue(order(orderId, { state: 'completed' }));
  const issued = (made: TestCertificate, serial: string) => ({
    ...{ certificatePem: made.certificatePem, chainPem: [], serial, state: 'active' },
    ...{ notBefore: now, notAfter: new Date(now.getTime() + 86_400_000 * 90) },
  });
  registrar.certificate.mockResolvedValue(issued(leaf, '01'));
  await refresh(id);
  const inSixHours = new Date(now.getTime() + 6 * 3_600_000);
  expect(await read(id)).toMatchObject({
    ...{ state: 'completed', serial: '01', issued_order_id: orderId },
    // Its next look is that of a certificate in use.
    ...{ synced_at: now, sync_failures: 0, next_sync_at: inSixHours },
  });
  const reissue = newId();
  await tenant((tx) =>
    tx
      .insertInto('certificate_reissues')
      .values({
        ...{ id: newId(), organisation_id: organisationId, certificate_id: id, csr: 'csr', state: 'running' },
        ...{ registrar_order_id: reissue, automatic: true, remark: null, ended_at: null, created_at: now },
      })
      .execute(),
  );
  registrar.certificateOrder.mockResolvedValue(order(reissue, { state: 'completed' }));
  registrar.certificate.mockImplementation(async (wanted) =>
    wanted === reissue ? issued(makeCertificate('a.com'), '02') : issued(leaf, '01'),
  );
  await refresh(id);
  expect(await read(id)).toMatchObject({ serial: '02', issued_order_id: reissue, host_names: ['a.com'] });
  // From here on it is the certificate in use that is looked at, not the one of the first order.
  await refresh(id);
  expect(registrar.certificate).toHaveBeenLastCalledWith(reissue);
  expect(await read(id)).toMatchObject({ serial: '02', issued_order_id: reissue });
});

const issuedAs = (serial: string, state = 'active') => ({
  ...{ certificatePem: makeCertificate('a.com').certificatePem, chainPem: [], serial, state },
  ...{ notBefore: now, notAfter: new Date(now.getTime() + 86_400_000 * 90) },
});

test('who downloaded the certificate before has not downloaded the one that took its place', async () => {
  const { id } = await waiting({ state: 'completed', serial: '01', downloaded_at: now, remark: 'Late' });
  registrar.certificate.mockResolvedValue(issuedAs('01'));
  await refresh(id);
  expect(await read(id)).toMatchObject({ downloaded_at: now, remark: 'Late' });
  registrar.certificate.mockResolvedValue(issuedAs('02'));
  await refresh(id);
  expect(await read(id)).toMatchObject({ serial: '02', downloaded_at: null, remark: null });
});

test('a certificate that was revoked stays revoked since then, however often it is looked at', async () => {
  const since = new Date(now.getTime() - 86_400_000);
  const { id } = await waiting({ state: 'completed', serial: '01', revoked_at: since });
  registrar.certificate.mockResolvedValue(issuedAs('01', 'revoked'));
  await refresh(id);
  expect(await read(id)).toMatchObject({ state: 'revoked', revoked_at: since });
});

test('a new certificate is told once: looking at it again is no news', async () => {
  const { id } = await waiting({ state: 'completed', serial: '01' });
  const told = () =>
    tenant((tx) =>
      tx
        .selectFrom('certificate_notices')
        .select(['kind', 'serial'])
        .where('certificate_id', '=', id)
        .execute(),
    );
  registrar.certificate.mockResolvedValue(issuedAs('01'));
  await refresh(id);
  expect(await told()).toEqual([]);
  registrar.certificate.mockResolvedValue(issuedAs('02'));
  for (let time = 0; time < 2; time += 1) await refresh(id);
  expect(await told()).toEqual([{ kind: 'reissued', serial: '02' }]);
});

const access = (of: { id: string; customerId: string; userId: string; revokedAt?: Date }) =>
  tenant((tx) =>
    tx
      .insertInto('acme_accesses')
      .values({
        ...{ id: of.id, organisation_id: organisationId, customer_id: of.customerId, name: 'web' },
        ...{ key_id: of.id, hmac_sealed: Buffer.from('sealed'), hosts: null, product_type: 'rapidssl' },
        ...{ made_by: of.userId, by_customer: false, revoked_at: of.revokedAt ?? null, expires_at: null },
      })
      .execute(),
  );

test('what a machine asked for is told to nobody while its access works, and what a person asked for is', async () => {
  const userId = await userRow(database, organisationId);
  const customerId = await customerRow(database, organisationId);
  const [works, ended] = [newId(), newId()];
  await access({ id: works, customerId, userId });
  await access({ id: ended, customerId, userId, revokedAt: now });
  for (const [acme_access_id, told] of [
    [works, false],
    [ended, true],
    [null, true],
  ] as const) {
    const { id } = await waiting({ state: 'completed', serial: '01', acme_access_id });
    registrar.certificate.mockResolvedValue(issuedAs('02'));
    await refresh(id);
    const jobs = await takeJobs(database.url);
    expect(jobs.some(({ task }) => task === 'certificates.letters')).toBe(told);
  }
});

describe('an order that was paid', () => {
  const at = new Date('2026-11-22T12:00:00Z');
  async function recorded(change: Partial<Parameters<typeof recordCertificateOrder>[1]> = {}) {
    const [address, registrarOrderId] = [newName(), newId()];
    const orderItemId = await itemRow(database, {
      organisationId,
      orderId: await orderRow(database, organisationId),
    });
    const order = {
      ...{ organisationId, customerId: null, address, provider: 'RapidSSL', productType: 'rapidssl' },
      ...{ csr: 'CSR', validation: 'DNS', approverEmail: null, contacts: {}, registrarOrderId, years: 1 },
      ...{ state: 'awaiting-approval', orderItemId, acmeAccessId: null, renewsOrderId: null, now: at },
    };
    await tenant((tx) => recordCertificateOrder(tx, { ...order, ...change }));
    const row = await tenant((tx) =>
      tx.selectFrom('certificates').selectAll().where('address', '=', address).executeTakeFirstOrThrow(),
    );
    return { ...row, looksAt: await runsAt(database.url, `certificate:${row.id}`), orderItemId };
  }

  test('is kept as it was ordered, and looked at now, a few times', async () => {
    const customerId = await customerRow(database, organisationId);
    const contacts = { admin: { organization: 'Acme Ltd' } };
    const row = await recorded({ customerId, approverEmail: 'it@a.com', validation: 'Email', contacts });
    expect(row).toMatchObject({
      ...{ customer_id: customerId, provider: 'RapidSSL', product_type: 'rapidssl', csr: 'CSR', contacts },
      ...{ validation_method: 'Email', approver_email: 'it@a.com', state: 'awaiting-approval' },
      ...{ registrar_order_id: row.issued_order_id, order_item_id: row.orderItemId, ordered_at: at },
      ...{ auto_reissue: true, acme_access_id: null, next_sync_at: at, looksAt: at, serial: null },
    });
    expect(await attemptsOf(database.url, 'certificates.sync')).toEqual([5]);
  });

  test('by a machine is looked at by the ACME server first, and reissued by its machine alone', async () => {
    const [acmeAccessId, userId] = [newId(), await userRow(database, organisationId)];
    const customerId = await customerRow(database, organisationId);
    await access({ id: acmeAccessId, customerId, userId });
    const later = new Date(at.getTime() + 4_000);
    expect(await recorded({ acmeAccessId, customerId })).toMatchObject({
      ...{ acme_access_id: acmeAccessId, auto_reissue: false, next_sync_at: later, looksAt: later },
    });
  });

  test('ends as many years later as were paid, with what is left of the term that it renews', async () => {
    const days = (count: number) => new Date(at.getTime() + count * 86_400_000);
    const ends = async (change: object) => (await recorded(change)).term_ends_at?.toISOString().slice(0, 10);
    expect([await ends({}), await ends({ years: 3 })]).toEqual(['2027-11-22', '2029-11-22']);
    const [renewed, other] = [newId(), newId()];
    await certificateRow(database, organisationId, { registrar_order_id: renewed, term_ends_at: days(9) });
    await certificateRow(database, organisationId, { registrar_order_id: other, term_ends_at: days(20) });
    expect(await ends({ renewsOrderId: renewed })).toBe('2027-12-01');
    expect(await ends({ renewsOrderId: newId() })).toBe('2027-11-22');
  });
});

describe('the proof of a certificate in use', () => {
  const kept = {
    ...{ method: 'DNS' as const, dnsName: '_proof.a.com', dnsType: 'TXT' as const, dnsValue: 'Value' },
    ...{ filePath: null, fileContent: null },
  };
  const used = (change: Parameters<typeof certificateRow>[2] = {}) =>
    waiting({
      ...{ state: 'completed', serial: '01', proof: JSON.stringify(kept), proof_state: 'set' as const },
      ...change,
    });

  test.each([
    ['set', ['other', 'value'], 'set'],
    ['present', ['value'], 'present'],
    ['missing', ['value'], 'present'],
    ['set', ['other'], 'missing'],
    ['present', [], 'missing'],
  ] as const)(
    'that was %s and is seen as %j is %s, and nothing is written',
    async (proof_state, seen, after) => {
      const { id } = await used({ proof_state });
      registrar.certificate.mockResolvedValue(issuedAs('01'));
      txt.mockResolvedValue([...seen]);
      await refresh(id);
      expect(txt.mock.calls).toEqual([['_proof.a.com']]);
      expect(await read(id)).toMatchObject({ proof_state: after, proof_checked_at: now });
      expect(setProof).not.toHaveBeenCalled();
    },
  );

  test('is not looked for where it is none of DNS', async () => {
    const { id } = await used({ proof: JSON.stringify({ ...kept, method: 'File' }), proof_state: null });
    registrar.certificate.mockResolvedValue(issuedAs('01'));
    await refresh(id);
    expect(txt).not.toHaveBeenCalled();
    expect(await read(id)).toMatchObject({ proof_state: null, proof_checked_at: null });
  });
});

describe('an order that is read', () => {
  test('has what the registrar says of it: its state, its last words and who approves', async () => {
    const { id, orderId } = await waiting({ approver_email: 'old@a.com' });
    const notes = ['first', 'last'].map((text) => ({ at: null, text }));
    const said = { state: 'in-progress', notes, approverEmail: 'new@a.com' };
    registrar.certificateOrder.mockResolvedValue(order(orderId, said));
    await refresh(id);
    expect(registrar.certificateOrder.mock.calls).toEqual([[orderId]]);
    expect(await read(id)).toMatchObject({
      ...{ state: 'in-progress', remark: 'last', approver_email: 'new@a.com' },
    });
    registrar.certificateOrder.mockResolvedValue(order(orderId, { state: 'pending', approverEmail: null }));
    await refresh(id);
    expect(await read(id)).toMatchObject({ state: 'pending', remark: null, approver_email: 'new@a.com' });
  });

  test('is proven while it waits, and no longer', async () => {
    const validation = {
      ...{ method: 'DNS' as const, dnsName: '_proof.a.com', dnsType: 'TXT' as const, dnsValue: 'value' },
      ...{ filePath: null, fileContent: null },
    };
    const { id, orderId } = await waiting();
    registrar.certificateOrder.mockResolvedValue(order(orderId, { validation, state: 'in-progress' }));
    await refresh(id);
    expect(setProof).not.toHaveBeenCalled();
    expect(await read(id)).toMatchObject({ proof: validation, proof_state: null });
    // What it said before counts while it says nothing.
    registrar.certificateOrder.mockResolvedValue(order(orderId, { validation: null }));
    await refresh(id);
    expect(setProof).toHaveBeenCalledOnce();
    expect(await read(id)).toMatchObject({ proof: validation, proof_state: 'set' });
  });

  test.each([
    ['awaiting-approval', 4_000],
    ['completed', null],
  ])('and is %s wakes itself when it is due within the hour: %s', async (state, ms) => {
    const { id, orderId } = await waiting();
    registrar.certificateOrder.mockResolvedValue(order(orderId, { state }));
    registrar.certificate.mockResolvedValue(issuedAs('01'));
    await refresh(id);
    const wakes = ms === null ? null : new Date(now.getTime() + ms);
    expect(await runsAt(database.url, `certificate:${id}`)).toEqual(wakes);
  });

  test('has of a refusal only that it was not read; a mistake of ours is none of the registrar’s', async () => {
    const { id } = await waiting();
    registrar.certificateOrder.mockRejectedValueOnce(new UpstreamRefused('other', '400', 'no'));
    await refresh(id);
    expect(await read(id)).toMatchObject({ sync_failures: 1, state: 'awaiting-approval' });
    registrar.certificateOrder.mockRejectedValueOnce(new Error('mistake'));
    await expect(refresh(id)).rejects.toThrow('mistake');
    expect(await read(id)).toMatchObject({ sync_failures: 1 });
  });

  test('that the registrar does not know stays as it is', async () => {
    const { id } = await waiting({ remark: 'Before' });
    registrar.certificateOrder.mockResolvedValue(null);
    await refresh(id);
    expect(await read(id)).toMatchObject({ state: 'awaiting-approval', remark: 'Before', sync_failures: 0 });
  });
});

test('what was issued is kept whole: its dates, its chain in one text, and the term in its light', async () => {
  const { id, orderId } = await waiting({
    ...{ ordered_at: new Date('2025-12-01T12:00:00Z'), term_ends_at: new Date('2026-12-20T12:00:00Z') },
  });
  const leaf = makeCertificate('a.com', { serial: Buffer.from('0abc', 'hex') });
  // To the day that was paid: the authority has added nothing to the term.
  const dates = { notBefore: now, notAfter: new Date('2026-12-01T23:59:59Z') };
  registrar.certificateOrder.mockResolvedValue(order(orderId, { state: 'completed' }));
  registrar.certificate.mockResolvedValue({
    ...{ certificatePem: leaf.certificatePem, chainPem: ['upper', 'root'], serial: null, state: 'active' },
    ...dates,
  });
  await refresh(id);
  expect(await read(id)).toMatchObject({
    ...{ serial: '0abc', certificate_pem: leaf.certificatePem, chain_pem: 'upperroot' },
    ...{ valid_from: now, valid_to: dates.notAfter, term_ends_at: dates.notAfter },
  });
});
