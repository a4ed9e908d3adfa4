import type { Knobs } from './knobs.ts';
import type { Random } from './random.ts';
import type { Sql } from './sql.ts';

/** What every command works on. */
export interface World {
  sql: Sql;
  /** The sandbox's time in ms. */
  now(): number;
  random: Random;
  /** Settings as they stand now: the control plane changes them. */
  knobs(): Knobs;
  /** The reseller's name at the registrar. */
  username: string;
  /** The certificates above those that the authority issues, the root last. */
  authorityChain(): string[];
  /** Leaves for the mailbox; nobody waits for it. */
  mail(message: Mail): void;
}

export interface Mail {
  to: string;
  from: string;
  subject: string;
  text: string;
}

/** Ways in which one order is made to end otherwise than asked for. */
export type OrderTwist = 'forced-pending' | 'async';
