import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The sandbox's own memory: one SQLite file, so that what the outside world holds survives a restart and a
 * kill -9 of either side. Each part makes its own tables (`registrar_…`, `payments_…`) with `CREATE TABLE IF NOT EXISTS`.
 */
export interface SandboxStore {
  db: DatabaseSync;
  /** The sandbox's time in ms since the epoch: real time plus what tests have advanced it by. */
  now(): number;
  /** Moves the sandbox's clock forward, e.g. to let a bank payment settle. Kept across restarts. */
  advance(ms: number): void;
  close(): void;
}

export function openStore(dir: string): SandboxStore {
  mkdirSync(dir, { recursive: true });
  const db = new DatabaseSync(join(dir, 'sandbox.sqlite'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
  db.exec(
    'CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms INTEGER NOT NULL)',
  );
  db.exec('INSERT OR IGNORE INTO clock (id, offset_ms) VALUES (1, 0)');
  const row = db.prepare('SELECT offset_ms FROM clock WHERE id = 1').get() as { offset_ms: number };
  let offsetMs = row.offset_ms;
  return {
    db,
    now: () => Date.now() + offsetMs,
    advance(ms) {
      offsetMs += ms;
      db.prepare('UPDATE clock SET offset_ms = ? WHERE id = 1').run(offsetMs);
    },
    close: () => db.close(),
  };
}
