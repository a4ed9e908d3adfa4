import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** One zone as the registrar kept it from then on: its TXT records. */
interface ZoneWrite {
  sequence: number;
  domain: string;
  /** Texts by label. */
  texts: Map<string, string[]>;
}

export interface ZoneWrites {
  /** What was written since it was asked last, oldest first. */
  next(): ZoneWrite[];
  close(): void;
}

interface Row {
  sequence: number;
  domain: string;
  records: string;
}

/** Every write that reaches the registrar, by a trigger of the test's own in the sandbox's memory. */
export function watchZones(sandboxDir: string): ZoneWrites {
  const db = new DatabaseSync(join(sandboxDir, 'sandbox.sqlite'));
  db.exec(`PRAGMA busy_timeout = 10000;
    CREATE TABLE watched_zones (sequence INTEGER PRIMARY KEY AUTOINCREMENT, domain TEXT NOT NULL, records TEXT NOT NULL);
    CREATE TRIGGER watched AFTER INSERT ON registrar_zones BEGIN
      INSERT INTO watched_zones (domain, records) VALUES (NEW.domain, NEW.records);
    END;`);
  const since = db.prepare('SELECT * FROM watched_zones WHERE sequence > ? ORDER BY sequence');
  let seen = 0;
  return {
    next() {
      const rows = since.all(seen) as unknown as Row[];
      seen = rows.at(-1)?.sequence ?? seen;
      return rows.map(({ sequence, domain, records }) => ({ sequence, domain, texts: textsOf(records) }));
    },
    close: () => db.close(),
  };
}

function textsOf(records: string): Map<string, string[]> {
  const { TXT = [] } = JSON.parse(records) as { TXT?: { subdomain: string; text: string }[] };
  const texts = new Map<string, string[]>();
  for (const { subdomain, text } of TXT) texts.set(subdomain, [...(texts.get(subdomain) ?? []), text]);
  return texts;
}
