import { randomBytes } from 'node:crypto';
import type { SandboxStore } from '../store.ts';
import type { Kinds } from './objects/kinds.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS payments_objects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL, kind TEXT NOT NULL,
  created INTEGER NOT NULL, json TEXT NOT NULL, hidden TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS payments_objects_kind ON payments_objects (account, kind, seq);
CREATE TABLE IF NOT EXISTS payments_events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL, type TEXT NOT NULL,
  thin INTEGER NOT NULL, object_id TEXT NOT NULL, created INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS payments_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL, channel TEXT NOT NULL, due_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, last_status TEXT);
CREATE INDEX IF NOT EXISTS payments_deliveries_due ON payments_deliveries (due_ms) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS payments_idempotency (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL, created_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS payments_timers (
  id INTEGER PRIMARY KEY AUTOINCREMENT, due_ms INTEGER NOT NULL, kind TEXT NOT NULL, account TEXT NOT NULL, object_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS payments_settings (name TEXT PRIMARY KEY, json TEXT NOT NULL);
`;

export const TABLES = ['objects', 'events', 'deliveries', 'idempotency', 'timers', 'settings'] as const;

type Kind = keyof Kinds;

/** What the provider knows but never tells: which test number it was, whether it was set up, one-time tokens. */
export type Hidden = Record<string, string | number | boolean | null>;

export interface Held<K extends Kind> {
  object: Kinds[K];
  hidden: Hidden;
  account: string;
}

export interface ListQuery {
  limit: number;
  startingAfter?: string | null;
  endingBefore?: string | null;
  created?: { gt?: number; gte?: number; lt?: number; lte?: number };
  /** Equality on fields of the object, e.g. `{ customer: 'cus_1' }`. */
  where?: Record<string, string>;
}

interface Row {
  json: string;
  hidden: string;
  account: string;
}

export interface Objects {
  insert<K extends Kind>(kind: K, account: string, object: Kinds[K], hidden?: Hidden): Kinds[K];
  find<K extends Kind>(kind: K, account: string, id: string): Held<K> | null;
  /** Looks an id up whatever its kind is: for `expand[]` and for the control plane. */
  anywhere(id: string): { kind: string; account: string; object: Record<string, unknown> } | null;
  save<K extends Kind>(kind: K, object: Kinds[K], hidden?: Hidden): void;
  list<K extends Kind>(kind: K, account: string, query: ListQuery): { data: Kinds[K][]; hasMore: boolean };
  all<K extends Kind>(kind: K, limit: number): Held<K>[];
}

export function makeTables(store: SandboxStore): void {
  store.db.exec(SCHEMA);
}

/** Runs `work` in one transaction: state, events and their deliveries become true together. */
export function inTransaction<T>(store: SandboxStore, work: () => T): T {
  if (store.db.isTransaction) return work();
  store.db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    store.db.exec('COMMIT');
    return result;
  } catch (error) {
    store.db.exec('ROLLBACK');
    throw error;
  }
}

export function openObjects(store: SandboxStore): Objects {
  const { db } = store;
  const insert = db.prepare(
    'INSERT INTO payments_objects (id, account, kind, created, json, hidden) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const byId = db.prepare(
    'SELECT json, hidden, account FROM payments_objects WHERE id = ? AND kind = ? AND account = ?',
  );
  const anyById = db.prepare('SELECT kind, account, json FROM payments_objects WHERE id = ?');
  const update = db.prepare('UPDATE payments_objects SET json = ?, created = ? WHERE id = ?');
  const updateHidden = db.prepare('UPDATE payments_objects SET hidden = ? WHERE id = ?');
  const latest = db.prepare(
    'SELECT json, hidden, account FROM payments_objects WHERE kind = ? ORDER BY seq DESC LIMIT ?',
  );
  return {
    insert(kind, account, object, hidden = {}) {
      insert.run(object.id, account, kind, createdOf(object), JSON.stringify(object), JSON.stringify(hidden));
      return object;
    },
    find<K extends Kind>(kind: K, account: string, id: string) {
      const row = byId.get(id, kind, account) as Row | undefined;
      return row ? held<K>(row) : null;
    },
    anywhere(id) {
      const row = anyById.get(id) as { kind: string; account: string; json: string } | undefined;
      return row ? { kind: row.kind, account: row.account, object: JSON.parse(row.json) } : null;
    },
    save(_kind, object, hidden) {
      update.run(JSON.stringify(object), createdOf(object), object.id);
      if (hidden) updateHidden.run(JSON.stringify(hidden), object.id);
    },
    list: (kind, account, query) => list(store, kind, account, query),
    all: <K extends Kind>(kind: K, limit: number) =>
      (latest.all(kind, limit) as unknown as Row[]).map((row) => held<K>(row)),
  };
}

const createdOf = (object: object) => ('created' in object ? Number(object.created) : 0);

function held<K extends Kind>(row: Row): Held<K> {
  return { object: JSON.parse(row.json), hidden: JSON.parse(row.hidden), account: row.account };
}

function list<K extends Kind>(store: SandboxStore, kind: K, account: string, query: ListQuery) {
  const clauses = ['account = ?', 'kind = ?'];
  const values: (string | number)[] = [account, kind];
  const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
  for (const [name, operator] of Object.entries(comparisons)) {
    const bound = query.created?.[name as keyof typeof comparisons];
    if (bound === undefined) continue;
    clauses.push(`created ${operator} ?`);
    values.push(bound);
  }
  for (const [field, value] of Object.entries(query.where ?? {})) {
    clauses.push(`json_extract(json, '$.' || ?) = ?`);
    values.push(field, value);
  }
  const seqOf = '(SELECT seq FROM payments_objects WHERE id = ?)';
  if (query.startingAfter) {
    clauses.push(`seq < ${seqOf}`);
    values.push(query.startingAfter);
  }
  if (query.endingBefore) {
    clauses.push(`seq > ${seqOf}`);
    values.push(query.endingBefore);
  }
  const order = query.endingBefore ? 'ASC' : 'DESC';
  const rows = store.db
    .prepare(`SELECT json FROM payments_objects WHERE ${clauses.join(' AND ')} ORDER BY seq ${order} LIMIT ?`)
    .all(...values, query.limit + 1) as { json: string }[];
  const data = rows.slice(0, query.limit).map((row) => JSON.parse(row.json) as Kinds[K]);
  if (query.endingBefore) data.reverse();
  return { data, hasMore: rows.length > query.limit };
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id of the provider's looks: `pi_3N…`; 24 characters of base 62. */
export function newId(prefix: string, length = 24): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return `${prefix}_${text}`;
}
