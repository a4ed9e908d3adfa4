import type { Selectable } from '#kernel/db/database.ts';
import type { OrderItemKind, OrderItemState, OrderItemsTable } from '#kernel/db/schema.ts';
import type { Contact } from '../../ports/registrar.ts';

/** What was ordered, as it stood when it was ordered; later edits of the customer change nothing here. */
export interface ItemDetails {
  privacy?: boolean;
  autoRenew?: boolean;
  /** The registry asks more for this name; its cost goes along, so that it cannot change unseen. */
  premium?: boolean;
  /** Written down by recovery: what its customer was charged directly is at their provider. */
  adopted?: boolean;
  contacts?: { owner: Contact; admin: Contact; billing: Contact };
  certificate?: {
    provider: string;
    productType: string;
    csr: string;
    validation: 'DNS' | 'File' | 'Email';
    approverEmail: string | null;
    renewsOrderId: string | null;
    acmeAccessId?: string;
  };
}

/** What an item's secrets are sealed for: copied to another row they do not open. */
export function secretsContext(organisationId: string, itemId: string): string {
  return `${organisationId}:${itemId}`;
}

/** Kept sealed: the registrant profile made for this item, and the auth code of a transfer. */
export interface ItemSecrets {
  username?: string;
  password?: string;
  authCode?: string;
}

export interface Item {
  id: string;
  organisationId: string;
  orderId: string;
  kind: OrderItemKind;
  address: string;
  customerId: string | null;
  years: number;
  priceCents: number;
  costCents: number;
  details: ItemDetails;
  secretsSealed: Buffer | null;
  state: OrderItemState;
  attempt: number;
  checks: number;
  /** When the present attempt was claimed. */
  sentAt: Date | null;
  unknownSince: Date | null;
  registrarOrderId: string | null;
  expiryYear: number | null;
  publicError: string | null;
  outcomeNote: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export function toItem(row: Selectable<OrderItemsTable>): Item {
  return {
    id: row.id,
    organisationId: row.organisation_id,
    orderId: row.order_id,
    kind: row.kind,
    address: row.address,
    customerId: row.customer_id,
    years: row.years,
    priceCents: row.price_cents,
    costCents: row.cost_cents,
    details: row.details as ItemDetails,
    secretsSealed: row.secrets_sealed,
    state: row.state,
    attempt: row.attempt,
    checks: row.checks,
    sentAt: row.sent_at,
    unknownSince: row.unknown_since,
    registrarOrderId: row.registrar_order_id,
    expiryYear: row.expiry_year,
    publicError: row.public_error,
    outcomeNote: row.outcome_note,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
