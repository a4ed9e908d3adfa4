import type { Fence } from '#kernel/fence.ts';
import type { Outcome } from '../outcome.ts';
import type { Sought, WantedOrder } from '../sought.ts';
import type { OrderOrigin } from '../tag.ts';
import type { ContactSet } from './names.ts';

/** Orders of names: made, found again by their tag, and followed to their end. Asked of every registrar. */
export interface RegistrarOrders {
  /** Our account at the registrar. */
  balance(): Promise<{ balanceCents: number; heldCents: number }>;
  register(input: RegisterInput, fence: Fence): Promise<Outcome<RegisterResult>>;
  renew(input: RenewInput, fence: Fence): Promise<Outcome<RenewResult>>;
  /** Has a name back that the registry has deleted. Refused where it is not deleted, or cannot be had back. */
  redeem(
    input: { domain: string; tag: string; origin?: OrderOrigin },
    fence: Fence,
  ): Promise<Outcome<{ orderId: string | null }>>;
  transferIn(input: TransferInput, fence: Fence): Promise<Outcome<{ orderId: string }>>;
  /**
   * The registrar's newest orders for this name, with the tags they were placed under. Throws `UpstreamUnavailable` when
   * one of them cannot be read.
   */
  ordersFor(domain: string): Promise<RegistrarOrder[]>;
  /** The order of this kind that was placed under the tag. */
  seekOrder(wanted: WantedOrder & { kind: 'new' | 'renewal' | 'transfer' }): Promise<Sought<RegistrarOrder>>;
  /** null: no such order. */
  order(orderId: string): Promise<RegistrarOrder | null>;
  checkTransfer(domain: string): Promise<TransferCheck>;
  transferStatus(domain: string): Promise<TransferStatus>;
  /** Names whose transfer to us was ordered since then (whole days), whatever became of it. */
  transfersSince(since: Date): AsyncIterable<string>;
  cancelTransfer(orderId: string, fence: Fence): Promise<Outcome<void>>;
}

export interface RegisterInput {
  domain: string;
  years: number;
  privacy: boolean;
  autoRenew: boolean;
  contacts: Omit<ContactSet, 'tech'>;
  /** Our cost as quoted, for a premium name: the registrar refuses the order when it no longer holds. */
  premiumCostCents?: number | undefined;
  /** Registrant profile at the registrar: stored encrypted with the domain, made once per item. */
  credentials: { username: string; password: string };
  tag: string;
  origin?: OrderOrigin;
}

export interface RegisterResult {
  orderId: string;
  /** Remarks such as "privacy could not be enabled", fit to show. */
  notes: string[];
}

export interface RenewInput {
  domain: string;
  years: number;
  /** Year of the registry expiry when the price was quoted; never re-read before a retry. */
  currentExpiryYear: number;
  autoRenew: boolean;
  tag: string;
  origin?: OrderOrigin;
}

export interface RenewResult {
  orderId: string;
  expiresAt: Date;
}

export interface TransferInput {
  domain: string;
  authCode: string;
  contacts: Omit<ContactSet, 'tech'>;
  credentials: { username: string; password: string };
  tag: string;
  origin?: OrderOrigin;
}

export interface RegistrarOrder {
  orderId: string;
  domain: string;
  kind: 'new' | 'renewal' | 'transfer' | 'redemption' | 'other';
  state: 'completed' | 'pending' | 'cancelled' | 'declined' | 'unknown';
  tag: string | null;
  /** What its tag says besides; null or absent: it was placed before tags did. */
  origin?: OrderOrigin | null;
  /** null when the registrar does not say. */
  costCents: number | null;
  years: number | null;
  orderedAt: Date | null;
}

export interface TransferCheck {
  transferable: boolean;
  /** The registrar could not ask the registry. */
  unavailable: boolean;
  reason: string | null;
  reasonCode: string | null;
  status: TransferStatus | null;
  /** Why it cannot be transferred, where that is one of what is usual. */
  hindrance: TransferHindrance | null;
}

export type TransferHindrance = 'locked' | 'young' | 'unregistered' | 'deleted' | 'under-way';

export type TransferStatus =
  | 'pending_owner'
  | 'pending_admin'
  | 'pending_registry'
  | 'completed'
  | 'cancelled'
  | 'undefined';
