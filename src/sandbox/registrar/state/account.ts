import { createHash } from 'node:crypto';
import type { World } from '../world.ts';

interface Account {
  balanceCents: number;
  holdCents: number;
}

export function readAccount(world: World): Account {
  const row = world.sql.get<{ balance_cents: number; hold_cents: number }>(
    'SELECT balance_cents, hold_cents FROM registrar_account WHERE id = 1',
  );
  return { balanceCents: row?.balance_cents ?? 0, holdCents: row?.hold_cents ?? 0 };
}

export function canPay(world: World, cents: number): boolean {
  const { balanceCents, holdCents } = readAccount(world);
  return balanceCents - holdCents >= cents;
}

/** Moves the balance and what is held of it. */
export function moveFunds(world: World, balanceBy: number, holdBy: number): void {
  world.sql.run(
    'UPDATE registrar_account SET balance_cents = balance_cents + ?, hold_cents = hold_cents + ? WHERE id = 1',
    balanceBy,
    holdBy,
  );
}

/** Ids have gaps, as where many resellers share one sequence, and are the same for the same seed. */
export function nextId(world: World, counter: 'order' | 'domain' | 'transfer'): number {
  const row = world.sql.get<{ value: number }>(
    'UPDATE registrar_counters SET value = value + ? WHERE name = ? RETURNING value',
    world.random.integer(1, 40),
    counter,
  );
  if (!row) throw new Error(`no counter ${counter}`);
  return row.value;
}

/** Queues an event for POLL EVENT. */
export function emit(world: World, object: string, event: string, data: Record<string, unknown>): void {
  const { count } = world.sql.get<{ count: number }>(
    `SELECT coalesce(max(sequence), 0) AS count FROM registrar_events`,
  ) ?? { count: 0 };
  const id = createHash('md5').update(`${count}:${world.now()}:${event}`).digest('hex');
  world.sql.run(
    'INSERT INTO registrar_events (event_id, object, event, at, data) VALUES (?, ?, ?, ?, ?)',
    id,
    object,
    event,
    world.now(),
    JSON.stringify(data),
  );
}

export function addNote(
  world: World,
  domain: string,
  orderId: number | null,
  type: string,
  note: string,
): void {
  world.sql.run(
    'INSERT INTO registrar_notes (domain, order_id, type, at, note) VALUES (?, ?, ?, ?, ?)',
    domain,
    orderId,
    type,
    world.now(),
    note,
  );
}

export interface Note {
  at: number;
  note: string;
}

export function notesOf(world: World, where: { domain?: string; orderId?: number; type?: string }): Note[] {
  return world.sql.all<Note>(
    `SELECT at, note FROM registrar_notes
     WHERE (?1 IS NULL OR domain = ?1) AND (?2 IS NULL OR order_id = ?2) AND (?3 IS NULL OR type = ?3)
     ORDER BY sequence`,
    where.domain ?? null,
    where.orderId ?? null,
    where.type ?? null,
  );
}
