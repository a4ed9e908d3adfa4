import type pg from 'pg';
import { operations } from '../../../src/contracts/operations.ts';
import { mayCall, permitted } from './probe.ts';
import { requestFor, type Subject } from './samples.ts';

/** Where secrets might come out: everything that the database ever held, and everything that can be listed. */

/** Keeps every state that any row of any table has from now on, job tables included: what is deleted soon, too. */
export async function watchDatabase(owner: pg.Client): Promise<void> {
  await owner.query(`
    CREATE TABLE everything (place text NOT NULL, row text NOT NULL);
    CREATE FUNCTION keep_everything() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO public.everything VALUES (TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME, NEW::text);
      RETURN NULL;
    END $$;`);
  const { rows } = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
       AND table_name <> 'everything'`,
  );
  for (const { name } of rows) {
    await owner.query(
      `CREATE TRIGGER keep_everything AFTER INSERT OR UPDATE ON ${name} FOR EACH ROW EXECUTE FUNCTION keep_everything()`,
    );
  }
}

/** Which secrets stand in the database or ever did, each with the tables. */
export async function foundInDatabase(
  owner: pg.Client,
  secrets: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { rows } = await owner.query<{ place: string; row: string }>('SELECT place, row FROM everything');
  const found = rows.flatMap(({ place, row }) => foundIn(row, secrets).map((name) => `${name} in ${place}`));
  return [...new Set(found)].sort();
}

/** How many tables have had rows: a dump of an empty database proves nothing. */
export async function tablesSeen(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ n: number }>('SELECT count(DISTINCT place)::int AS n FROM everything');
  return rows[0]?.n ?? 0;
}

/** The names of the secrets that stand in a text: as they are, in an address, in hexadecimal or in base64. */
export function foundIn(text: string, secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Inside a longer text base64 begins at any of three places; what depends on the neighbours is cut off.
  const encoded = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(offset === 0 ? 0 : 4, -2),
  );
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...encoded];
}

/** Which secrets stand in the reply of an operation that only reads, save for those that exist to tell one. */
export async function foundInReplies(
  url: string,
  caller: { token: string; subjects: readonly Subject[] },
  secrets: ReadonlyMap<string, string>,
  telling: Readonly<Record<string, readonly string[]>>,
): Promise<{ found: string[]; answered: string[] }> {
  const found: string[] = [];
  const answered = new Set<string>();
  const reads = operations.filter(
    (operation) =>
      operation.method === 'GET' && (!permitted.includes(operation) || mayCall(operation, 'MSP_OWNER')),
  );
  for (const operation of reads) {
    for (const subject of caller.subjects) {
      const request = requestFor(operation, subject, caller.token);
      const reply = await fetch(`${url}${request.url}`, {
        headers: request.headers as Record<string, string>,
      });
      if (reply.ok) answered.add(operation.id);
      const text = `${[...reply.headers].join('\n')}\n${await reply.text()}`;
      const told = telling[operation.id] ?? [];
      found.push(
        ...foundIn(text, secrets)
          .filter((name) => !told.includes(name))
          .map((name) => `${name} in ${operation.id}`),
      );
    }
  }
  return { found: [...new Set(found)].sort(), answered: [...answered] };
}
