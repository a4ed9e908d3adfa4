import type { AttentionCause, AttentionFacts } from '#contracts/values/attention.ts';
import { type RawBuilder, sql, type Tx } from './db/database.ts';

/** One thing that waits for a person, as its feature states it. Whether it is new, changed or over is not its business. */
export interface AttentionStatement<C extends AttentionCause = AttentionCause> {
  organisationId: string;
  /** Names the thing within its cause: what is stated under the same name again is the same item. */
  object: string;
  customerId: string | null;
  address: string | null;
  deadline: Date | null;
  facts: AttentionFacts[C];
}

/** Which organizations a source is asked about; null: all. */
export interface AttentionQuestion {
  organisationIds: readonly string[] | null;
  now: Date;
}

/**
 * What a feature brings to the list of attention: for its cause, everything that waits at this moment. What is not in it
 * any more is closed. It runs under the system's login, inside a transaction, and asks nobody outside.
 */
export interface AttentionSource<C extends AttentionCause = AttentionCause> {
  cause: C;
  present(tx: Tx, question: AttentionQuestion): Promise<AttentionStatement<C>[]>;
}

/** The sources of all causes: one that is missing does not compile. */
export type AttentionSources = { readonly [C in AttentionCause]: AttentionSource<C> };

/** The condition that keeps a statement to the organizations of the question. */
export function inQuestion(column: string, { organisationIds }: AttentionQuestion): RawBuilder<boolean> {
  if (organisationIds === null) return sql<boolean>`true`;
  return sql<boolean>`${sql.ref(column)} = ANY (${[...organisationIds]}::uuid[])`;
}
