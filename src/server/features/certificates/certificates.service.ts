import { AppError } from '#contracts/errors.ts';
import type { BodyOf } from '#contracts/operation.ts';
import type { CertificateDetail, parseCsr } from '#contracts/operations/certificates.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import { openCertificateStates, reissuesItself } from '#contracts/values/certificate-life.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Scope } from '#kernel/scope.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ParsedCsr, ValidationMethod } from '../../ports/registrar.ts';
import { concluded, fromRegistrar, underLease } from '../domains/index.ts';
import {
  type CertificateListQuery,
  countBands,
  type FoundCertificate,
  findByOrder,
  issuesOf,
  listCertificates,
  updateCertificate,
} from './certificates.repo.ts';
import { type CsrReading, readCsr } from './csr.ts';
import type { CertificatesDeps } from './deps.ts';
import { type CertificateFile, certificateFile } from './files.ts';
import { createMachineCertificates } from './machine.ts';
import { createNotices } from './notices.ts';
import { createRefresh } from './refresh.ts';
import { createReissue } from './reissue.ts';
import { openReissue } from './reissues.repo.ts';
import { csrDataOf, lifeOf, toDetail } from './rows.ts';
import { createCertificateTasks } from './tasks.ts';

export type CertificatesApi = ReturnType<typeof createCertificates>;

/** A plain product, for reading a CSR before a product was chosen. */
const anyProduct = 'rapidssl';
/** A person who watches asks every few seconds; the registrar need not be asked as often by several of them. */
const watchMs = 2_000;

export function createCertificates(deps: CertificatesDeps) {
  const { db, registrar, clock } = deps;
  const { refresh } = createRefresh({ ...deps, db });
  const reissue = createReissue(deps);
  const notices = createNotices(deps);

  const require = async (scope: Scope, orderId: string): Promise<FoundCertificate> => {
    const row = await inTransaction(db, scope, (tx) => findByOrder(tx, scope, orderId));
    if (!row) throw new AppError('not_found');
    return row;
  };
  const placeOf = (row: FoundCertificate) => ({
    organisationId: row.organisation_id,
    certificateId: row.id,
  });

  async function detail(scope: Scope, orderId: string): Promise<CertificateDetail> {
    const wildcard = new Map((await deps.pricing.list()).map((entry) => [entry.productType, entry.wildcard]));
    return inTransaction(db, scope, async (tx) => {
      const row = await findByOrder(tx, scope, orderId);
      if (!row) throw new AppError('not_found');
      const parts = {
        reading: await readCsr(row.csr).catch(() => null),
        reissue: (await openReissue(tx, row.id)) ?? null,
        issues: await issuesOf(tx, row.id),
        wildcard: wildcard.get(row.product_type) ?? false,
      };
      return toDetail(row, row, parts, clock.now());
    });
  }

  /** While the order is in progress the registrar is asked again, but not for every request. */
  async function watch(scope: Scope, orderId: string): Promise<CertificateDetail> {
    const row = await require(scope, orderId);
    const open = openCertificateStates.includes(row.state) || row.reissueState !== null;
    const stale = !row.synced_at || clock.now().getTime() - row.synced_at.getTime() >= watchMs;
    if (open && stale) await refresh(placeOf(row));
    return detail(scope, orderId);
  }

  /** An act at the registrar on one order: done, refused, or read again; then logged. */
  async function act(
    scope: Scope,
    row: FoundCertificate,
    what: {
      action: AuditAction;
      before?: object;
      after?: object;
      send: (fence: Fence) => Promise<Outcome<void>>;
    },
  ): Promise<void> {
    const place = placeOf(row);
    const outcome = await deps.leases.run(scope, `certificate ${row.id}`, (lease) =>
      withFairnessKey(scope.organisationId, () => underLease(lease, what.send)),
    );
    const before = row.state;
    await concluded(outcome, async () => {
      await refresh(place);
      const now = await require(scope, row.registrar_order_id ?? '');
      return { applied: now.state !== before, present: { state: now.state } };
    });
    await inTransaction(db, scope, (tx) =>
      audit(tx, scope, {
        at: clock.now(),
        action: what.action,
        objectKind: 'certificate',
        object: row.address,
        customerId: row.customer_id,
        before: { state: row.state, ...what.before },
        after: { order: row.registrar_order_id, ...what.after },
      }),
    );
    await refresh(place);
  }

  function requireState(row: FoundCertificate, states: readonly string[], message: string): void {
    if (!states.includes(row.state)) throw new AppError('unprocessable', { message });
  }

  /** The order whose approval is awaited: a reissue's, else the first one. */
  async function waitingOrder(scope: Scope, row: FoundCertificate): Promise<string> {
    const open = await inTransaction(db, scope, (tx) => openReissue(tx, row.id));
    const orderId = open?.registrar_order_id ?? row.registrar_order_id;
    const waits = open ? open.state === 'running' : row.state === 'awaiting-approval';
    if (!waits || !orderId)
      throw new AppError('unprocessable', { message: 'This certificate is not waiting for approval.' });
    return orderId;
  }

  return {
    prices: () => deps.pricing.list(),
    list: (scope: Scope, query: CertificateListQuery) =>
      inTransaction(db, scope, (tx) => listCertificates(tx, scope, query, clock.now())),
    bands: (scope: Scope) => inTransaction(db, scope, (tx) => countBands(tx, scope, clock.now())),
    listForCustomer: (scope: Scope, customerId: string, query: CertificateListQuery) =>
      inTransaction(db, scope, async (tx) => {
        await deps.customers.requireVisible(tx, scope, customerId);
        return listCertificates(tx, scope, { ...query, customerId }, clock.now());
      }),

    /** Read here, where every fault has its own words, and by the registrar, which may know more. */
    async parseCsr(scope: Scope, body: BodyOf<typeof parseCsr>) {
      const row = body.opensrsorderid ? await require(scope, body.opensrsorderid) : null;
      const productType = row?.product_type ?? body.productType;
      const product = (await deps.pricing.list()).find((entry) => entry.productType === productType);
      const reading = await readCsr(body.csr, {
        domain: row?.address ?? body.domain,
        wildcard: product?.wildcard,
      });
      const asked = await withFairnessKey(scope.organisationId, () =>
        ask(reading.pem, productType ?? anyProduct),
      );
      return { csr_data: { ...csrDataOf(reading), ...present(asked, reading) } };
    },

    watch,
    approvers: async (scope: Scope, orderId: string): Promise<string[]> => {
      const row = await require(scope, orderId);
      return fromRegistrar(() =>
        withFairnessKey(scope.organisationId, () => registrar.approverEmails(row.address, row.product_type)),
      );
    },

    async setProof(
      scope: Scope,
      orderId: string,
      choice: { method: ValidationMethod; approverEmail?: string | undefined },
    ): Promise<CertificateDetail> {
      const row = await require(scope, orderId);
      const waiting = await waitingOrder(scope, row);
      if (choice.method === 'File' && (await readCsr(row.csr)).names.some((name) => name.startsWith('*.'))) {
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
        send: (fence) =>
          registrar.setCertificateValidation(waiting, choice.method, choice.approverEmail, fence),
      });
      return detail(scope, orderId);
    },

    async resendApproval(scope: Scope, orderId: string): Promise<Record<string, never>> {
      const row = await require(scope, orderId);
      const waiting = await waitingOrder(scope, row);
      await act(scope, row, {
        action: 'certificates.resendApproval',
        send: (fence) => registrar.resendApproval(waiting, fence),
      });
      return {};
    },

    async reissue(scope: Scope, orderId: string, csr: string | undefined): Promise<CertificateDetail> {
      const row = await require(scope, orderId);
      const reading = csr === undefined ? null : await readCsr(csr, { domain: row.address });
      await reissue(row, { csr: reading?.pem ?? row.csr, automatic: false });
      if (reading) {
        await inTransaction(db, scope, (tx) => updateCertificate(tx, placeOf(row), { csr: reading.pem }));
      }
      await inTransaction(db, scope, (tx) =>
        audit(tx, scope, {
          at: clock.now(),
          action: 'certificates.reissue',
          objectKind: 'certificate',
          object: row.address,
          customerId: row.customer_id,
          before: { serial: row.serial },
          after: { order: orderId, newKey: reading !== null },
        }),
      );
      await refresh(placeOf(row));
      return detail(scope, orderId);
    },

    async cancel(scope: Scope, orderId: string): Promise<CertificateDetail> {
      const row = await require(scope, orderId);
      requireState(row, openCertificateStates, 'You can cancel an order only before it is complete.');
      await act(scope, row, {
        action: 'certificates.cancel',
        after: { state: 'cancelled' },
        send: (fence) => registrar.cancelCertificateOrder(orderId, fence),
      });
      return detail(scope, orderId);
    },

    async revoke(scope: Scope, orderId: string, confirm: string): Promise<CertificateDetail> {
      const row = await require(scope, orderId);
      requireState(row, ['completed'], 'You can revoke only a certificate that has been issued.');
      if (confirm.trim().toLowerCase() !== row.address) {
        const message = `Type ${row.address} to confirm.`;
        throw new AppError('validation_failed', { message, details: [{ path: 'confirm', message }] });
      }
      await act(scope, row, {
        action: 'certificates.revoke',
        after: { state: 'revoked', serial: row.serial },
        send: (fence) => registrar.cancelCertificateOrder(row.issued_order_id ?? orderId, fence),
      });
      return detail(scope, orderId);
    },

    async setAutoReissue(scope: Scope, orderId: string, enabled: boolean): Promise<CertificateDetail> {
      const row = await require(scope, orderId);
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
    },

    async file(scope: Scope, orderId: string, file: CertificateFile) {
      const row = await require(scope, orderId);
      if (!row.certificate_pem)
        throw new AppError('not_found', { message: 'The certificate is not issued yet.' });
      await inTransaction(db, scope, (tx) =>
        updateCertificate(tx, placeOf(row), { downloaded_at: clock.now() }),
      );
      const made = await certificateFile(file, {
        certificatePem: row.certificate_pem,
        chainPem: row.chain_pem ?? '',
      });
      return { ...made, name: `${row.address.replace('*', 'wildcard')}-${file}` };
    },

    byMachine: createMachineCertificates({
      ...{ db, clock, reissue, refresh, act },
      cancelAtRegistrar: (orderId, fence) => registrar.cancelCertificateOrder(orderId, fence),
    }),

    tasks: {
      ...notices.tasks,
      ...createCertificateTasks({
        ...deps,
        refresh,
        reissue: async (row) => {
          if (!reissuesItself(lifeOf(row, row, clock.now()))) return;
          await reissue(row, { csr: row.csr, automatic: true });
        },
      }),
    },
  };

  async function ask(csr: string, productType: string): Promise<ParsedCsr | null> {
    try {
      return await registrar.parseCsr(csr, productType);
    } catch (error) {
      if (error instanceof UpstreamRefused) {
        throw new AppError('validation_failed', {
          message: error.message,
          details: [{ path: 'csr', message: error.message }],
          cause: error,
        });
      }
      if (error instanceof UpstreamUnavailable) throw new AppError('upstream_unavailable', { cause: error });
      throw error;
    }
  }
}

/** Where the registrar names a part it counts: it is what will stand in the order. */
function present(csr: ParsedCsr | null, reading: CsrReading) {
  if (!csr) return {};
  return {
    ...(csr.domain ? { domain: csr.domain } : { domain: reading.names[0] ?? '' }),
    ...(csr.organization ? { organization: csr.organization } : {}),
    ...(csr.organizationUnit ? { organization_unit: csr.organizationUnit } : {}),
    ...(csr.state ? { state: csr.state } : {}),
    ...(csr.locality ? { locality: csr.locality } : {}),
    ...(csr.email ? { email: csr.email } : {}),
    ...(csr.country ? { country: csr.country } : {}),
  };
}
