import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../../../tests/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
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
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { CertificateOrder } from '../../ports/registrar.ts';
import { findById, recordCertificateOrder, updateCertificate } from './certificates.repo.ts';
import { createRefresh } from './refresh.ts';
import { createReissue } from './reissue.ts';

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

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.clearAllMocks();
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const { refresh } = {
  refresh: (certificateId: string) =>
    createRefresh({
      ...{ db: database.db, clock, setProof, registrar: registrar as never },
      resolver: { txt: async () => [], cname: async () => [] } as never,
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

test('what a machine asked for is told to nobody while its access works, and what a person asked for is', async () => {
  const userId = await userRow(database, organisationId);
  const customerId = await customerRow(database, organisationId);
  const [works, ended] = [newId(), newId()];
  for (const [id, revoked_at] of [
    [works, null],
    [ended, now],
  ] as const) {
    await tenant((tx) =>
      tx
        .insertInto('acme_accesses')
        .values({
          ...{ id, organisation_id: organisationId, customer_id: customerId, name: 'web', key_id: id },
          ...{ hmac_sealed: Buffer.from('sealed'), hosts: null, product_type: 'rapidssl', made_by: userId },
          ...{ by_customer: false, revoked_at, expires_at: null },
        })
        .execute(),
    );
  }
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

test('a term ends as many years after the order as were paid', async () => {
  const address = newName();
  const orderItemId = await itemRow(database, {
    organisationId,
    orderId: await orderRow(database, organisationId),
  });
  await tenant((tx) =>
    recordCertificateOrder(tx, {
      ...{ organisationId, customerId: null, address, provider: 'p', productType: 'product', csr: 'csr' },
      ...{ validation: 'DNS', approverEmail: null, contacts: {}, registrarOrderId: newId(), years: 3 },
      ...{
        state: 'awaiting-approval',
        orderItemId,
        acmeAccessId: null,
        renewsOrderId: null,
        now: new Date('2026-11-22T12:00:00Z'),
      },
    }),
  );
  const row = await tenant((tx) =>
    tx.selectFrom('certificates').selectAll().where('address', '=', address).executeTakeFirstOrThrow(),
  );
  expect(row.term_ends_at).toEqual(new Date('2029-11-22T12:00:00Z'));
});

test('a reissue that the registrar will not take now is declined: a job goes on, a person is told', async () => {
  const busy = { kind: 'busy' as const, text: 'Later', code: '300' };
  const reissue = createReissue({
    ...{ db: database.db, clock: { now: () => new Date() }, actMs: 60_000 },
    registrar: { orderCertificate: async () => busy },
  });
  const contacts = JSON.stringify(contactsOf());
  const term = { term_ends_at: new Date(now.getTime() + 86_400_000), contacts, state: 'completed' };
  const [mine, theirs] = [await waiting(term), await waiting(term)];
  expect(await reissue(await read(mine.id), { csr: 'csr', automatic: true })).toBe('declined');
  await expect(reissue(await read(theirs.id), { csr: 'csr', automatic: false })).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
});

test('a reissue that cannot be asked for leaves no intent', async () => {
  const orderCertificate = vi.fn();
  const reissue = createReissue({
    ...{ db: database.db, clock: { now: () => new Date() }, actMs: 60_000 },
    registrar: { orderCertificate },
  });
  const term = { term_ends_at: new Date(now.getTime() + 86_400_000), contacts: null, state: 'completed' };
  const { id } = await waiting(term);
  await expect(reissue(await read(id), { csr: 'csr', automatic: false })).rejects.toMatchObject({
    ...{ code: 'unprocessable', message: expect.stringContaining('no contacts') },
  });
  expect(orderCertificate).not.toHaveBeenCalled();
  expect(await read(id)).toMatchObject({ reissueState: null });
});
