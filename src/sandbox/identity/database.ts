import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { SandboxStore } from '../store.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS identity_users (
  realm TEXT NOT NULL, id TEXT NOT NULL, email TEXT NOT NULL, email_verified INTEGER NOT NULL, name TEXT,
  password TEXT NOT NULL, created_ms INTEGER NOT NULL, signed_in_ms INTEGER, PRIMARY KEY (realm, id), UNIQUE (realm, email));
CREATE TABLE IF NOT EXISTS identity_links (
  realm TEXT NOT NULL, user_id TEXT NOT NULL, purpose TEXT NOT NULL, token_hash TEXT NOT NULL, expires_ms INTEGER NOT NULL,
  PRIMARY KEY (realm, user_id, purpose));
CREATE TABLE IF NOT EXISTS identity_attempts (
  realm TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, at_ms INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS identity_attempts_key ON identity_attempts (realm, kind, key, at_ms);
CREATE TABLE IF NOT EXISTS identity_artifacts (
  realm TEXT NOT NULL, model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, grant_id TEXT, uid TEXT,
  account_id TEXT, expires_ms INTEGER, PRIMARY KEY (realm, model, id));
CREATE INDEX IF NOT EXISTS identity_artifacts_grant ON identity_artifacts (realm, grant_id);
CREATE INDEX IF NOT EXISTS identity_artifacts_uid ON identity_artifacts (realm, model, uid);
CREATE TABLE IF NOT EXISTS identity_settings (
  realm TEXT NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (realm, name));
`;

export function makeTables(store: SandboxStore): void {
  store.db.exec(SCHEMA);
}

/** Models that die with the person's sign-in; an interaction is only a page somebody looks at. */
const ENDED_WITH_SESSIONS = ['Session', 'Grant', 'RefreshToken', 'AuthorizationCode'];

/**
 * Where the provider library keeps sessions, grants and tokens. Its own clock is the real one, also where the
 * sandbox's has been advanced: the portal checks tokens by real time.
 */
export interface Artifacts {
  adapter(model: string): Adapter;
  /** Everything that was granted in one sign-in: its tokens and the grant itself. */
  revokeGrant(grantId: string): void;
  /** Signs a person out everywhere. */
  endSessions(accountId: string): void;
  count(model: string): number;
  clear(): void;
}

export function openArtifacts(store: SandboxStore, realm: string): Artifacts {
  const { db } = store;
  const byId = db.prepare('SELECT payload FROM identity_artifacts WHERE realm = ? AND model = ? AND id = ?');
  const byUid = db.prepare(
    'SELECT payload FROM identity_artifacts WHERE realm = ? AND model = ? AND uid = ?',
  );
  const upsert = db.prepare(
    `INSERT OR REPLACE INTO identity_artifacts (realm, model, id, payload, grant_id, uid, account_id, expires_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const sweep = db.prepare('DELETE FROM identity_artifacts WHERE realm = ? AND expires_ms < ?');

  function read(row: unknown): AdapterPayload | undefined {
    return row ? (JSON.parse((row as { payload: string }).payload) as AdapterPayload) : undefined;
  }

  function adapter(model: string): Adapter {
    return {
      async upsert(id, payload, expiresInSeconds) {
        const expiresMs = expiresInSeconds ? Date.now() + expiresInSeconds * 1000 : null;
        sweep.run(realm, Date.now());
        upsert.run(
          realm,
          model,
          id,
          JSON.stringify(payload),
          payload.grantId ?? null,
          payload.uid ?? null,
          payload.accountId ?? null,
          expiresMs,
        );
      },
      find: async (id) => read(byId.get(realm, model, id)),
      findByUid: async (uid) => read(byUid.get(realm, model, uid)),
      // The device flow is off; nothing has a user code.
      findByUserCode: async () => undefined,
      async consume(id) {
        db.prepare(
          `UPDATE identity_artifacts SET payload = json_set(payload, '$.consumed', ?)
           WHERE realm = ? AND model = ? AND id = ?`,
        ).run(Math.floor(Date.now() / 1000), realm, model, id);
      },
      async destroy(id) {
        db.prepare('DELETE FROM identity_artifacts WHERE realm = ? AND model = ? AND id = ?').run(
          realm,
          model,
          id,
        );
      },
      async revokeByGrantId(grantId) {
        db.prepare('DELETE FROM identity_artifacts WHERE realm = ? AND grant_id = ?').run(realm, grantId);
      },
    };
  }

  return {
    adapter,
    revokeGrant(grantId) {
      db.prepare(
        "DELETE FROM identity_artifacts WHERE realm = ? AND (grant_id = ? OR (model = 'Grant' AND id = ?))",
      ).run(realm, grantId, grantId);
    },
    endSessions(accountId) {
      const statement = db.prepare(
        'DELETE FROM identity_artifacts WHERE realm = ? AND model = ? AND account_id = ?',
      );
      for (const model of ENDED_WITH_SESSIONS) statement.run(realm, model, accountId);
    },
    count(model) {
      const row = db
        .prepare(
          'SELECT count(*) AS n FROM identity_artifacts WHERE realm = ? AND model = ? AND account_id IS NOT NULL',
        )
        .get(realm, model);
      return (row as { n: number }).n;
    },
    clear() {
      db.prepare('DELETE FROM identity_artifacts WHERE realm = ?').run(realm);
    },
  };
}

export interface Settings {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
}

export function openSettings(store: SandboxStore, realm: string): Settings {
  return {
    read(name) {
      const row = store.db
        .prepare('SELECT json FROM identity_settings WHERE realm = ? AND name = ?')
        .get(realm, name) as { json: string } | undefined;
      return row ? (JSON.parse(row.json) as unknown) : undefined;
    },
    write(name, value) {
      store.db
        .prepare('INSERT OR REPLACE INTO identity_settings (realm, name, json) VALUES (?, ?, ?)')
        .run(realm, name, JSON.stringify(value));
    },
  };
}
