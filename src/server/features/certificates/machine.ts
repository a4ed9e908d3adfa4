import { AppError } from '#contracts/errors.ts';
import type { AuditAction } from '#contracts/values/audit-actions.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, type Tx } from '#kernel/db/database.ts';
import type { Fence } from '#kernel/fence.ts';
import type { Scope } from '#kernel/scope.ts';
import type { Outcome } from '../../ports/outcome.ts';
import { type CertificatePlace, type FoundCertificate, findById } from './certificates.repo.ts';
import type { createReissue } from './reissue.ts';
import { findPlain } from './reissues.repo.ts';
import type { PlainCertificate } from './rows.ts';

/** As in `certificate-reading.ts`: a person who watches, or a machine that polls, does not make the registrar be asked more. */
const bringEveryMs = 2_000;

interface MachineDeps {
  db: Db;
  clock: Clock;
  reissue: ReturnType<typeof createReissue>;
  refresh(place: CertificatePlace, known?: PlainCertificate): Promise<void>;
  act(
    scope: Scope,
    row: FoundCertificate,
    what: {
      action: AuditAction;
      after?: object;
      provenBy: readonly string[];
      send: (fence: Fence) => Promise<Outcome<void>>;
    },
  ): Promise<void>;
  cancelAtRegistrar(orderId: string, fence: Fence): Promise<Outcome<void>>;
}

export type MachineCertificates = ReturnType<typeof createMachineCertificates>;

/** Certificates whose keys and whose installation are a machine's: what the ACME server asks for. */
export function createMachineCertificates(deps: MachineDeps) {
  const { db, clock } = deps;

  async function required(place: CertificatePlace): Promise<FoundCertificate> {
    const row = await inReading(db, place, (tx) => findById(tx, place));
    if (!row) throw new AppError('not_found');
    return row;
  }

  return {
    /** The next certificate of the term, for the machine's own request. `intended` runs with the intent, or nothing does. */
    async reissue(
      place: CertificatePlace,
      given: { csr: string; accessId: string; intended: (tx: Tx, reissueId: string) => Promise<void> },
    ): Promise<void> {
      const row = await required(place);
      await deps.reissue(row, { ...given, automatic: true, byDns: true });
    },

    /** Reads what the registrar says of it, unless it was read a moment ago. */
    async bring(place: CertificatePlace): Promise<void> {
      const row = await inReading(db, place, (tx) => findPlain(tx, place, clock.now()));
      if (!row) return;
      const isStale = !row.synced_at || clock.now().getTime() - row.synced_at.getTime() >= bringEveryMs;
      if (isStale) await deps.refresh(place, row);
    },

    /**
     * Revokes what came from one order at the registrar: the running certificate, or one that it has replaced. `alone` runs
     * while nobody else acts on the certificate, and sends it or throws.
     */
    async revoke(
      scope: Scope,
      place: CertificatePlace,
      given: {
        registrarOrderId: string;
        serial: string;
        alone: (send: () => Promise<Outcome<void>>) => Promise<Outcome<void>>;
      },
    ): Promise<void> {
      const row = await required(place);
      await deps.act(scope, row, {
        ...{ action: 'certificates.revoke', after: { serial: given.serial } },
        // The state is that of the running certificate: of one that was replaced it says nothing.
        provenBy:
          given.registrarOrderId === (row.issued_order_id ?? row.registrar_order_id) ? ['revoked'] : [],
        send: (fence) => given.alone(() => deps.cancelAtRegistrar(given.registrarOrderId, fence)),
      });
    },

    required,
  };
}
