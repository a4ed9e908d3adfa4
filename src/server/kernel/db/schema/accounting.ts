import type { Generated } from 'kysely';
import type { At } from './columns.ts';

/** What an accountant asks for: numbers of papers, who they are made out to, and what customers have paid directly. */

export interface ReceiptsTable {
  organisation_id: string;
  order_id: string;
  number: number;
  issued_at: At;
}

export interface BillingAddressesTable {
  organisation_id: string;
  name: string;
  address: string[];
  tax_id: string;
}

/** Written by a trigger of `direct_charges` alone. */
export interface DirectTakingsTable {
  id: Generated<number>;
  organisation_id: string;
  charge_id: string;
  cents: number;
  at: Date;
}
