import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeCertificate } from '../../../../tests/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { findById } from './certificates.repo.ts';
import { createMachineCertificates } from './machine.ts';
import { eraseFromCertificates } from './privacy.repo.ts';
import { createRefresh } from './refresh.ts';
import { createReissue } from './reissue.ts';
import { insertIssue, insertReissue } from './reissues.repo.ts';

/** What becomes of a certificate whose reissue is open, by what a stand-in of the registrar says of both. */

const now = new Date();
const in_ = (days: number) => new Date(now.getTime() + days * 86_400_000);
let at = now;
const clock = { now: () => at };
let database: TestDatabase;
let organisationId: string;
let customerId: string;
/** By the order at the registrar. */
let states: Map<string, string>;
let issued: Map<string, object>;
const seek = vi.fn(async (_wanted: object): Promise<object> => ({ kind: 'absent' }));
const certificateAt = vi.fn(async (orderId: string): Promise<object | null> => issued.get(orderId) ?? null);
const setProof = vi.fn(async () => 'set' as const);

beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
  customerId = await customerRow(database, organisationId);
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.clearAllMocks();
  seek.mockResolvedValue({ kind: 'absent' });
  orderAt.mockImplementation(async (orderId) => orderOf(orderId));
  [states, issued, at] = [new Map(), new Map(), now];
  await takeJobs(database.url);
});

const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const place = (certificateId: string) => ({ organisationId, certificateId });
const proof = {
  ...{ method: 'DNS' as const, dnsName: '_dnsauth.a.com', dnsType: 'TXT' as const, dnsValue: 'proof' },
  ...{ filePath: null, fileContent: null },
};
const orderOf = (orderId: string) => ({
  ...{ orderId, domain: 'a.com', productType: 'product', state: states.get(orderId), productId: null },
  ...{ approverEmail: null, validation: proof, tag: null, orderedAt: now, notes: [] },
});
const orderAt = vi.fn(async (orderId: string): Promise<object | null> => orderOf(orderId));
const registrar = { certificate: certificateAt, certificateOrder: orderAt, seekCertificateOrder: seek };
const refresh = (certificateId: string) =>
  createRefresh({
    ...{ db: database.db, clock, setProof, registrar: registrar as never },
    resolver: { txt: async () => [], cname: async () => [] } as never,
  }).refresh(place(certificateId));
const read = async (certificateId: string) => {
  const row = await tenant((tx) => findById(tx, place(certificateId)));
  if (!row) throw new Error(`no certificate ${certificateId}`);
  return row;
};
const issueOf = (serial: string, state = 'active') => ({
  ...{ certificatePem: makeCertificate('a.com').certificatePem, chainPem: [], serial, state },
  ...{ notBefore: in_(-1), notAfter: in_(90) },
});
function issue(orderId: string, serial: string): void {
  states.set(orderId, 'completed');
  issued.set(orderId, issueOf(serial));
}

type Change = Parameters<typeof certificateRow>[2];

/** In use since a while, with a key and a proof of its own. */
async function certificate(change: Change = {}) {
  const base = newId();
  const id = await certificateRow(database, organisationId, {
    ...{ registrar_order_id: base, issued_order_id: base, ordered_at: in_(-9), csr: 'old', serial: '01' },
    ...{ valid_to: in_(90), term_ends_at: in_(200), contacts: JSON.stringify(contactsOf()) },
    ...{ customer_id: customerId, auto_reissue: true, ...change },
  });
  const first = { issued: issueOf('01') as never, serial: '01', orderId: base, now };
  await tenant((tx) => insertIssue(tx, place(id), first));
  return { id, base };
}

/** The same, while the registrar has the order of its reissue. */
async function reissuing(change: Change = {}, accessId?: string) {
  const { id, base } = await certificate(change);
  const [reissueId, orderId] = [newId(), newId()];
  states.set(orderId, 'awaiting-approval');
  await tenant(async (tx) => {
    await insertReissue(tx, clock, place(id), { id: reissueId, csr: 'new', automatic: false, accessId });
    await tx
      .updateTable('certificate_reissues')
      .set({ state: 'running', registrar_order_id: orderId })
      .where('id', '=', reissueId)
      .execute();
  });
  return { id, base, reissueId, orderId };
}

/** Of the order nobody has heard: its answer was lost. */
async function unanswered() {
  const { id } = await certificate();
  const reissueId = newId();
  await tenant(async (tx) => {
    await insertReissue(tx, clock, place(id), { id: reissueId, csr: 'new', automatic: false });
    await tx
      .updateTable('certificate_reissues')
      .set({ state: 'unknown' })
      .where('id', '=', reissueId)
      .execute();
  });
  return { id, reissueId };
}
const reissueOf = (reissueId: string) =>
  tenant((tx) =>
    tx.selectFrom('certificate_reissues').selectAll().where('id', '=', reissueId).executeTakeFirstOrThrow(),
  );
const alerts = async () =>
  (await takeJobs(database.url))
    .filter(({ task }) => task === 'operator.alert')
    .map(({ payload }) => payload);
const dayMs = 86_400_000;
const later = (ms: number) => new Date(now.getTime() + ms);

async function access(revokedAt: Date | null = null): Promise<string> {
  const [id, userId] = [newId(), await userRow(database, organisationId)];
  await tenant((tx) =>
    tx
      .insertInto('acme_accesses')
      .values({
        ...{ id, organisation_id: organisationId, customer_id: customerId, name: 'web', key_id: id },
        ...{ hmac_sealed: Buffer.from('sealed'), hosts: null, product_type: 'rapidssl', made_by: userId },
        ...{ by_customer: false, revoked_at: revokedAt, expires_at: null },
      })
      .execute(),
  );
  return id;
}

test.each([
  { state: 'completed' },
  { state: 'expired', valid_to: in_(-1) },
  { state: 'revoked', revoked_at: now },
])(
  'of a certificate that is $state it is followed: the proof is written, and the new certificate takes its place',
  async (change) => {
    const { id, orderId } = await reissuing(change);
    await refresh(id);
    expect(setProof).toHaveBeenCalledOnce();
    expect(await read(id)).toMatchObject({
      state: change.state,
      reissueState: 'running',
      proof_state: 'set',
    });
    issue(orderId, '02');
    await refresh(id);
    expect(await read(id)).toMatchObject({
      ...{ state: 'completed', serial: '02', issued_order_id: orderId, valid_to: in_(90), revoked_at: null },
      ...{ reissueState: null, next_sync_at: in_(0.25) },
    });
  },
);

test('the certificate that was revoked while its reissue was open stays known as revoked, since then', async () => {
  const { id, base, orderId } = await reissuing();
  issued.set(base, issueOf('01', 'revoked'));
  for (let looks = 0; looks < 2; looks += 1) await refresh(id);
  expect(await read(id)).toMatchObject({ state: 'revoked', revoked_at: now, reissueState: 'running' });
  issue(orderId, '02');
  await refresh(id);
  expect(await read(id)).toMatchObject({ state: 'completed', serial: '02', revoked_at: null });
  const issues = await tenant((tx) =>
    tx
      .selectFrom('certificate_issues')
      .select(['serial', 'revoked_at'])
      .where('certificate_id', '=', id)
      .orderBy('serial')
      .execute(),
  );
  expect(issues).toEqual([
    { serial: '01', revoked_at: now },
    { serial: '02', revoked_at: null },
  ]);
});

test('a certificate has its new request, and the machine that asked for it, from the moment it is issued', async () => {
  const accessId = await access();
  const before = { csr: 'old', acme_access_id: null, auto_reissue: true };
  const [mine, refused, byPerson] = [
    await reissuing({}, accessId),
    await reissuing({}, accessId),
    await reissuing(),
  ];
  for (const { id } of [mine, refused, byPerson]) {
    await refresh(id);
    expect(await read(id)).toMatchObject(before);
  }
  states.set(refused.orderId, 'declined');
  issue(mine.orderId, '02');
  issue(byPerson.orderId, '02');
  for (const { id } of [mine, refused, byPerson]) await refresh(id);
  expect(await read(refused.id)).toMatchObject({ ...before, reissueState: null, serial: '01' });
  expect(await read(mine.id)).toMatchObject({ csr: 'new', acme_access_id: accessId, auto_reissue: false });
  expect(await read(byPerson.id)).toMatchObject({ ...before, csr: 'new', serial: '02' });
});

test('a machine whose reissue the registrar refuses gets nothing of a person’s certificate', async () => {
  const { id } = await certificate();
  const accessId = await access();
  const reissue = createReissue({
    ...{ db: database.db, clock: { now: () => new Date() }, actMs: 60_000 },
    registrar: {
      orderCertificate: async () => ({ kind: 'refused', reason: 'other', text: 'No', code: '465' }) as never,
    },
  });
  const machine = createMachineCertificates({ db: database.db, clock, reissue } as never);
  const intended = vi.fn(async () => undefined);
  await machine.reissue(place(id), { csr: 'of the machine', accessId, intended });
  expect(intended).toHaveBeenCalledOnce();
  expect(await read(id)).toMatchObject({
    ...{ csr: 'old', acme_access_id: null, auto_reissue: true, reissueState: null },
  });
  const tried = await tenant((tx) =>
    tx.selectFrom('certificate_reissues').selectAll().where('certificate_id', '=', id).execute(),
  );
  expect(tried).toMatchObject([{ state: 'declined', csr: 'of the machine', acme_access_id: accessId }]);
});

test('people hear of a new certificate that no machine will install', async () => {
  const [working, ended] = [await access(), await access(now)];
  for (const [told, of, accessId] of [
    [false, {}, working],
    [true, {}, ended],
    [true, { acme_access_id: working }, undefined],
  ] as const) {
    const { id, orderId } = await reissuing(of, accessId);
    issue(orderId, '02');
    await refresh(id);
    const jobs = await takeJobs(database.url);
    expect(jobs.some(({ task }) => task === 'certificates.letters')).toBe(told);
  }
});

test('a reissue that the registrar declines ends with its words; one that it charges for is told to operators, once', async () => {
  const [refused, charged, free] = [await reissuing(), await reissuing(), await reissuing()];
  const notes = [{ at: null, text: 'No such name' }];
  const costs = new Map([
    [charged.orderId, 1_200],
    [free.orderId, 0],
  ]);
  states.set(refused.orderId, 'cancelled');
  orderAt.mockImplementation(async (orderId) => ({
    ...{ ...orderOf(orderId), notes, approverEmail: 'it@a.com', costCents: costs.get(orderId) ?? null },
  }));
  for (const { id } of [refused, charged, free, charged]) await refresh(id);
  expect(await reissueOf(refused.reissueId)).toMatchObject({
    ...{ state: 'declined', remark: 'No such name', ended_at: now },
  });
  expect(await read(refused.id)).toMatchObject({ approver_email: null, proof_state: null, serial: '01' });
  expect(await reissueOf(charged.reissueId)).toMatchObject({ state: 'running', remark: 'No such name' });
  expect(await read(charged.id)).toMatchObject({ approver_email: 'it@a.com', proof_state: 'set' });
  const text = `The reissue ${charged.orderId} for a.com is priced at 1200 cents; it should be free.`;
  expect(await alerts()).toEqual([{ kind: 'reissue charged', text }]);
});

const otherProcess = (id: string, serial: string) =>
  tenant((tx) =>
    tx
      .updateTable('certificates')
      .set({ serial, state: 'completed', revoked_at: null })
      .where('id', '=', id)
      .execute(),
  );

test('what is read of a certificate says nothing of the one that takes its place meanwhile', async () => {
  const { id } = await certificate();
  certificateAt.mockImplementationOnce(async () => {
    await otherProcess(id, '02');
    return issueOf('01', 'revoked');
  });
  await refresh(id);
  expect(await read(id)).toMatchObject({ state: 'completed', serial: '02', revoked_at: null });
});

test('a reissue that another process completes meanwhile takes no place any more', async () => {
  const { id, reissueId, orderId } = await reissuing({ state: 'expired' });
  states.set(orderId, 'completed');
  certificateAt.mockImplementationOnce(async () => {
    await tenant((tx) =>
      tx
        .updateTable('certificate_reissues')
        .set({ state: 'completed' })
        .where('id', '=', reissueId)
        .execute(),
    );
    await otherProcess(id, '03');
    return issueOf('02');
  });
  await refresh(id);
  expect(await read(id)).toMatchObject({ state: 'completed', serial: '03', csr: 'old' });
});

test('a reissue of an erased customer is not followed: nothing of it comes back', async () => {
  const { id, orderId } = await reissuing();
  issue(orderId, '02');
  await tenant((tx) => eraseFromCertificates(tx, { organisationId }, customerId));
  await refresh(id);
  expect(await read(id)).toMatchObject({
    ...{ state: 'expired', serial: '01', csr: '', certificate_pem: null, reissueState: null },
  });
  expect(certificateAt).not.toHaveBeenCalled();
});

describe('a reissue of which the registrar shows no order', () => {
  test.each([
    [{ kind: 'untagged', orders: [{ orderId: '31' }, { orderId: '32' }] }, /may be its own: 31, 32\./],
    [{ kind: 'unreadable', text: 'two orders' }, /Not all orders of the name can be read/],
  ])(
    'ends after a day, operators hear of it, and another one can be asked for: %o',
    async (sought, reason) => {
      const { id, reissueId } = await unanswered();
      seek.mockResolvedValue(sought);
      at = later(dayMs - 1);
      await refresh(id);
      expect(await reissueOf(reissueId)).toMatchObject({ state: 'unknown', ended_at: null });
      expect(await alerts()).toEqual([]);
      at = later(dayMs);
      for (let looks = 0; looks < 2; looks += 1) await refresh(id);
      expect(await reissueOf(reissueId)).toMatchObject({
        ...{ state: 'declined', ended_at: at, registrar_order_id: null },
        remark: 'The registrar has not confirmed the request.',
      });
      const [alert, ...others] = await alerts();
      expect(alert).toMatchObject({ kind: 'reissue', text: expect.stringMatching(reason) });
      expect(alert?.text).toContain(reissueId);
      expect(others).toEqual([]);
      const again = { id: newId(), csr: 'again', automatic: false };
      await tenant((tx) => insertReissue(tx, clock, place(id), again));
      expect(await read(id)).toMatchObject({ reissueState: 'sending' });
    },
  );

  test('stays open while the registrar does not answer, however long that takes', async () => {
    const [lost, running] = [await unanswered(), await reissuing()];
    orderAt.mockRejectedValue(new UpstreamUnavailable('no answer'));
    seek.mockRejectedValue(new UpstreamUnavailable('no answer'));
    at = later(9 * dayMs);
    for (const { id } of [lost, running]) await refresh(id);
    expect(await reissueOf(lost.reissueId)).toMatchObject({ state: 'unknown' });
    expect(await reissueOf(running.reissueId)).toMatchObject({ state: 'running' });
    expect(await alerts()).toEqual([]);
  });

  test('that was never received ends after ten minutes, and is nobody’s matter', async () => {
    const { id, reissueId } = await unanswered();
    at = later(599_999);
    await refresh(id);
    expect(await reissueOf(reissueId)).toMatchObject({ state: 'unknown' });
    at = later(600_000);
    await refresh(id);
    expect(await reissueOf(reissueId)).toMatchObject({ state: 'declined', ended_at: at });
    expect(await alerts()).toEqual([]);
  });

  test('and had one ends when that has been gone for a day: the day begins with the last look that saw it', async () => {
    const { id, reissueId, orderId } = await reissuing();
    at = later(5 * dayMs);
    await refresh(id);
    expect(await read(id)).toMatchObject({ synced_at: at, sync_failures: 0 });
    orderAt.mockResolvedValue(null);
    for (const ms of [1, dayMs - 1]) {
      at = later(5 * dayMs + ms);
      await refresh(id);
      expect(await reissueOf(reissueId)).toMatchObject({ state: 'running', ended_at: null });
    }
    expect(await alerts()).toEqual([]);
    at = later(6 * dayMs);
    await refresh(id);
    const remark = `The registrar does not have order ${orderId} any more.`;
    expect(await reissueOf(reissueId)).toMatchObject({ state: 'declined', ended_at: at, remark });
    expect(await alerts()).toMatchObject([{ kind: 'reissue', text: expect.stringContaining(remark) }]);
    expect(await read(id)).toMatchObject({ reissueState: null, synced_at: at });
  });

  test('under its number is looked for by its tag, and goes on under the number that it has there', async () => {
    const { id, reissueId } = await reissuing();
    states.set('51', 'awaiting-approval');
    orderAt.mockResolvedValue(null);
    seek.mockResolvedValue({ kind: 'found', orders: [orderOf('51')] });
    at = later(2 * dayMs);
    await refresh(id);
    const { address } = await read(id);
    expect(seek.mock.calls).toEqual([[{ domain: address, tag: reissueId, since: later(-dayMs) }]]);
    expect(await reissueOf(reissueId)).toMatchObject({ state: 'running', registrar_order_id: '51' });
  });
});
