import type { SandboxStore } from '../store.ts';
import { newId } from './database.ts';
import { API_VERSION, type CurrentRequest, type WebhookEndpoint } from './world.ts';

export type Channel = 'platform' | 'connect' | 'thin';

export interface StoredEvent {
  id: string;
  account: string;
  type: string;
  thin: boolean;
  objectId: string;
  created: number;
  json: string;
}

export interface EventLog {
  snapshot(type: string, object: { id: string }, account: string, request: CurrentRequest): StoredEvent;
  thin(type: string, accountId: string, data?: Record<string, string>): StoredEvent;
  find(id: string, thin: boolean): StoredEvent | null;
  list(query: EventQuery): { data: StoredEvent[]; hasMore: boolean };
}

interface EventQuery {
  thin: boolean;
  /** null: of any account. */
  account: string | null;
  types: string[] | null;
  created: { gt?: number; gte?: number; lt?: number; lte?: number };
  objectId: string | null;
  startingAfter: string | null;
  endingBefore: string | null;
  limit: number;
}

export function channelOf(event: { thin: boolean; account: string }): Channel {
  if (event.thin) return 'thin';
  return event.account === '' ? 'platform' : 'connect';
}

export function urlOf(endpoint: WebhookEndpoint, channel: Channel): string | null {
  if (channel === 'thin') return endpoint.thinUrl ?? endpoint.url;
  if (channel === 'connect') return endpoint.connectUrl ?? endpoint.url;
  return endpoint.url;
}

interface Row extends Omit<StoredEvent, 'thin' | 'objectId'> {
  thin: number;
  object_id: string;
}

const stored = ({ object_id, thin, ...rest }: Row): StoredEvent => ({
  ...rest,
  thin: thin === 1,
  objectId: object_id,
});

/**
 * Every event ever made, whether a webhook carried it or not: sweeps read it back over `/v1/events`.
 * @param onEvent called in the same transaction; the delivery queue writes its row there.
 */
export function openEventLog(store: SandboxStore, onEvent: (event: StoredEvent) => void): EventLog {
  const { db } = store;
  const insert = db.prepare(
    'INSERT INTO payments_events (id, account, type, thin, object_id, created, json) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const byId = db.prepare('SELECT * FROM payments_events WHERE id = ? AND thin = ?');
  const add = (event: StoredEvent): StoredEvent => {
    insert.run(
      event.id,
      event.account,
      event.type,
      event.thin ? 1 : 0,
      event.objectId,
      event.created,
      event.json,
    );
    onEvent(event);
    return event;
  };
  return {
    snapshot: (type, object, account, request) => add(snapshotEvent(store, type, object, account, request)),
    thin: (type, accountId, data) => add(thinEvent(store, type, accountId, data)),
    find(id, thin) {
      const row = byId.get(id, thin ? 1 : 0) as Row | undefined;
      return row ? stored(row) : null;
    },
    list: (query) => list(store, query),
  };
}

function snapshotEvent(
  store: SandboxStore,
  type: string,
  object: { id: string },
  account: string,
  request: CurrentRequest,
): StoredEvent {
  const created = Math.floor(store.now() / 1000);
  const id = newId('evt');
  const body = {
    id,
    object: 'event',
    ...(account === '' ? {} : { account }),
    api_version: API_VERSION,
    created,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: request.id, idempotency_key: request.idempotencyKey },
    type,
  };
  return { id, account, type, thin: false, objectId: object.id, created, json: JSON.stringify(body) };
}

function thinEvent(
  store: SandboxStore,
  type: string,
  accountId: string,
  data?: Record<string, string>,
): StoredEvent {
  const nowMs = store.now();
  const id = newId('evt_test', 40);
  const body = {
    id,
    object: 'v2.core.event',
    created: new Date(nowMs).toISOString(),
    livemode: false,
    type,
    related_object: { id: accountId, type: 'v2.core.account', url: `/v2/core/accounts/${accountId}` },
    ...(data ? { data } : {}),
  };
  const created = Math.floor(nowMs / 1000);
  return { id, account: '', type, thin: true, objectId: accountId, created, json: JSON.stringify(body) };
}

function list(store: SandboxStore, query: EventQuery): { data: StoredEvent[]; hasMore: boolean } {
  const clauses = ['thin = ?'];
  const values: (string | number)[] = [query.thin ? 1 : 0];
  const also = (clause: string, ...bound: (string | number)[]) => {
    clauses.push(clause);
    values.push(...bound);
  };
  if (query.account !== null) also('account = ?', query.account);
  if (query.objectId) also('object_id = ?', query.objectId);
  if (query.types) {
    // `payment_intent.*` is how the provider writes a family of types.
    const patterns = query.types.map((type) => type.replaceAll('*', '\u0000'));
    also(
      `(${patterns.map(() => 'type GLOB ?').join(' OR ')})`,
      ...patterns.map((type) => type.replace(/[[\]?]/g, (char) => `[${char}]`).replaceAll('\u0000', '*')),
    );
  }
  const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
  for (const [name, operator] of Object.entries(comparisons)) {
    const bound = query.created[name as keyof typeof comparisons];
    if (bound !== undefined) also(`created ${operator} ?`, bound);
  }
  if (query.startingAfter) also('seq < (SELECT seq FROM payments_events WHERE id = ?)', query.startingAfter);
  if (query.endingBefore) also('seq > (SELECT seq FROM payments_events WHERE id = ?)', query.endingBefore);
  const order = query.endingBefore ? 'ASC' : 'DESC';
  const rows = store.db
    .prepare(`SELECT * FROM payments_events WHERE ${clauses.join(' AND ')} ORDER BY seq ${order} LIMIT ?`)
    .all(...values, query.limit + 1) as unknown as Row[];
  const data = rows.slice(0, query.limit).map(stored);
  if (query.endingBefore) data.reverse();
  return { data, hasMore: rows.length > query.limit };
}
