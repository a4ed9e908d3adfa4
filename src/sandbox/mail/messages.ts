import { withoutEnd } from '../ends.ts';
import type { SandboxStore } from '../store.ts';

/** A message as the mailbox holds it, one per recipient. */
export interface StoredMessage {
  id: number;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
  messageId: string;
  /** Addresses that the text and the markup point to, each once, in order. */
  links: string[];
  receivedAt: string;
  /** How often the same message arrived; a sender that is not sure sends it again under the same id. */
  deliveries: number;
}

export interface NewMessage {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
  messageId: string;
}

interface Row {
  id: number;
  recipient: string;
  sender: string;
  subject: string;
  text: string;
  html: string | null;
  message_id: string;
  received_ms: number;
  deliveries: number;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS mail_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, sender TEXT NOT NULL, subject TEXT NOT NULL,
  text TEXT NOT NULL, html TEXT, message_id TEXT NOT NULL, received_ms INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 1, UNIQUE (recipient, message_id));
`;

export interface Messages {
  /** Keeps a message; the same message id for the same recipient is one message. */
  add(message: NewMessage): void;
  /** Newest first; of one recipient, or of all. */
  list(to?: string): StoredMessage[];
  find(id: number): StoredMessage | null;
  clear(to?: string): void;
}

export function openMessages(store: SandboxStore): Messages {
  const { db } = store;
  db.exec(SCHEMA);
  return {
    add(message) {
      db.prepare(
        `INSERT INTO mail_messages (recipient, sender, subject, text, html, message_id, received_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (recipient, message_id) DO UPDATE SET deliveries = deliveries + 1`,
      ).run(
        message.to.toLowerCase(),
        message.from,
        message.subject,
        message.text,
        message.html,
        message.messageId,
        store.now(),
      );
    },
    list(to) {
      const rows =
        to === undefined
          ? db.prepare('SELECT * FROM mail_messages ORDER BY id DESC LIMIT 500').all()
          : db
              .prepare('SELECT * FROM mail_messages WHERE recipient = ? ORDER BY id DESC')
              .all(to.toLowerCase());
      return (rows as unknown as Row[]).map(toMessage);
    },
    find(id) {
      const row = db.prepare('SELECT * FROM mail_messages WHERE id = ?').get(id);
      return row ? toMessage(row as unknown as Row) : null;
    },
    clear(to) {
      if (to === undefined) db.exec('DELETE FROM mail_messages');
      else db.prepare('DELETE FROM mail_messages WHERE recipient = ?').run(to.toLowerCase());
    },
  };
}

function toMessage(row: Row): StoredMessage {
  return {
    id: row.id,
    to: row.recipient,
    from: row.sender,
    subject: row.subject,
    text: row.text,
    html: row.html,
    messageId: row.message_id,
    links: linksOf(row.text, row.html),
    receivedAt: new Date(row.received_ms).toISOString(),
    deliveries: row.deliveries,
  };
}

/** Web addresses in the text, then those that the markup links to. */
export function linksOf(text: string, html: string | null): string[] {
  const plain = text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [];
  const marked = [...(html ?? '').matchAll(/href\s*=\s*["']([^"']+)["']/gi)].map((match) =>
    decode(match[1] ?? ''),
  );
  const found = [...plain.map((link) => withoutEnd(link, '.,;:!?')), ...marked];
  return [...new Set(found)].filter((link) => /^https?:\/\//.test(link));
}

function decode(value: string): string {
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
