import {
  byHandReason,
  type TransferCheckReply,
  type TransferStatusReply,
} from '#contracts/operations/transfers.ts';
import { centsToUsd } from '#contracts/values/money.ts';
import { withUsAlready } from '#contracts/values/outcome-texts.ts';
import type { TransferCheck, TransferStatus } from '../../ports/registrar.ts';
import { isStuck, stepsOf, type TransferTimes } from './transfer-steps.rules.ts';
import type { TransferRow } from './transfers.repo.ts';

/** What is said of a transfer to us, and what ends it: pure, from its row, what was answered, and now. */

type CheckVerdict = TransferCheckReply['domainResponse'];

/** A name that is on the organisation's own list. */
export function checkOfOwn(domain: string, status: string): CheckVerdict {
  const underWay = status === 'transferring';
  const reason = underWay ? 'Its transfer is already under way' : `${domain} is already in your account`;
  return { transferrable: 0, reason, reason_code: null, hindrance: underWay ? 'under-way' : 'here' };
}

/** The registrar's word on a name of others; null: it could not ask the registry, and nothing is known. */
export function checkOfOthers(can: TransferCheck): CheckVerdict | null {
  if (can.unavailable) return null;
  const { reason, reasonCode, hindrance } = can;
  // P2 §4: transferable, by the operator's hand.
  // The registrar's reason names the account that has it, which is somebody else's.
  if (reasonCode === withUsAlready) {
    return { transferrable: 0, reason: byHandReason, reason_code: withUsAlready, hindrance: 'other-account' };
  }
  return { transferrable: can.transferable ? 1 : 0, reason, reason_code: reasonCode, hindrance };
}

/** What DNS says beside the check; null: nobody answered. */
export function dnsOfCheck(
  delegation: readonly string[] | null,
  ds: { records: readonly unknown[] } | null,
): TransferCheckReply['dnsRecords'] {
  return {
    ...{ NS: [...(delegation ?? [])], answered: delegation === null ? 0 : 1 },
    signed: ds && (ds.records.length > 0 ? 1 : 0),
  };
}

/** A transfer with what belongs to it: its customer's name, and its order. */
export type ShownTransfer = TransferRow & {
  organization: string | null;
  order_id: string | null;
  price_cents: number | null;
};

/** Neither completed nor failed. */
export function isOpen(row: Pick<TransferRow, 'completed_at' | 'failed_at'>): boolean {
  return row.completed_at === null && row.failed_at === null;
}

/** `seesPrices`: a customer's own users see none. */
export function shownTransfer(
  row: ShownTransfer,
  { times, now, seesPrices }: { times: TransferTimes; now: Date; seesPrices: boolean },
): TransferStatusReply {
  const facts = {
    ...{
      requestedAt: row.requested_at,
      registrarStatus: row.registrar_status,
      statusSince: row.status_since,
    },
    ...{ completedAt: row.completed_at, failedAt: row.failed_at },
  };
  const steps = stepsOf(facts, times);
  const open = isOpen(row);
  return {
    ...{ domain: row.address, customerId: row.customer_id, customer: row.organization ?? '' },
    orderId: row.order_id,
    state: row.completed_at ? 'completed' : row.failed_at ? 'failed' : 'running',
    steps,
    reason: row.reason,
    stuck: open && isStuck(steps, now),
    registrarStatus: row.registrar_status,
    askedAt: row.asked_at?.toISOString() ?? null,
    held: open && row.price_cents !== null && seesPrices ? centsToUsd(row.price_cents) : null,
    nameservers: {
      before: row.nameservers_before,
      after: row.nameservers_after,
      kept: row.compared_at ? sameNames(row.nameservers_before, row.nameservers_after) : null,
    },
  };
}

/** With these words the registrar ends a transfer: its order has something to do. */
export function endsTransfer(said: TransferStatus): boolean {
  return said === 'completed' || said === 'cancelled';
}

/** Whether a domain is delegated as it was; null: there is nothing to compare with. */
export function sameNames(before: readonly string[] | null, after: readonly string[] | null): boolean | null {
  if (!before || before.length === 0 || !after) return null;
  return [...before].sort().join() === [...after].sort().join();
}
