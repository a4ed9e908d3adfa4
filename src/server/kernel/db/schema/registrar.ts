import type { Json } from './columns.ts';

/** What the registrar tells of its own accord, and our account there. */

export interface RegistrarEventsTable {
  id: string;
  object: string;
  event: string;
  at: Date | null;
  address: string | null;
  data: Json<Record<string, string>>;
  effect: 'sync' | 'deleted' | 'transfer' | 'order' | 'nothing' | 'unknown';
  received_at: Date;
}

export interface RegistrarAccountTable {
  id: boolean;
  balance_cents: number;
  held_cents: number;
  read_at: Date;
  alarmed_at: Date | null;
  alarmed_level: 'low' | 'short' | null;
}
