import { AppError } from '#contracts/errors.ts';
import type { SettingResult } from '#contracts/operations/domain-settings.ts';
import {
  byHandReason,
  type TransferCheckReply,
  type TransferStatusReply,
  transferCheckFailed,
  withUsAlready,
} from '#contracts/operations/transfers.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { JobPayload, Jobs } from '#kernel/job-table.ts';
import type { Leases } from '#kernel/leases.ts';
import { tellManagers } from '#kernel/letters.ts';
import { holds, type Scope } from '#kernel/scope.ts';
import { UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarNames, RegistrarOrders, TransferStatus } from '../../ports/registrar.ts';
import type { Resolver } from '../../ports/resolver.ts';
import type { ZoneSource } from '../../ports/zone-source.ts';
import { nameserversLetter } from './domains.letters.ts';
import { findDomain } from './domains.repo.ts';
import { concluded, underLease } from './outcome.ts';
import { isStuck, stepsOf, type TransferTimes } from './transfer-steps.ts';
import {
  advanceItem,
  compareTask,
  findTransfer,
  lookBeforeTask,
  openTransfers,
  recordAfter,
  recordBefore,
  recordTransferStatus,
  type TransferRow,
  transferOf,
} from './transfers.repo.ts';

export interface TransfersDeps {
  /** Of the portal, for the links in letters. */
  publicUrl: string;
  db: Db;
  systemDb: Db;
  registrar: Pick<RegistrarOrders, 'checkTransfer' | 'transferStatus' | 'cancelTransfer' | 'order'> &
    Pick<RegistrarNames, 'domain'>;
  resolver: Pick<Resolver, 'nameservers'>;
  zoneSource: Pick<ZoneSource, 'ask'>;
  clock: Clock;
  transferTimes: TransferTimes;
  leases: Leases;
}

/** So many open transfers are asked about in one round of the job. */
const mostAsked = 500;

/** Transfers to us, apart from their order and their money: the check, the states in between, and what comes after. */
export function createTransfers(deps: TransfersDeps) {
  const { db, systemDb, registrar, resolver, clock } = deps;

  async function check(scope: Scope, domain: string): Promise<TransferCheckReply> {
    const ours = await inTransaction(db, scope, (tx) => findDomain(tx, scope, domain));
    const [can, delegation, ds] = await Promise.all([
      ours ? alreadyHere(domain, ours.status === 'transferring') : ask(scope, domain),
      answered(resolver.nameservers(domain)),
      answered(deps.zoneSource.ask(domain, 'DS')),
    ]);
    return {
      domainResponse: can,
      dnsRecords: {
        ...{ NS: delegation ?? [], answered: delegation === null ? 0 : 1 },
        signed: ds && (ds.records.length > 0 ? 1 : 0),
      },
    };
  }

  function alreadyHere(domain: string, underWay: boolean): TransferCheckReply['domainResponse'] {
    const reason = underWay ? 'Its transfer is already under way' : `${domain} is already in your account`;
    return { transferrable: 0, reason, reason_code: null, hindrance: underWay ? 'under-way' : 'here' };
  }

  async function ask(scope: Scope, domain: string): Promise<TransferCheckReply['domainResponse']> {
    try {
      const can = await withFairnessKey(scope.organisationId, () => registrar.checkTransfer(domain));
      if (can.unavailable) throw new UpstreamUnavailable('registrar: the registry could not be asked');
      const { reason, reasonCode } = can;
      // P2 §4: transferable, by the operator's hand.
      // The registrar's reason names the account that has it, which is somebody else's.
      if (reasonCode === withUsAlready) {
        return {
          transferrable: 0,
          reason: byHandReason,
          reason_code: withUsAlready,
          hindrance: 'other-account',
        };
      }
      const { hindrance } = can;
      return { transferrable: can.transferable ? 1 : 0, reason, reason_code: reasonCode, hindrance };
    } catch (error) {
      if (error instanceof UpstreamUnavailable) {
        throw new AppError('upstream_unavailable', { message: transferCheckFailed, cause: error });
      }
      if (error instanceof UpstreamRefused) {
        throw new AppError('registrar_refused', {
          message: error.message,
          error: error.code,
          cause: error,
        });
      }
      throw error;
    }
  }

  async function status(scope: Scope, domain: string): Promise<TransferStatusReply> {
    const before = await inTransaction(db, scope, (tx) => findTransfer(tx, scope, domain));
    if (!before) throw new AppError('not_found');
    if (isOpen(before)) await refresh(before);
    const row = (await inTransaction(db, scope, (tx) => findTransfer(tx, scope, domain))) ?? before;
    const steps = stepsOf(
      {
        requestedAt: row.requested_at,
        registrarStatus: row.registrar_status,
        statusSince: row.status_since,
        completedAt: row.completed_at,
        failedAt: row.failed_at,
      },
      deps.transferTimes,
    );
    const open = isOpen(row);
    return {
      domain: row.address,
      customerId: row.customer_id,
      customer: row.organization ?? '',
      orderId: row.order_id,
      state: row.completed_at ? 'completed' : row.failed_at ? 'failed' : 'running',
      steps,
      reason: row.reason,
      stuck: open && isStuck(steps, clock.now()),
      registrarStatus: row.registrar_status,
      askedAt: row.asked_at?.toISOString() ?? null,
      // A customer's own users see no prices.
      held:
        open && row.price_cents !== null && holds(scope, 'balance.read') ? centsToUsd(row.price_cents) : null,
      nameservers: {
        before: row.nameservers_before,
        after: row.nameservers_after,
        kept: row.compared_at ? sameNames(row.nameservers_before, row.nameservers_after) : null,
      },
    };
  }

  /** Asks the registrar; an answer that ends the transfer wakes its order. Without an answer the last one stands. */
  async function refresh(row: TransferRow): Promise<void> {
    let said: TransferStatus;
    try {
      said = await withFairnessKey(row.organisation_id, () => registrar.transferStatus(row.address));
    } catch (error) {
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return;
      throw error;
    }
    await systemTransaction(systemDb, async (tx) => {
      await recordTransferStatus(tx, row, said, clock.now());
      if (said === 'completed' || said === 'cancelled') await advanceItem(tx, row);
    });
  }

  async function cancel(scope: Scope, domain: string): Promise<SettingResult> {
    const row = await inTransaction(db, scope, (tx) => findTransfer(tx, scope, domain));
    if (!row) throw new AppError('not_found');
    const orderId = row.registrar_order_id;
    if (!isOpen(row) || !orderId) {
      throw new AppError('unprocessable', { message: 'This transfer is no longer under way.' });
    }
    const outcome = await deps.leases.run(scope, `transfer of ${domain}`, (lease) =>
      withFairnessKey(scope.organisationId, () =>
        underLease(lease, (fence) => registrar.cancelTransfer(orderId, fence)),
      ),
    );
    const end = await concluded(outcome, async () => {
      const order = await registrar.order(orderId);
      return { applied: order?.state === 'cancelled', present: order && { state: order.state } };
    });
    await inTransaction(db, scope, async (tx) => {
      await advanceItem(tx, row);
      const object = { objectKind: 'domain', object: row.address, customerId: row.customer_id };
      const change = { before: { status: row.registrar_status }, after: { status: 'cancelled' } };
      await audit(tx, scope, { at: clock.now(), action: 'transfers.cancel', ...object, ...change });
    });
    return { domain, notice: end.kind === 'later' ? end.text : null };
  }

  /** The delegation while it is still the old one: what the new one is compared with. */
  async function lookBefore(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (!row || row.nameservers_before) return;
    const names = await resolver.nameservers(row.address);
    await systemTransaction(systemDb, (tx) => recordBefore(tx, itemId, names));
  }

  /** After completion: whether the domain is delegated as it was. Where it is not, the MSP is told. */
  async function compare(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (!row?.completed_at || row.compared_at) return;
    const read = await withFairnessKey(row.organisation_id, () => registrar.domain(row.address));
    if (!read) throw new UpstreamUnavailable(`registrar: ${row.address} is not in the account yet`);
    const after = [...read.nameservers].sort();
    await systemTransaction(systemDb, async (tx) => {
      const first = await recordAfter(tx, itemId, after, clock.now());
      if (!first || sameNames(row.nameservers_before, after) !== false) return;
      const nameservers = { before: row.nameservers_before ?? [], after };
      await tellManagers(tx, {
        organisationId: row.organisation_id,
        notice: `transfer-nameservers.${itemId}`,
        letter: nameserversLetter({ address: row.address, ...nameservers, publicUrl: deps.publicUrl }),
      });
    });
  }

  function load(itemId: string): Promise<TransferRow | undefined> {
    return systemTransaction(systemDb, (tx) => transferOf(tx, itemId));
  }

  /** The registrar has said that something moved. */
  async function askOne(itemId: string): Promise<void> {
    const row = await load(itemId);
    if (row && isOpen(row)) await refresh(row);
  }

  /** Asks about every open transfer, those first that were not asked about for longest. */
  async function poll(): Promise<void> {
    const open = await systemTransaction(systemDb, (tx) => openTransfers(tx, mostAsked));
    for (const row of open) await refresh(row);
  }

  return {
    check,
    status,
    cancel,
    tasks: {
      [lookBeforeTask]: ({ itemId }: JobPayload<typeof lookBeforeTask>) => lookBefore(itemId),
      [compareTask]: ({ itemId }: JobPayload<typeof compareTask>) => compare(itemId),
      'transfers.ask': ({ itemId }: JobPayload<'transfers.ask'>) => askOne(itemId),
      'transfers.poll': poll,
    } satisfies Partial<Jobs>,
  };
}

/** null: nobody answered. */
async function answered<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return null;
    throw error;
  }
}

function isOpen(row: Pick<TransferRow, 'completed_at' | 'failed_at'>): boolean {
  return row.completed_at === null && row.failed_at === null;
}

/** null: there is nothing to compare with. */
function sameNames(before: readonly string[] | null, after: readonly string[] | null): boolean | null {
  if (!before || before.length === 0 || !after) return null;
  return [...before].sort().join() === [...after].sort().join();
}
