import { type Db, sql } from '../../src/server/kernel/db/database.ts';
import type { OrderItemKind, OrderItemState } from '../../src/server/kernel/db/schema.ts';
import { checkLedger } from '../../src/server/ledger/check.ts';

/**
 * What must hold at rest, whatever happened before (design: money, invariants), as sentences that begin with the
 * invariant's number. Numbers 10, 14 and 16 are about replies: who asked remembers them and compares (tests/rounds).
 */

export interface JudgedItem {
  id: string;
  kind: OrderItemKind;
  address: string;
  state: OrderItemState;
}

/** 4 to 7: items against what the registrar carried out for them. `null`: this cannot be said of the item. */
export function orderFaults(
  items: readonly JudgedItem[],
  carriedOut: (item: JudgedItem) => number | null,
  { atRest, reported = new Set() }: { atRest: boolean; reported?: ReadonlySet<string> },
): string[] {
  const found: string[] = [];
  for (const item of items) {
    const what = `${item.kind} ${item.address} (${item.id}, ${item.state})`;
    const done = carriedOut(item);
    if (atRest && item.state !== 'succeeded' && item.state !== 'declined') {
      found.push(`4 every item ends once faults stop: ${what}`);
    }
    if (done === null) continue;
    if (done > 1) found.push(`5 at most one registrar order per item: ${what} has ${done}`);
    if (item.state === 'succeeded' && done !== 1) {
      found.push(`6 captured means exactly one completed order: ${what} has ${done}`);
    }
    // A late strike that nothing could hold back is a person's to put right, and they are told of it.
    if (item.state === 'declined' && done > 0 && !reported.has(item.id)) {
      found.push(`7 a completed order is captured or in review: ${what} has ${done}`);
    }
  }
  return found;
}

/** 1, 2, 3, 6, 8, 9 and 15 as far as the ledger knows; 13. */
export async function bookFaults(systemDb: Db): Promise<string[]> {
  const ledger = await checkLedger(systemDb);
  const topups = await sql<{ organisation_id: string; count: number }>`
    SELECT organisation_id, count(*)::int AS count FROM topups
    WHERE kind = 'auto' AND state IN ('requested', 'requires_action', 'processing')
    GROUP BY organisation_id HAVING count(*) > 1`.execute(systemDb);
  return [
    ...ledger.map(({ invariant, found }) => `1-9, 15 ${invariant}: ${found}`),
    ...topups.rows.map((row) => `13 one automatic top-up in flight: ${row.organisation_id} has ${row.count}`),
  ];
}

export interface OutsidePayment {
  id: string;
  cents: number;
  succeeded: boolean;
  /** The top-up or the charge that it is for. */
  about: string;
}

interface Booked {
  id: string;
  cents: number;
  paid: boolean;
}

/** 9, and the same of direct charges: what was paid outside is booked once, and nothing else is. */
export function paymentFaults(
  what: string,
  booked: readonly Booked[],
  payments: readonly OutsidePayment[],
): string[] {
  const found: string[] = [];
  const known = new Set(booked.map(({ id }) => id));
  for (const one of booked) {
    const paid = payments.filter(({ about, succeeded }) => succeeded && about === one.id);
    if (paid.length > 1) found.push(`9 each once: ${what} ${one.id} was paid ${paid.length} times`);
    if (one.paid !== paid.length > 0) {
      found.push(`9 what was paid is booked: ${what} ${one.id}, booked: ${one.paid}, paid: ${paid.length}`);
    }
    for (const { cents } of paid) {
      if (cents !== one.cents) found.push(`9 ${what} ${one.id}: ${cents} cents paid, ${one.cents} booked`);
    }
  }
  for (const payment of payments) {
    if (payment.succeeded && !known.has(payment.about)) {
      found.push(`9 payment ${payment.id} of ${payment.cents} cents is for no ${what}`);
    }
  }
  return found;
}

/**
 * 10 and 11, after every commit: writes down each state that leaves its end, and each kept reply that changes. Triggers of
 * the test's own, with the owner's login.
 */
export async function watchEnds(owner: Db): Promise<void> {
  await sql`
    CREATE TABLE watched_ends (at timestamptz NOT NULL DEFAULT clock_timestamp(), text text NOT NULL);
    CREATE FUNCTION watch_state() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
    BEGIN
      IF OLD.state = ANY (TG_ARGV) AND NEW.state <> OLD.state
        -- A bank takes money back, and a dispute that is won brings it again.
        AND NOT (TG_TABLE_NAME = 'topups' AND NEW.state IN ('reversed', 'succeeded')) THEN
        INSERT INTO watched_ends (text) VALUES ('11 nothing leaves a terminal state: ' || TG_TABLE_NAME || ' '
          || OLD.state || ' became ' || NEW.state || ': ' || to_jsonb(OLD)::text);
      END IF;
      RETURN NEW;
    END $$;
    CREATE FUNCTION watch_reply() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
    BEGIN
      INSERT INTO watched_ends (text) VALUES ('10 same key, same reply: a kept reply was changed, ' || TG_TABLE_NAME
        || ' ' || OLD.key);
      RETURN NEW;
    END $$;
    CREATE TRIGGER watched BEFORE UPDATE ON order_items FOR EACH ROW EXECUTE FUNCTION watch_state('succeeded', 'declined');
    CREATE TRIGGER watched BEFORE UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION watch_state('captured', 'released');
    CREATE TRIGGER watched BEFORE UPDATE ON topups FOR EACH ROW EXECUTE FUNCTION watch_state('succeeded', 'reversed');
    CREATE TRIGGER watched BEFORE UPDATE ON direct_charges FOR EACH ROW EXECUTE FUNCTION watch_state('succeeded', 'waived');
    CREATE TRIGGER watched BEFORE UPDATE ON idempotency_keys FOR EACH ROW
      WHEN (OLD.reply IS NOT NULL AND OLD.reply::text IS DISTINCT FROM NEW.reply::text) EXECUTE FUNCTION watch_reply();
    CREATE TRIGGER watched BEFORE UPDATE ON request_keys FOR EACH ROW
      WHEN (OLD.reply_sealed IS NOT NULL AND OLD.reply_sealed IS DISTINCT FROM NEW.reply_sealed)
      EXECUTE FUNCTION watch_reply();
  `.execute(owner);
}

export async function watchedFaults(owner: Db): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`SELECT text FROM watched_ends ORDER BY at`.execute(owner);
  return rows.map(({ text }) => text);
}
