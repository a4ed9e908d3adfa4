import { AppError } from '#contracts/errors.ts';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { audit } from '#kernel/audit.ts';
import { inReading, inTransaction, type Tx } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { ValidationMethod } from '../../ports/registrar.ts';
import { concluded, notedIfUnknown, strikesWithinMs, underLease } from '../domains/index.ts';
import { type CertificateReading, placeOf } from './certificate-reading.ts';
import { type CertificatePlace, type FoundCertificate, updateCertificate } from './certificates.repo.ts';
import { readCsr } from './csr.ts';
import type { CertificatesDeps } from './deps.ts';
import type { createReissue } from './reissue.ts';
import { openReissue } from './reissues.repo.ts';
import { csrOf } from './rows.ts';

interface Parts extends Pick<CertificateReading, 'required' | 'detail'> {
  refresh(place: CertificatePlace): Promise<void>;
  reissue: ReturnType<typeof createReissue>;
}

export type Act = ReturnType<typeof createAct>;

/** An act at the registrar on one order: done, refused, or read again; then logged. */
export function createAct(
  { db, clock, leases }: Pick<CertificatesDeps, 'db' | 'clock' | 'leases'>,
  { required, refresh }: Pick<Parts, 'required' | 'refresh'>,
) {
  return async function act(
    scope: Scope,
    row: FoundCertificate,
    what: {
      action: AuditAction;
      before?: object;
      after?: object;
      /**
       * States that only this act brings about. Without an answer one of them proves it; any other change is somebody
       * else's, as when the registrar completes an order that was to be cancelled.
       */
      provenBy: readonly string[];
      send: (fence: Fence) => Promise<Outcome<void>>;
    },
  ): Promise<void> {
    const place = placeOf(row);
    const outcome = await leases.run(scope, `certificate ${row.id}`, (lease) =>
      withFairnessKey(scope.organisationId, () => underLease(lease, what.send)),
    );
    const before = row.state;
    const [objectKind, action] = ['certificate', what.action];
    const change = {
      before: { state: before, ...what.before },
      after: { order: row.registrar_order_id, ...what.after },
    };
    const follow = (tx: Tx) =>
      updateCertificate(tx, place, { next_sync_at: new Date(clock.now().getTime() + strikesWithinMs) });
    await notedIfUnknown({ db, clock }, scope, { row, objectKind, action, change, follow }, () =>
      concluded(outcome, async () => {
        await refresh(place);
        const now = await required(scope, row.registrar_order_id ?? '');
        const applied = now.state !== before && what.provenBy.includes(now.state);
        return { applied, present: { state: now.state } };
      }),
    );
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        ...{ at: clock.now(), action, objectKind, object: row.address, customerId: row.customer_id },
        ...change,
      }),
    );
    await refresh(place);
  };
}

/** What people do with one certificate: prove control, reissue, cancel, revoke. */
export function createCertificateActs(
  deps: Pick<CertificatesDeps, 'db' | 'clock' | 'registrar'>,
  act: Act,
  { required, detail, refresh, reissue: reissueAt }: Parts,
) {
  const { db, clock, registrar } = deps;

  /** The order whose approval is awaited: a reissue's, else the first one. */
  async function waitingOrder(scope: Scope, row: FoundCertificate) {
    const open = await inReading(db, scope, (tx) => openReissue(tx, row.id, clock.now()));
    const orderId = open?.registrar_order_id ?? row.registrar_order_id;
    const waits = open ? open.state === 'running' : row.state === 'awaiting-approval';
    if (!waits || !orderId)
      throw new AppError('unprocessable', { message: 'This certificate is not waiting for approval.' });
    return { waiting: orderId, csr: csrOf(row, open ?? null) };
  }

  async function setProof(
    scope: Scope,
    orderId: string,
    choice: { method: ValidationMethod; approverEmail?: string | undefined },
  ): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    const { waiting, csr } = await waitingOrder(scope, row);
    if (choice.method === 'File' && (await readCsr(csr)).names.some((name) => name.startsWith('*.'))) {
      // BR 3.2.2.4.18 (checked 2026-11-21)
      const message = 'A file cannot prove control of a wildcard name. Choose DNS or email.';
      throw new AppError('validation_failed', { message, details: [{ path: 'method', message }] });
    }
    if (choice.method === 'Email' && !choice.approverEmail) {
      const message = 'Please choose an approver.';
      throw new AppError('validation_failed', { message, details: [{ path: 'approverEmail', message }] });
    }
    await act(scope, row, {
      action: 'certificates.setProof',
      after: { method: choice.method, approver: choice.approverEmail },
      provenBy: [],
      send: (fence) =>
        registrar.setCertificateValidation(waiting, choice.method, choice.approverEmail, fence),
    });
    return detail(scope, orderId);
  }

  async function resendApproval(scope: Scope, orderId: string): Promise<Record<string, never>> {
    const row = await required(scope, orderId);
    const { waiting } = await waitingOrder(scope, row);
    await act(scope, row, {
      action: 'certificates.resendApproval',
      provenBy: [],
      send: (fence) => registrar.resendApproval(waiting, fence),
    });
    return {};
  }

  async function reissue(scope: Scope, orderId: string, csr: string | undefined): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    const reading = csr === undefined ? null : await readCsr(csr, { domain: row.address });
    await reissueAt(row, {
      ...{ csr: reading?.pem ?? row.csr, automatic: false },
      intended: (tx) =>
        audit(tx, scope, {
          ...{ at: clock.now(), action: 'certificates.reissue', objectKind: 'certificate' },
          ...{ object: row.address, customerId: row.customer_id },
          ...{ before: { serial: row.serial }, after: { order: orderId, newKey: reading !== null } },
        }),
    });
    await refresh(placeOf(row));
    return detail(scope, orderId);
  }

  async function cancel(scope: Scope, orderId: string): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    requireState(row, openCertificateStates, 'You can cancel an order only before it is complete.');
    await act(scope, row, {
      action: 'certificates.cancel',
      after: { state: 'cancelled' },
      provenBy: ['cancelled', 'declined'],
      send: (fence) => registrar.cancelCertificateOrder(orderId, fence),
    });
    return detail(scope, orderId);
  }

  async function revoke(scope: Scope, orderId: string, confirm: string): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    requireState(row, ['completed'], 'You can revoke only a certificate that has been issued.');
    if (confirm.trim().toLowerCase() !== row.address) {
      const message = `Type ${row.address} to confirm.`;
      throw new AppError('validation_failed', { message, details: [{ path: 'confirm', message }] });
    }
    await act(scope, row, {
      action: 'certificates.revoke',
      after: { state: 'revoked', serial: row.serial },
      provenBy: ['revoked'],
      send: (fence) => registrar.cancelCertificateOrder(row.issued_order_id ?? orderId, fence),
    });
    return detail(scope, orderId);
  }

  async function setAutoReissue(scope: Scope, orderId: string, enabled: boolean): Promise<CertificateDetail> {
    const row = await required(scope, orderId);
    await inTransaction(db, scope, async (tx) => {
      await updateCertificate(tx, placeOf(row), { auto_reissue: enabled });
      if (row.auto_reissue === enabled) return;
      await audit(tx, scope, {
        ...{ at: clock.now(), action: 'certificates.setAutoReissue', objectKind: 'certificate' },
        ...{ object: row.address, customerId: row.customer_id },
        ...{ before: { autoReissue: row.auto_reissue }, after: { autoReissue: enabled } },
      });
    });
    return detail(scope, orderId);
  }

  return { setProof, resendApproval, reissue, cancel, revoke, setAutoReissue };
}

function requireState(row: FoundCertificate, states: readonly string[], message: string): void {
  if (!states.includes(row.state)) throw new AppError('unprocessable', { message });
}
