import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { SandboxStore } from '../store.ts';
import { hashPassword, verifyPassword } from './password.ts';

export interface User {
  id: string;
  email: string;
  emailVerified: boolean;
  name: string | null;
  createdMs: number;
  signedInMs: number | null;
}

/** `verify`: confirms an e-mail address; `reset`: sets a new password. */
export type LinkPurpose = 'verify' | 'reset';

const LINK_LIFE_MS: Record<LinkPurpose, number> = { verify: 24 * 3_600_000, reset: 3_600_000 };

export interface NewUser {
  email: string;
  password: string;
  verified?: boolean;
  name?: string | null;
}

export interface Accounts {
  /** Null when the address is taken. */
  create(user: NewUser): Promise<User | null>;
  byId(id: string): User | null;
  byEmail(email: string): User | null;
  /** The person whose e-mail and password these are; takes as long when there is none. */
  authenticate(email: string, password: string): Promise<User | null>;
  setPassword(id: string, password: string): Promise<void>;
  setVerified(id: string, verified: boolean): void;
  setName(id: string, name: string | null): void;
  signedIn(id: string): void;
  /** A link's secret. An earlier one for the same purpose stops working. */
  issueLink(id: string, purpose: LinkPurpose): string;
  /** Whose link it is, while it is valid. */
  peekLink(purpose: LinkPurpose, token: string): User | null;
  /** The same, and the link is used up. */
  redeemLink(purpose: LinkPurpose, token: string): User | null;
  hasLink(id: string, purpose: LinkPurpose): boolean;
  list(): User[];
  remove(id: string): void;
  clear(): void;
}

interface Row {
  id: string;
  email: string;
  email_verified: number;
  name: string | null;
  password: string;
  created_ms: number;
  signed_in_ms: number | null;
}

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

function toUser(row: Row): User {
  return {
    id: row.id,
    email: row.email,
    emailVerified: row.email_verified === 1,
    name: row.name,
    createdMs: row.created_ms,
    signedInMs: row.signed_in_ms,
  };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function openAccounts(store: SandboxStore, realm: string): Accounts {
  const { db } = store;

  function row(column: 'id' | 'email', value: string): Row | null {
    const found = db
      .prepare(`SELECT * FROM identity_users WHERE realm = ? AND ${column} = ?`)
      .get(realm, value);
    return found ? (found as unknown as Row) : null;
  }

  function byId(id: string): User | null {
    const found = row('id', id);
    return found && toUser(found);
  }

  function set(
    column: 'password' | 'email_verified' | 'name' | 'signed_in_ms',
    value: string | number | null,
    id: string,
  ): void {
    db.prepare(`UPDATE identity_users SET ${column} = ? WHERE realm = ? AND id = ?`).run(value, realm, id);
  }

  function peekLink(purpose: LinkPurpose, token: string): User | null {
    const found = db
      .prepare(
        'SELECT user_id FROM identity_links WHERE realm = ? AND purpose = ? AND token_hash = ? AND expires_ms > ?',
      )
      .get(realm, purpose, hashToken(token), store.now()) as { user_id: string } | undefined;
    return found ? byId(found.user_id) : null;
  }

  return {
    async create({ email, password, verified = false, name = null }) {
      const address = normalizeEmail(email);
      if (row('email', address)) return null;
      const id = `user_${randomUUID().replaceAll('-', '')}`;
      const hash = await hashPassword(password);
      const { changes } = db
        .prepare(
          `INSERT INTO identity_users (realm, id, email, email_verified, name, password, created_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        )
        .run(realm, id, address, verified ? 1 : 0, name, hash, store.now());
      return changes === 1 ? byId(id) : null;
    },
    byId,
    byEmail(email) {
      const found = row('email', normalizeEmail(email));
      return found && toUser(found);
    },
    async authenticate(email, password) {
      const found = row('email', normalizeEmail(email));
      const right = await verifyPassword(password, found?.password ?? null);
      return right && found ? toUser(found) : null;
    },
    async setPassword(id, password) {
      set('password', await hashPassword(password), id);
    },
    setVerified: (id, verified) => set('email_verified', verified ? 1 : 0, id),
    setName: (id, name) => set('name', name, id),
    signedIn: (id) => set('signed_in_ms', store.now(), id),
    issueLink(id, purpose) {
      const token = randomBytes(32).toString('base64url');
      db.prepare(
        `INSERT OR REPLACE INTO identity_links (realm, user_id, purpose, token_hash, expires_ms) VALUES (?, ?, ?, ?, ?)`,
      ).run(realm, id, purpose, hashToken(token), store.now() + LINK_LIFE_MS[purpose]);
      return token;
    },
    peekLink,
    redeemLink(purpose, token) {
      const user = peekLink(purpose, token);
      db.prepare('DELETE FROM identity_links WHERE realm = ? AND purpose = ? AND token_hash = ?').run(
        realm,
        purpose,
        hashToken(token),
      );
      return user;
    },
    hasLink(id, purpose) {
      return (
        db
          .prepare(
            'SELECT 1 FROM identity_links WHERE realm = ? AND user_id = ? AND purpose = ? AND expires_ms > ?',
          )
          .get(realm, id, purpose, store.now()) !== undefined
      );
    },
    list() {
      const rows = db
        .prepare('SELECT * FROM identity_users WHERE realm = ? ORDER BY created_ms, id')
        .all(realm);
      return (rows as unknown as Row[]).map(toUser);
    },
    remove(id) {
      db.prepare('DELETE FROM identity_links WHERE realm = ? AND user_id = ?').run(realm, id);
      db.prepare('DELETE FROM identity_users WHERE realm = ? AND id = ?').run(realm, id);
    },
    clear() {
      db.prepare('DELETE FROM identity_links WHERE realm = ?').run(realm);
      db.prepare('DELETE FROM identity_users WHERE realm = ?').run(realm);
    },
  };
}
