import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { newId } from '#kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { testLeases } from '../../../../tests/support/zone-registrar.ts';
import { createAct, createCertificateActs } from './certificate-acts.ts';
import { createCertificateReading } from './certificate-reading.ts';

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
