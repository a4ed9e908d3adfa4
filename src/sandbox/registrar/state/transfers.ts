import { addYears } from '../format.ts';
import type { World } from '../world.ts';
import { mapOf, textOf } from '../xcp.ts';
import { addNote, emit, nextId } from './account.ts';
import { findDomain, removeDomain } from './domains.ts';
import { findOrder, finishOrder, type Order } from './orders.ts';
import { describeOutside, findOutside, saveOutside } from './outside.ts';
import { provision } from './provision.ts';

type TransferStatus = 'pending_owner' | 'pending_admin' | 'pending_registry' | 'completed' | 'cancelled';

export interface Transfer {
  id: number;
  orderId: number | null;
  domain: string;
  direction: 'in' | 'away';
  status: TransferStatus;
  otherRegistrar: string;
  requestedAt: number;
  /** When it moves on by itself; null when it does not. */
  stepAt: number | null;
  completedAt: number | null;
  requestAddress: string;
}

interface TransferRow {
  id: number;
  order_id: number | null;
  domain: string;
  direction: 'in' | 'away';
  status: TransferStatus;
  other_registrar: string;
  requested_at: number;
  step_at: number | null;
  completed_at: number | null;
  request_address: string;
}

function fromRow(row: TransferRow): Transfer {
  return {
    id: row.id,
    orderId: row.order_id,
    domain: row.domain,
    direction: row.direction,
    status: row.status,
    otherRegistrar: row.other_registrar,
    requestedAt: row.requested_at,
    stepAt: row.step_at,
    completedAt: row.completed_at,
    requestAddress: row.request_address,
  };
}

/** Newest first. `condition` is SQL of this part's own, never a caller's. */
export function findTransfers(world: World, condition: string, ...values: (string | number)[]): Transfer[] {
  return world.sql
    .all<TransferRow>(`SELECT * FROM registrar_transfers WHERE ${condition} ORDER BY id DESC`, ...values)
    .map(fromRow);
}

export function openTransfer(world: World, domain: string): Transfer | undefined {
  return findTransfers(world, `domain = ? AND status LIKE 'pending%'`, domain)[0];
}

export function saveTransfer(world: World, transfer: Transfer): void {
  world.sql.run(
    'INSERT OR REPLACE INTO registrar_transfers VALUES (?,?,?,?,?,?,?,?,?,?)',
    transfer.id,
    transfer.orderId,
    transfer.domain,
    transfer.direction,
    transfer.status,
    transfer.otherRegistrar,
    transfer.requestedAt,
    transfer.stepAt,
    transfer.completedAt,
    transfer.requestAddress,
  );
}

/** Horizon's transfers never move by themselves (checked 2026-11-21). */
function nextStep(world: World): number | null {
  return world.knobs().profile === 'horizon' ? null : world.now() + world.knobs().transferStepMs;
}

/** A transfer to us, from the moment the order is accepted. */
export function startTransferIn(world: World, order: Order): Transfer {
  const transfer: Transfer = {
    id: nextId(world, 'transfer'),
    orderId: order.id,
    domain: order.domain,
    direction: 'in',
    status: 'pending_owner',
    otherRegistrar: findOutside(world, order.domain)?.registrar ?? '',
    requestedAt: world.now(),
    // Without a code the owner has to be asked, and does not answer by itself.
    stepAt: textOf(order.attributes, 'auth_info') ? nextStep(world) : null,
    completedAt: null,
    requestAddress: textOf(mapOf(mapOf(order.attributes, 'contact_set'), 'owner'), 'email'),
  };
  change(world, transfer, {});
  return transfer;
}

export function startTransferAway(world: World, domain: string, gaining: string): Transfer {
  const transfer: Transfer = {
    id: nextId(world, 'transfer'),
    orderId: null,
    domain,
    direction: 'away',
    status: 'pending_owner',
    otherRegistrar: gaining,
    requestedAt: world.now(),
    stepAt: nextStep(world),
    completedAt: null,
    requestAddress: '',
  };
  change(world, transfer, {});
  return transfer;
}

function change(world: World, transfer: Transfer, changes: Partial<Transfer>): Transfer {
  const next = { ...transfer, ...changes };
  saveTransfer(world, next);
  emit(world, 'TRANSFER', 'STATUS_CHANGE', {
    domain_name: next.domain,
    transfer_id: String(next.id),
    order_id: next.orderId === null ? '' : String(next.orderId),
    transfer_status: next.status,
  });
  addNote(world, next.domain, next.orderId, 'transfer', `Transfer ${next.id}: ${next.status}`);
  return next;
}

/** One step of a transfer's life: owner, registry, completed; or cancelled where the code or the name refuses. */
export function stepTransfer(world: World, transfer: Transfer): Transfer {
  if (transfer.direction === 'away') return stepAway(world, transfer);
  const order = findOrder(world, String(transfer.orderId));
  const outside = findOutside(world, transfer.domain);
  if (!order || !outside) return cancelTransfer(world, transfer);
  if (outside.locked || textOf(order.attributes, 'auth_info') !== outside.authCode) {
    return cancelTransfer(world, transfer);
  }
  if (transfer.status !== 'pending_registry') {
    return change(world, transfer, { status: 'pending_registry', stepAt: nextStep(world) });
  }
  finishOrder(world, order, 'completed');
  provision(world, {
    domain: transfer.domain,
    attributes: order.attributes,
    contacts: mapOf(order.attributes, 'sandbox_contacts'),
    nameservers: nameserversAfter(order, outside.nameservers),
    createdAt: outside.createdAt,
    // A transfer adds a year (.com, checked 2026-11-21).
    expiresAt: addYears(outside.expiresAt, 1),
    transferredAt: world.now(),
  });
  return change(world, transfer, { status: 'completed', stepAt: null, completedAt: world.now() });
}

function nameserversAfter(order: Order, before: string[]): string[] {
  const chosen = order.attributes.sandbox_nameservers;
  if (!Array.isArray(chosen)) return before;
  return chosen.filter((name) => typeof name === 'string');
}

function stepAway(world: World, transfer: Transfer): Transfer {
  if (transfer.status !== 'pending_registry') {
    return change(world, transfer, { status: 'pending_registry', stepAt: nextStep(world) });
  }
  const domain = findDomain(world, transfer.domain);
  if (domain) {
    removeDomain(world, domain.domain);
    const left = describeOutside(world, domain.domain, {
      registrar: transfer.otherRegistrar,
      nameservers: domain.nameservers,
    });
    saveOutside(world, {
      ...left,
      createdAt: domain.createdAt,
      expiresAt: addYears(domain.expiresAt, 1),
    });
  }
  return change(world, transfer, { status: 'completed', stepAt: null, completedAt: world.now() });
}

export function cancelTransfer(world: World, transfer: Transfer): Transfer {
  const order = transfer.orderId === null ? null : findOrder(world, String(transfer.orderId));
  if (order && order.status === 'waiting') finishOrder(world, order, 'cancelled');
  return change(world, transfer, { status: 'cancelled', stepAt: null });
}
