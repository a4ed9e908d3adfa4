import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { newId } from '#kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import { newRequestKeys, requestFor } from '../../../../tests/support/acme-request.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { makeCertificate, type TestCertificate } from '../../../../tests/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { testLeases } from '../../../../tests/support/zone-registrar.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { createAct, createCertificateActs } from './certificate-acts.ts';
import { createCertificateReading } from './certificate-reading.ts';
import { findByOrder } from './certificates.repo.ts';
import { createCertificates } from './certificates.service.ts';
import { insertIssue } from './reissues.repo.ts';

/** Each act on a certificate in whole: what the registrar gets, what is replied, and what the log says of it. */

const clock = { now: () => new Date('2026-11-22T12:00:00Z') };
const done = { kind: 'done', value: undefined } as const;
let database: TestDatabase;
let scope: Scope;
let customerId: string;
const registrar = {
  setCertificateValidation: vi.fn(async (..._given: unknown[]) => done),
  resendApproval: vi.fn(async (..._given: unknown[]) => done),
  cancelCertificateOrder: vi.fn(async (..._given: unknown[]) => done),
};
const refresh = vi.fn(async (_place: unknown) => undefined);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  customerId = await customerRow(database, organisationId);
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  vi.clearAllMocks();
});

function acts() {
  const deps = {
    ...{ db: database.db, clock, registrar: registrar as never, leases: testLeases(database) },
    pricing: { list: async () => [] } as never,
  };
  const reading = createCertificateReading(deps, refresh);
  const reissue = () => Promise.reject(new Error('not asked'));
  return createCertificateActs(deps, createAct(deps, { required: reading.required, refresh }), {
    ...{ ...reading, refresh, reissue },
  });
}
async function certificate(change: Parameters<typeof certificateRow>[2]) {
  const orderId = newId();
  const issued = { address: 'a.com', customer_id: customerId, registrar_order_id: orderId, serial: '0A1B' };
  const order = { ...issued, issued_order_id: orderId, ordered_at: clock.now() };
  const id = await certificateRow(database, scope.organisationId, { ...order, ...change });
  return { orderId, place: { organisationId: scope.organisationId, certificateId: id } };
}
/** What a mock was given, without the claim under which it is made. */
const given = (mock: { mock: { calls: unknown[][] } }) =>
  mock.mock.calls.map((call) => [
    call.slice(0, -1),
    typeof (call.at(-1) as { holdsForMs?: unknown }).holdsForMs,
  ]);

async function expectEntry(action: AuditAction, before: object, after: object) {
  expect(await logged(database.db, scope, action)).toEqual([
    { by: scope.userId, kind: 'certificate', object: 'a.com', before, after },
  ]);
  expect(await loggedAbout(database.db, scope, action)).toEqual([customerId]);
}

test.each([
  ['DNS', undefined],
  ['Email', 'admin@a.com'],
] as const)(
  'a proof of control by %s is chosen at the registrar, and the certificate is read again',
  async (method, approverEmail) => {
    const { orderId, place } = await certificate({ state: 'awaiting-approval' });
    const detail = await acts().setProof(scope, orderId, { method, approverEmail });
    expect(detail).toMatchObject({ orderId, address: 'a.com' });
    expect(given(registrar.setCertificateValidation)).toEqual([
      [[orderId, method, approverEmail], 'function'],
    ]);
    expect(refresh.mock.calls).toEqual([[place]]);
    const after = { order: orderId, method, ...(approverEmail ? { approver: approverEmail } : {}) };
    await expectEntry('certificates.setProof', { state: 'awaiting-approval' }, after);
  },
);

test('an approval is asked for again', async () => {
  const { orderId, place } = await certificate({ state: 'awaiting-approval' });
  expect(await acts().resendApproval(scope, orderId)).toEqual({});
  expect(given(registrar.resendApproval)).toEqual([[[orderId], 'function']]);
  expect(refresh.mock.calls).toEqual([[place]]);
  await expectEntry('certificates.resendApproval', { state: 'awaiting-approval' }, { order: orderId });
});

test('an order is cancelled under its own number', async () => {
  const { orderId, place } = await certificate({ state: 'in-progress' });
  expect(await acts().cancel(scope, orderId)).toMatchObject({ orderId });
  expect(given(registrar.cancelCertificateOrder)).toEqual([[[orderId], 'function']]);
  expect(refresh.mock.calls).toEqual([[place]]);
  await expectEntry('certificates.cancel', { state: 'in-progress' }, { order: orderId, state: 'cancelled' });
});

test('what was issued is revoked under the number that it was issued under, and the log keeps its serial', async () => {
  const { orderId, place } = await certificate({ state: 'completed', issued_order_id: 'reissue-1' });
  expect(await acts().revoke(scope, orderId, ' A.com ')).toMatchObject({ orderId });
  expect(given(registrar.cancelCertificateOrder)).toEqual([[['reissue-1'], 'function']]);
  expect(refresh.mock.calls).toEqual([[place]]);
  const after = { order: orderId, state: 'revoked', serial: '0A1B' };
  await expectEntry('certificates.revoke', { state: 'completed' }, after);
});

test('a certificate that was issued before its number was kept is revoked under the number of its order', async () => {
  const { orderId } = await certificate({ state: 'completed', issued_order_id: null });
  await acts().revoke(scope, orderId, 'a.com');
  expect(given(registrar.cancelCertificateOrder)).toEqual([[[orderId], 'function']]);
});

test('automatic reissues are switched of this certificate alone', async () => {
  const { orderId } = await certificate({ auto_reissue: true });
  const other = await certificate({ auto_reissue: true, address: 'b.com' });
  expect(await acts().setAutoReissue(scope, orderId, false)).toMatchObject({ orderId, autoReissue: false });
  await expectEntry('certificates.setAutoReissue', { autoReissue: true }, { autoReissue: false });
  const kept = await within(database, scope.organisationId, (tx) =>
    tx
      .selectFrom('certificates')
      .select('auto_reissue')
      .where('registrar_order_id', '=', other.orderId)
      .executeTakeFirst(),
  );
  expect(kept).toEqual({ auto_reissue: true });
});

test.each([
  ['cancel', 'completed', 'You can cancel an order only before it is complete.'],
  ['cancel', 'cancelled', 'You can cancel an order only before it is complete.'],
  ['revoke', 'in-progress', 'You can revoke only a certificate that has been issued.'],
  ['revoke', 'revoked', 'You can revoke only a certificate that has been issued.'],
  ['resendApproval', 'completed', 'This certificate is not waiting for approval.'],
] as const)('to %s one that is %s is refused in words, and nothing is sent', async (name, state, message) => {
  const { orderId } = await certificate({ state });
  const does = acts();
  const refused = name === 'revoke' ? does.revoke(scope, orderId, 'a.com') : does[name](scope, orderId);
  await expect(refused).rejects.toMatchObject({ code: 'unprocessable', message });
  for (const mock of Object.values(registrar)) expect(mock).not.toHaveBeenCalled();
  expect(await logged(database.db, scope, `certificates.${name}`)).toEqual([]);
});

test.each([
  [{ kind: 'refused', reason: 'invalid', code: '465', text: 'No' }, 'registrar_refused', 'No'],
  [{ kind: 'busy', code: '300', text: 'Later' }, 'upstream_unavailable', expect.stringContaining('is busy')],
])('what the registrar does not do (%j) is told, and not in the log', async (outcome, code, message) => {
  const { orderId } = await certificate({ state: 'awaiting-approval' });
  for (const mock of Object.values(registrar)) mock.mockResolvedValueOnce(outcome as never);
  registrar.cancelCertificateOrder.mockResolvedValueOnce(outcome as never);
  const issued = await certificate({ state: 'completed' });
  const does = acts();
  for (const [action, act] of [
    ['certificates.setProof', () => does.setProof(scope, orderId, { method: 'DNS' })],
    ['certificates.resendApproval', () => does.resendApproval(scope, orderId)],
    ['certificates.cancel', () => does.cancel(scope, orderId)],
    ['certificates.revoke', () => does.revoke(scope, issued.orderId, 'a.com')],
  ] as const) {
    await expect(act(), action).rejects.toMatchObject({ code, message });
    expect(await logged(database.db, scope, action), action).toEqual([]);
  }
  expect(refresh).not.toHaveBeenCalled();
});

test('an act waits for the one before it on the same certificate, and for no other', async () => {
  const [mine, other] = [
    await certificate({ state: 'in-progress' }),
    await certificate({ state: 'in-progress' }),
  ];
  const [first, reached] = [Promise.withResolvers<typeof done>(), Promise.withResolvers<void>()];
  registrar.cancelCertificateOrder.mockImplementationOnce(() => {
    reached.resolve();
    return first.promise;
  });
  const does = acts();
  const held = does.cancel(scope, mine.orderId);
  await reached.promise;
  const ended: string[] = [];
  const second = does.cancel(scope, mine.orderId).finally(() => ended.push('second'));
  await does.cancel(scope, other.orderId);
  expect(registrar.cancelCertificateOrder.mock.calls.map(([id]) => id)).toEqual([
    mine.orderId,
    other.orderId,
  ]);
  expect(ended).toEqual([]);
  first.resolve(done);
  await held;
  await second.catch(() => undefined);
});

describe('what is read of one certificate', () => {
  const chain = [makeCertificate('Root', { authority: true })];
  const leaf = makeCertificate('a.com', { issuer: chain[0] as TestCertificate });
  const pems = { certificate_pem: leaf.certificatePem, chain_pem: '' };
  const approverEmails = vi.fn(async (..._of: unknown[]) => ['admin@a.com']);
  const certificates = () =>
    createCertificates({
      ...{ db: database.db, systemDb: database.systemDb, clock, leases: testLeases(database), actMs: 60_000 },
      ...{ registrar: { approverEmails }, publicUrl: 'https://portal.test' },
      customers: {
        requireVisible: async (_tx: unknown, { reach }: Scope, id: string) => {
          if (reach.kind !== 'organisation' || id !== customerId) throw new AppError('not_found');
        },
      },
    } as never);
  const theirs = () => ({ ...scope, reach: { kind: 'customers', ids: [newId()] } }) as unknown as Scope;
  const downloadedAt = async (orderId: string) =>
    within(database, scope.organisationId, async (tx) => {
      const row = await findByOrder(tx, scope, orderId);
      return row?.downloaded_at;
    });

  test('a file is handed on under the name of the host, and the download is noted of it alone', async () => {
    const [{ orderId }, other] = [await certificate(pems), await certificate({ ...pems, address: 'b.com' })];
    const { content, name, type } = await certificates().file(scope, orderId, 'certificate.pem');
    expect([name, type]).toEqual(['a.com-certificate.pem', 'application/x-pem-file']);
    expect(String(content)).toBe(leaf.certificatePem);
    expect([await downloadedAt(orderId), await downloadedAt(other.orderId)]).toEqual([clock.now(), null]);
    const wild = await certificate({ ...pems, address: '*.a.com' });
    expect(await certificates().file(scope, wild.orderId, 'bundle.p7b')).toMatchObject({
      ...{ name: 'wildcard.a.com-bundle.p7b', type: 'application/x-pkcs7-certificates' },
    });
  });

  test('no file is there before it is issued, nor of a certificate out of reach, and nothing is noted', async () => {
    const open = await certificate({ state: 'in-progress', certificate_pem: null });
    await expect(certificates().file(scope, open.orderId, 'chain.pem')).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'The certificate is not issued yet.' },
    });
    const { orderId } = await certificate(pems);
    await expect(certificates().file(theirs(), orderId, 'chain.pem')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect([await downloadedAt(open.orderId), await downloadedAt(orderId)]).toEqual([null, null]);
  });

  test('the mailboxes that may approve are asked for by its name and product', async () => {
    const { orderId } = await certificate({ product_type: 'rapidssl' });
    expect(await certificates().approvers(scope, orderId)).toEqual(['admin@a.com']);
    expect(approverEmails.mock.calls).toEqual([['a.com', 'rapidssl']]);
    await expect(certificates().approvers(theirs(), orderId)).rejects.toMatchObject({ code: 'not_found' });
    approverEmails.mockRejectedValueOnce(new UpstreamUnavailable('x'));
    await expect(certificates().approvers(scope, orderId)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });

  test("a customer's list has theirs alone, and asks first whether the customer is in reach", async () => {
    const { orderId } = await certificate({});
    await certificate({ customer_id: await customerRow(database, scope.organisationId) });
    const { rows, total } = await certificates().listForCustomer(scope, customerId, { pageSize: 9 });
    expect([rows.map((row) => row.orderId), total]).toEqual([[orderId], 1]);
    await expect(certificates().listForCustomer(theirs(), customerId, { pageSize: 9 })).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    );
    expect(await certificates().bands(scope)).toEqual({ attention: 0, valid: 2, open: 0, ended: 0 });
  });

  test('says whether its product is a wildcard, and what was issued, the one that ends last first', async () => {
    const pricing = { list: async () => [{ productType: 'wild', wildcard: true }] } as never;
    const { detail } = createCertificateReading({ db: database.db, clock, pricing }, refresh);
    const { orderId, place } = await certificate({ product_type: 'wild' });
    for (const [serial, days] of [
      ['01', 2],
      ['02', 9],
      ['03', 5],
    ] as const) {
      const notAfter = new Date(clock.now().getTime() + days * 86_400_000);
      const issued = { notBefore: clock.now(), notAfter, certificatePem: 'PEM' } as never;
      await within(database, scope.organisationId, (tx) =>
        insertIssue(tx, place, { serial, issued, orderId, now: clock.now() }),
      );
    }
    const shown = await detail(scope, orderId);
    expect([shown.wildcard, shown.issues.map(({ serial }) => serial)]).toEqual([true, ['02', '03', '01']]);
    expect((await detail(scope, (await certificate({ product_type: 'plain' })).orderId)).wildcard).toBe(
      false,
    );
    await expect(detail(theirs(), orderId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each([
    [1_999, 0],
    [2_000, 1],
  ])('one in progress that was read %i ms ago is asked about again: %i times', async (ms, asked) => {
    const { watch } = createCertificateReading(
      { db: database.db, clock, pricing: { list: async () => [] } as never },
      refresh,
    );
    const synced_at = new Date(clock.now().getTime() - ms);
    await watch(scope, (await certificate({ state: 'in-progress', synced_at })).orderId);
    expect(refresh).toHaveBeenCalledTimes(asked);
  });
});

test('a reissue with a request for another name is refused at its field, and nothing is intended', async () => {
  const { orderId } = await certificate({ state: 'completed' });
  const der = Buffer.from(await requestFor(['b.com'], await newRequestKeys()), 'base64url');
  await expect(acts().reissue(scope, orderId, der.toString('base64'))).rejects.toMatchObject({
    ...{
      code: 'validation_failed',
      details: [{ path: 'csr', message: expect.stringContaining('is for b.com') }],
    },
  });
  expect(await logged(database.db, scope, 'certificates.reissue')).toEqual([]);
});
