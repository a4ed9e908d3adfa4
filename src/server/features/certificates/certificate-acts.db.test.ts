import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newRequestKeys, requestFor } from '../../../../tests/support/acme-request.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { contactsOf } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  organisationRow,
  userRow,
  within,
} from '../../../../tests/support/rows.ts';
import { testLeases } from '../../../../tests/support/zone-registrar.ts';
import type { AuditAction } from '../../../contracts/values/audit-actions.ts';
import { newId } from '../../kernel/ids.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '../../kernel/scope.ts';
import { type Act, createAct, createCertificateActs } from './certificate-acts.ts';
import { createCertificateReading } from './certificate-reading.ts';
import type { CertificatePlace } from './certificates.repo.ts';
import { readCsr } from './csr.ts';
import { createMachineCertificates } from './machine.ts';
import { createReissue } from './reissue.ts';

/** What people do with one certificate: which order it is about, and what is refused before the registrar hears of it. */

const clock = { now: () => new Date('2026-11-22T12:00:00Z') };
let database: TestDatabase;
let scope: Scope;
const registrar = {
  setCertificateValidation: vi.fn(),
  resendApproval: vi.fn(),
  cancelCertificateOrder: vi.fn(),
};
/** Sends at once: leases and readings have their own tests. */
const act: Act = async (_scope, _row, what) => void (await what.send({} as never));
const refresh = vi.fn(async () => undefined);
/** Intends it, and no more. */
const reissue = vi.fn<ReturnType<typeof createReissue>>(async (row, { intended }) => {
  await within(database, row.organisation_id, async (tx) => intended?.(tx, newId()));
  return 'running';
});

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const organisationId = await organisationRow(database);
  const userId = await userRow(database, organisationId, { role: 'MSP_ADMIN' });
  scope = {
    ...{ organisationId, userId, email: 'ann@msp.example', role: 'MSP_ADMIN', reach: wholeOrganisation },
    ...{ rights: rightsOfRole, ip: null, requestId: 'test' },
  };
  vi.clearAllMocks();
});

const deps = () => ({
  ...{ db: database.db, clock, registrar: registrar as never },
  pricing: { list: async () => [] } as never,
});
const reading = () => createCertificateReading(deps(), refresh);
function acts(reissueAt = reissue as ReturnType<typeof createReissue>, by = act) {
  return createCertificateActs(deps(), by, { ...reading(), refresh, reissue: reissueAt });
}
async function certificate(change: Parameters<typeof certificateRow>[2] = {}) {
  const orderId = newId();
  const order = { registrar_order_id: orderId, issued_order_id: orderId, ordered_at: clock.now() };
  const id = await certificateRow(database, scope.organisationId, { ...order, ...change });
  return { id, orderId };
}
const reissueOf = (
  certificateId: string,
  state: 'sending' | 'running',
  orderId: string | null,
  csr = 'csr',
) =>
  within(database, scope.organisationId, (tx) =>
    tx
      .insertInto('certificate_reissues')
      .values({
        ...{
          id: newId(),
          organisation_id: scope.organisationId,
          certificate_id: certificateId,
          csr,
          state,
        },
        ...{
          registrar_order_id: orderId,
          automatic: false,
          remark: null,
          ended_at: null,
          created_at: clock.now(),
        },
      })
      .execute(),
  );
const refused = { code: 'unprocessable' };
const pemOf = (der: string) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der, 'base64url').toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

describe('the proof of control', () => {
  const choose = (orderId: string) => acts().setProof(scope, orderId, { method: 'DNS' });
  const asked = () => registrar.setCertificateValidation.mock.calls.map(([orderId]) => orderId);

  test('is chosen for the order that waits: the first one, or the reissue’s', async () => {
    const first = await certificate({ state: 'awaiting-approval' });
    await choose(first.orderId);
    const running = await certificate();
    await reissueOf(running.id, 'running', 'order-of-the-reissue');
    await choose(running.orderId);
    expect(asked()).toEqual([first.orderId, 'order-of-the-reissue']);
    await acts().resendApproval(scope, running.orderId);
    expect(registrar.resendApproval.mock.calls[0]?.[0]).toBe('order-of-the-reissue');
  });

  test('is not chosen where nothing waits, or where the reissue has no order yet', async () => {
    await expect(choose((await certificate()).orderId)).rejects.toMatchObject(refused);
    const sending = await certificate({ state: 'awaiting-approval' });
    await reissueOf(sending.id, 'sending', null);
    await expect(choose(sending.orderId)).rejects.toMatchObject(refused);
    expect(asked()).toEqual([]);
  });

  test('by a file is not chosen for a wildcard name', async () => {
    const keys = await newRequestKeys();
    const choose = async (name: string) => {
      const { orderId } = await certificate({
        state: 'awaiting-approval',
        csr: pemOf(await requestFor([name], keys)),
      });
      return acts().setProof(scope, orderId, { method: 'File' });
    };
    await expect(choose('*.a.com')).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'method' }] },
    });
    const running = await certificate({ csr: pemOf(await requestFor(['a.com'], keys)) });
    await reissueOf(running.id, 'running', 'reissue', pemOf(await requestFor(['*.a.com'], keys)));
    await expect(acts().setProof(scope, running.orderId, { method: 'File' })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(asked()).toEqual([]);
    await choose('a.com');
    expect(asked()).toHaveLength(1);
  });

  test('by email needs an approver', async () => {
    const { orderId } = await certificate({ state: 'awaiting-approval' });
    await expect(acts().setProof(scope, orderId, { method: 'Email' })).rejects.toMatchObject({
      ...{ code: 'validation_failed', details: [{ path: 'approverEmail' }] },
    });
  });
});

test('an order is cancelled before it is complete, and a certificate revoked after that, by its name typed out', async () => {
  const [open, issued] = [
    await certificate({ state: 'in-progress' }),
    await certificate({ address: 'a.com' }),
  ];
  await expect(acts().cancel(scope, issued.orderId)).rejects.toMatchObject(refused);
  await expect(acts().revoke(scope, open.orderId, 'a.com')).rejects.toMatchObject(refused);
  await expect(acts().revoke(scope, issued.orderId, 'b.com')).rejects.toMatchObject({
    ...{ code: 'validation_failed', details: [{ path: 'confirm' }] },
  });
  expect(registrar.cancelCertificateOrder).not.toHaveBeenCalled();
  await acts().cancel(scope, open.orderId);
  await acts().revoke(scope, issued.orderId, ' A.com ');
  expect(registrar.cancelCertificateOrder.mock.calls.map(([id]) => id)).toEqual([
    open.orderId,
    issued.orderId,
  ]);
});

test('what is revoked is the certificate in use, by the order that issued it', async () => {
  const { orderId } = await certificate({ address: 'a.com', issued_order_id: 'order-of-the-reissue' });
  await acts().revoke(scope, orderId, 'a.com');
  expect(registrar.cancelCertificateOrder.mock.calls[0]?.[0]).toBe('order-of-the-reissue');
});

test('a revocation that stays unknown is in the log, says who asked for it, and is looked at a minute later', async () => {
  const { id, orderId } = await certificate({ address: 'a.com', next_sync_at: null });
  registrar.cancelCertificateOrder.mockResolvedValue({ kind: 'unknown', text: 'no answer' });
  const leased = { db: database.db, clock, leases: testLeases(database) };
  const real = acts(undefined, createAct(leased, { required: reading().required, refresh }));
  await expect(real.revoke(scope, orderId, 'a.com')).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(await logged(database.db, scope, 'certificates.revoke')).toMatchObject([
    { by: scope.userId, object: 'a.com', after: { state: 'revoked', outcome: 'unknown' } },
  ]);
  const row = await within(database, scope.organisationId, (tx) =>
    tx
      .selectFrom('certificates')
      .select(['state', 'next_sync_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  );
  expect(row).toEqual({ state: 'completed', next_sync_at: new Date(clock.now().getTime() + 60_000) });
});

describe('without an answer', () => {
  const lost = { kind: 'unknown', text: 'no answer' } as const;
  /** The registrar is read, and has brought the certificate into another state. */
  function turning(state: string) {
    const { required } = reading();
    const turned = async ({ certificateId }: CertificatePlace) => {
      await within(database, scope.organisationId, (tx) =>
        tx.updateTable('certificates').set({ state }).where('id', '=', certificateId).execute(),
      );
    };
    const by = createAct(
      { db: database.db, clock, leases: testLeases(database) },
      { required, refresh: turned },
    );
    return { by, acts: acts(undefined, by), required };
  }
  const outcomeOf = async (action: AuditAction) =>
    (await logged(database.db, scope, action)).map(({ after }) => (after as { outcome?: string }).outcome);
  const unknown = { code: 'outcome_unknown' };

  test.each([
    ['cancelled', true],
    ['declined', true],
    ['completed', false],
    ['awaiting-approval', false],
    ['in-progress', false],
  ])('an order that is %s by then was cancelled: %s', async (state, isProven) => {
    const { orderId } = await certificate({ state: 'in-progress' });
    registrar.cancelCertificateOrder.mockResolvedValueOnce(lost);
    const cancelled = turning(state).acts.cancel(scope, orderId);
    if (isProven) await cancelled;
    else await expect(cancelled).rejects.toMatchObject({ ...unknown, data: { state } });
    expect(await outcomeOf('certificates.cancel')).toEqual([isProven ? undefined : 'unknown']);
  });

  test.each([
    ['revoked', true],
    ['expired', false],
    ['completed', false],
  ])('a certificate that is %s by then was revoked: %s', async (state, isProven) => {
    const { orderId } = await certificate({ address: 'a.com' });
    registrar.cancelCertificateOrder.mockResolvedValueOnce(lost);
    const revoked = turning(state).acts.revoke(scope, orderId, 'a.com');
    if (isProven) await revoked;
    else await expect(revoked).rejects.toMatchObject(unknown);
    expect(await outcomeOf('certificates.revoke')).toEqual([isProven ? undefined : 'unknown']);
  });

  test('no state says that a proof was chosen, or that a mail was sent again', async () => {
    for (const state of ['approver-confirmed', 'completed', 'declined']) {
      const { orderId } = await certificate({ state: 'awaiting-approval' });
      registrar.setCertificateValidation.mockResolvedValueOnce(lost);
      const chosen = turning(state).acts.setProof(scope, orderId, { method: 'DNS' });
      await expect(chosen).rejects.toMatchObject(unknown);
      const other = await certificate({ state: 'awaiting-approval' });
      registrar.resendApproval.mockResolvedValueOnce(lost);
      const sent = turning(state).acts.resendApproval(scope, other.orderId);
      await expect(sent).rejects.toMatchObject(unknown);
    }
    const three = ['unknown', 'unknown', 'unknown'];
    expect(await outcomeOf('certificates.setProof')).toEqual(three);
    expect(await outcomeOf('certificates.resendApproval')).toEqual(three);
  });

  test('the running certificate’s state says nothing of one that it has replaced', async () => {
    for (const [of, isProven] of [
      ['now', true],
      ['before', false],
    ] as const) {
      const { id } = await certificate({ registrar_order_id: newId(), issued_order_id: `${newId()}-now` });
      const row = await within(database, scope.organisationId, (tx) =>
        tx.selectFrom('certificates').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      );
      const { by } = turning('revoked');
      const machine = createMachineCertificates({
        ...{ db: database.db, clock, act: by },
        cancelAtRegistrar: async () => lost,
      } as never);
      const registrarOrderId = of === 'now' ? (row.issued_order_id ?? '') : (row.registrar_order_id ?? '');
      const revoked = machine.revoke(
        scope,
        { organisationId: scope.organisationId, certificateId: id },
        { registrarOrderId, serial: '01', alone: (send) => send() },
      );
      if (isProven) await revoked;
      else await expect(revoked).rejects.toMatchObject(unknown);
    }
  });
});

test('automatic reissues are switched, and in the log when that changed anything', async () => {
  const { orderId } = await certificate({ auto_reissue: true });
  for (const enabled of [true, false, false]) await acts().setAutoReissue(scope, orderId, enabled);
  expect(await logged(database.db, scope, 'certificates.setAutoReissue')).toMatchObject([
    { before: { autoReissue: true }, after: { autoReissue: false } },
  ]);
});

test('a reissue is in the log, says whether the key is a new one, and of another organization nothing is there', async () => {
  const { orderId } = await certificate();
  await acts().reissue(scope, orderId, undefined);
  const asked = (csr: string) => ({ csr, automatic: false, intended: expect.any(Function) });
  expect(reissue).toHaveBeenCalledWith(expect.anything(), asked('csr'));
  expect(await logged(database.db, scope, 'certificates.reissue')).toMatchObject([
    { by: scope.userId, after: { order: orderId, newKey: false } },
  ]);
  const own = await certificate({ address: 'a.com' });
  const request = pemOf(await requestFor(['a.com'], await newRequestKeys()));
  await acts().reissue(scope, own.orderId, request);
  expect(reissue).toHaveBeenLastCalledWith(expect.anything(), asked((await readCsr(request)).pem));
  expect(await logged(database.db, scope, 'certificates.reissue')).toContainEqual(
    expect.objectContaining({ after: { order: own.orderId, newKey: true } }),
  );
  const stranger = { ...scope, organisationId: await organisationRow(database) };
  await expect(acts().reissue(stranger, orderId, undefined)).rejects.toMatchObject({ code: 'not_found' });
});

test('who looks at what is in progress, an order or a reissue, has the registrar asked; what is in use is shown as it is', async () => {
  const { watch } = reading();
  const [open, running, used] = [
    await certificate({ state: 'in-progress' }),
    await certificate(),
    await certificate(),
  ];
  await reissueOf(running.id, 'running', newId());
  for (const { orderId } of [open, running, used]) await watch(scope, orderId);
  const asked = [open, running].map(({ id: certificateId }) => [
    { organisationId: scope.organisationId, certificateId },
  ]);
  expect(refresh.mock.calls).toEqual(asked);
  // A moment ago is new enough.
  const fresh = await certificate({ state: 'in-progress', synced_at: clock.now() });
  await watch(scope, fresh.orderId);
  expect(refresh).toHaveBeenCalledTimes(2);
});

test('what was asked of the registrar is in the log, for the customer whose certificate it is', async () => {
  const customerId = await customerRow(database, scope.organisationId);
  const { orderId } = await certificate({ address: 'a.com', customer_id: customerId });
  const { required } = reading();
  const row = await required(scope, orderId);
  const done = createAct({ db: database.db, clock, leases: testLeases(database) }, { required, refresh });
  await done(scope, row, {
    action: 'certificates.revoke',
    provenBy: ['revoked'],
    send: async () => ({ kind: 'done', value: undefined }),
  });
  expect(await logged(database.db, scope, 'certificates.revoke')).toMatchObject([
    { by: scope.userId, object: 'a.com', before: { state: 'completed' }, after: { order: orderId } },
  ]);
  expect(await loggedAbout(database.db, scope, 'certificates.revoke')).toEqual([customerId]);
});

test('a process that dies while it asks the registrar leaves the new request, and who asked, behind', async () => {
  const dies = createReissue({
    ...{ db: database.db, clock: { now: () => new Date() }, actMs: 60_000 },
    registrar: {
      orderCertificate: async () => {
        throw new Error('killed');
      },
    },
  });
  const { orderId } = await certificate({
    ...{ address: 'a.com', contacts: JSON.stringify(contactsOf()) },
    term_ends_at: new Date(Date.now() + 86_400_000),
  });
  const request = pemOf(await requestFor(['a.com'], await newRequestKeys()));
  await expect(acts(dies).reissue(scope, orderId, request)).rejects.toThrow('killed');
  expect(await logged(database.db, scope, 'certificates.reissue')).toMatchObject([
    { by: scope.userId, after: { order: orderId, newKey: true } },
  ]);
  // It is shown while the reissue is open; the certificate gets it when that completes.
  const shown = await acts().setAutoReissue(scope, orderId, true);
  const { pem } = await readCsr(request);
  expect(shown).toMatchObject({
    csr: pem,
    csrData: { domain: 'a.com' },
    reissue: { state: 'sending', automatic: false },
  });
});
