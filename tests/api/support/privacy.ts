import { expect } from 'vitest';
import { newId } from '../../../src/server/kernel/ids.ts';
import { type Portal, startPortal } from './portal.ts';
import { insertOrganisation, person } from './world.ts';

/** An organisation with nobody but its owner, whose doors are asked by name and whose database is searched whole. */
export interface PrivacyStand extends AsyncDisposable {
  portal: Portal;
  organisationId: string;
  owner: { token: string; userId: string };
  ask(
    token: string,
    method: Method,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<{ status: number; text: string }>;
  /** As `ask`; what was answered, which must be a success. */
  act<T>(token: string, method: Method, path: string, body?: unknown, key?: string): Promise<T>;
  /** Every text of the database, wherever it stands: where one of these words is in it. */
  hits(words: readonly string[]): Promise<string[]>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export async function startPrivacyStand(): Promise<PrivacyStand> {
  const portal = await startPortal();
  const organisationId = newId();
  await insertOrganisation(portal, organisationId, 'Northwind MSP');
  const place = { organisationId, role: 'MSP_OWNER', customerId: null } as const;
  const owner = await person(portal, 'boss@northwind.example', place);
  const ask: PrivacyStand['ask'] = async (token, method, path, body, key) => {
    const { status, body: text } = await portal.call({
      method,
      url: `/api${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status, text };
  };
  return {
    ...{ portal, organisationId, owner, ask },
    async act<T>(...input: Parameters<typeof ask>) {
      const { status, text } = await ask(...input);
      expect([input[2], status, text]).toEqual([input[2], 200, expect.anything()]);
      return (JSON.parse(text) as { data: T }).data;
    },
    hits: (words) => hitsIn(portal, words),
    [Symbol.asyncDispose]: () => portal[Symbol.asyncDispose](),
  };
}

/** Whether something holds the word: as text, or as the bytes of a column that is sealed elsewhere. */
const holds = (what: string) =>
  `(strpos(lower(${what}::text), lower($1)) > 0 OR strpos(${what}::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0)`;

/** Of these columns, as `table.column`, those that hold none of the words in any row. */
export async function columnsWithout(
  portal: Portal,
  columns: readonly string[],
  words: readonly string[],
): Promise<string[]> {
  const without: string[] = [];
  for (const column of columns) {
    const table = column.split('.')[0] ?? '';
    let found = false;
    for (const word of words) {
      if (found) break;
      const { rows } = await portal.owner.query(`SELECT 1 FROM ${table} WHERE ${holds(column)} LIMIT 1`, [
        word,
      ]);
      found = rows.length > 0;
    }
    if (!found) without.push(column);
  }
  return without;
}

async function hitsIn(portal: Portal, words: readonly string[]): Promise<string[]> {
  const tables = await portal.owner.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'`,
  );
  expect(tables.rows.length).toBeGreaterThan(40);
  const found: string[] = [];
  for (const { name } of tables.rows) {
    for (const word of words) {
      const { rows } = await portal.owner.query(`SELECT 1 FROM ${name} t WHERE ${holds('t')} LIMIT 1`, [
        word,
      ]);
      if (rows.length > 0) found.push(`${name}: ${word}`);
    }
  }
  return found;
}

const personOf = (first: string, last: string, number: number) => ({
  organization: `${last} Bakery`,
  firstName: first,
  lastName: last,
  address1: `${number} ${last} Lane`,
  city: `${last}ville`,
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: `${first}@${last}.example`.toLowerCase(),
  phone: `+1.212555${number}`,
});
/** Three persons who are nowhere else. */
export const contacts = {
  owner: personOf('Zerlina', 'Quixworth', 4101),
  admin: personOf('Yorick', 'Vandermolen', 4102),
  billing: personOf('Xanthippe', 'Oldcastle', 4103),
};
