import type { RegistrarEvent } from '../../ports/registrar.ts';

/** What the portal does about an event. Whatever it says is read from the registrar again, never taken from the event. */
export type Effect =
  /** The domain is read again: dates, lock, nameservers, the registrant's verification. */
  | { kind: 'sync'; address: string }
  /** The domain was deleted and can be restored until then. */
  | { kind: 'deleted'; address: string; restorableUntil: Date | null }
  /** The transfer's state is asked for. */
  | { kind: 'transfer'; address: string }
  /** The item that this order carries out is looked at, and taken to its end, also where it waits for a person. */
  | { kind: 'order'; registrarOrderId: string }
  /** Known, and of no consequence here. */
  | { kind: 'nothing' }
  /** Nobody has taught the portal this one. It is kept, so that somebody can. */
  | { kind: 'unknown' };

const ofDomains = [
  ...['CREATED', 'REGISTERED', 'RENEWED', 'EXPIRED', 'REDEEMED', 'NAMESERVER_UPDATE', 'MODIFIED', 'UPDATED'],
  'REGISTRANT_VERIFICATION_STATUS_CHANGE',
];
const ofNoConsequence = ['DOMAIN ZONE_CHECK_STATUS_CHANGE', 'ORDER CLAIM_STATUS_CHANGE'];

/** The vendor's kinds (reference §15, checked 2026-11-21); one without its subject is as good as unknown. */
export function effectOf(event: RegistrarEvent): Effect {
  const kind = `${event.object} ${event.event}`.toUpperCase();
  const { domain: address } = event;
  if (ofNoConsequence.includes(kind)) return { kind: 'nothing' };
  if (kind === 'ORDER STATUS_CHANGE') {
    const registrarOrderId = event.data.order_id;
    return registrarOrderId ? { kind: 'order', registrarOrderId } : { kind: 'unknown' };
  }
  if (!address) return { kind: 'unknown' };
  if (kind === 'TRANSFER STATUS_CHANGE') return { kind: 'transfer', address };
  if (kind === 'DOMAIN DELETED') {
    return { kind: 'deleted', address, restorableUntil: event.restorableUntil };
  }
  if (ofDomains.some((name) => kind === `DOMAIN ${name}`)) return { kind: 'sync', address };
  return { kind: 'unknown' };
}
