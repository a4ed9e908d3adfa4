import type { SandboxStore } from '../store.ts';
import type { Objects } from './database.ts';

export interface PaymentsKeys {
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  connectWebhookSecret: string;
}

/** Where webhooks go. The provider lets each kind have its own endpoint; unset ones fall back to `url`. */
export interface WebhookEndpoint {
  url: string | null;
  /** Events of connected accounts. */
  connectUrl?: string | null;
  /** v2 thin events. */
  thinUrl?: string | null;
}

export interface Settings {
  read<T>(name: string, otherwise: T): T;
  write(name: string, value: unknown): void;
}

/** Something that happens later by the sandbox's clock. */
export type TimerKind =
  | 'settle-payment'
  | 'dispute-payment'
  | 'settle-refund'
  | 'fail-refund'
  | 'expire-session';

/** The request that is being served, as events repeat it in `request`. */
export interface CurrentRequest {
  id: string | null;
  idempotencyKey: string | null;
}

/** What every endpoint works on. */
export interface World {
  store: SandboxStore;
  objects: Objects;
  keys: PaymentsKeys;
  settings: Settings;
  /** e.g. `http://127.0.0.1:4302` */
  baseUrl: string;
  request: CurrentRequest;
  /** The sandbox's time in whole seconds, as the provider counts. */
  seconds(): number;
  /** Stores a snapshot event and sends it on. `account` is '' for the platform. */
  emit(type: string, object: { id: string }, account: string): void;
  /** Stores a v2 thin event about an account and sends it on. */
  emitThin(type: string, accountId: string, data?: Record<string, string>): void;
  later(delayMs: number, kind: TimerKind, account: string, objectId: string): void;
}

/** API version of SDK 23.1.0 (reference §2.1, checked 2026-11-21). */
export const API_VERSION = '2026-10-28.endive';

/** The platform's id for its own application, as connected objects name it. */
export const APPLICATION_ID = 'ca_sandboxNamewardPlatform00';

export function openSettings(store: SandboxStore): Settings {
  const select = store.db.prepare('SELECT json FROM payments_settings WHERE name = ?');
  const upsert = store.db.prepare(
    'INSERT INTO payments_settings (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = excluded.json',
  );
  return {
    read(name, otherwise) {
      const row = select.get(name) as { json: string } | undefined;
      return row ? JSON.parse(row.json) : otherwise;
    },
    write: (name, value) => {
      upsert.run(name, JSON.stringify(value));
    },
  };
}
