import { z } from 'zod';
import type { OperationSpec } from '../../../src/contracts/operation.ts';
import type { Role } from '../../../src/contracts/permissions.ts';
import type { Portal } from './portal.ts';
import { about } from './probe.ts';
import { wordOf } from './reach-world.ts';
import { requestFor, type Subject } from './samples.ts';
import { idsOf, type Organisation } from './world.ts';

export type Query = Readonly<Record<string, string>>;
export type Caller = (typeof callers)[number];
interface Value {
  name: string;
  query: Query;
}
interface Answered {
  status: number;
  body: string;
  /** The body, and what a file is called. */
  text: string;
  /** Each as a text; null: the answer is no list. */
  rows: string[] | null;
  total: number | null;
}

export const callers = ['MSP_ADMIN', 'MSP_CUSTOMER'] as const satisfies readonly Role[];
/** Which part of a list is shown: each query is asked with them besides. */
export const parts = ['page', 'pageSize', 'limit', 'after'];
const pageSize = 3;

/** The world, who must not see what of it, and where faults go. */
export interface Reach {
  portal: Portal;
  /** The callers' organisation, and another one. */
  a: Organisation;
  b: Organisation;
  /** Ids of all versions of zones. */
  versions: readonly string[];
  /** What a caller must not see: words and ids, as one expression. */
  forbidden: Record<Caller, RegExp>;
  /** Parameters that choose another list than the one without them, by operation. */
  otherLists: Readonly<Record<string, Query>>;
  fault(id: string, part: string, message: string): void;
}

/** Values for a parameter: of the own things, the other customer's, the other organisation's. */
function valuesOf(
  { a, b, versions }: Reach,
  name: string,
  schema: Record<string, unknown>,
  seen: string,
): readonly string[] {
  const [first, second] = a.customers;
  const [foreign] = b.customers;
  if (schema.const !== undefined) return [String(schema.const)];
  if (Array.isArray(schema.enum)) {
    const all = schema.enum.map(String);
    const shown = all.filter((value) => new RegExp(`[",]${value}[",\r]`).test(seen)).slice(0, 3);
    return all.length <= 10 ? all : [...new Set([...shown, ...all.slice(0, 1)])];
  }
  if (name === 'search') return ['one', 'two', 'unlocked', 'wal', 'q', 'quinceon', 'quincetw', 'walnuton'];
  if (name === 'person') return [a.userIds.MSP_ADMIN, a.userIds.MSP_CUSTOMER, b.userIds.MSP_ADMIN];
  if (name === 'id') return versions;
  if (schema.format === 'uuid') return [first.id, second.id, foreign.id];
  if (schema.format === 'date') return [-200, -25].map(dayFromNow);
  if (schema.type === 'integer') return ['1', '30', '120'];
  if (name === 'head') return ['0'.repeat(64)];
  return [first, second, foreign].map((customer) => `${wordOf(customer)}-unlocked.com`);
}

export const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

type Properties = Record<string, Record<string, unknown>>;
export function propertiesOf({ query }: OperationSpec): Properties {
  if (!query) return {};
  const { properties }: { properties?: unknown } = z.toJSONSchema(query, {
    io: 'input',
    unrepresentable: 'any',
  });
  return properties as Properties;
}

/** The operation about things of each of the two customers, such that have rows where there are; or just the operation. */
export async function pathsOf(reach: Reach, operation: OperationSpec): Promise<string[]> {
  const { portal, a } = reach;
  const [first, second] = a.customers;
  const own: Subject = { id: first.id, domain: first.domain, text: `cus_${first.marker}` };
  const pathOf = (subject: Subject) => {
    const { url } = requestFor(operation, subject, null) as { url: string };
    return url.replace(/\?.*/, '');
  };
  if (!operation.params) return [pathOf(own)];
  const paths: string[] = [];
  for (const { id, domain } of [first, second]) {
    const ids = [id, domain, ...(await idsOf(portal, a.id, { customerId: id }))];
    const asked = new Set([...ids, ...(await idsOf(portal, a.id))].map((each) => pathOf(about(own, each))));
    let chosen: string | undefined;
    for (const path of asked) {
      const { status, rows } = await call(reach, path, {}, 'MSP_ADMIN');
      if ([401, 403, 404].includes(status)) continue;
      chosen ??= path;
      if (rows?.length === 0) continue;
      chosen = path;
      break;
    }
    if (chosen) paths.push(chosen);
  }
  return [...new Set(paths)];
}

export async function call({ portal, a }: Reach, path: string, query: Query, role: Role): Promise<Answered> {
  const text = new URLSearchParams(query).toString();
  const { statusCode, body, headers } = await portal.app.inject({
    method: 'GET',
    url: text === '' ? path : `${path}?${text}`,
    headers: { authorization: `Bearer ${a.tokens[role]}` },
  });
  const type = String(headers['content-type']);
  const answer = {
    status: statusCode,
    body,
    text: `${body} ${headers['content-disposition']}`,
    rows: null,
    total: null,
  };
  if (type.includes('csv')) return { ...answer, rows: body.split('\r\n').slice(1).filter(Boolean) };
  if (statusCode !== 200 || !type.includes('json')) return answer;
  const { data, meta } = JSON.parse(body);
  const list = Array.isArray(data) ? data : Object.values(Object(data)).find(Array.isArray);
  return {
    ...answer,
    rows: list?.map((row: unknown) => JSON.stringify(row)) ?? null,
    total: meta?.total ?? null,
  };
}

/** A few at a time. */
async function inTurns<T>(list: readonly T[], act: (item: T, index: number) => Promise<void>): Promise<void> {
  const left = [...list.entries()];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) await act(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: 6 }, work));
}

const same = (one: readonly string[] | null, other: readonly string[]) =>
  JSON.stringify(one) === JSON.stringify(other);
const sameSet = (one: readonly string[], other: readonly string[]) =>
  same([...one].sort(), [...other].sort());
/** The beginnings of rows, for messages. */
const told = (rows: readonly string[] | null) =>
  `${rows?.length ?? 'no'} rows: ${(rows ?? []).slice(0, 6).map((row) => `${row.slice(0, 150)}…`)}`;
const idOrName = (row: string) => {
  const { id, address, domain } = JSON.parse(row) as Record<string, string>;
  return { id, name: address ?? domain };
};

/** One operation about one thing, as one caller, with what chooses the list. */
export class Look {
  readonly reach: Reach;
  readonly operation: OperationSpec;
  readonly path: string;
  readonly role: Caller;
  readonly base: Query;
  readonly properties: Properties;
  constructor(reach: Reach, operation: OperationSpec, path: string, role: Caller, base: Query) {
    this.reach = reach;
    this.operation = operation;
    this.path = path;
    this.role = role;
    this.base = base;
    this.properties = propertiesOf(operation);
  }

  fault(part: string, query: Query, message: string): void {
    const { operation, path, role, base } = this;
    const asked = new URLSearchParams({ ...base, ...query }).toString();
    this.reach.fault(
      operation.id,
      part,
      `${operation.id} as ${role}: GET ${path}${asked && `?${asked}`} ${message}`,
    );
  }

  /** The answer; nothing that is out of reach stands in it. */
  async ask(query: Query): Promise<Answered> {
    const answer = await call(this.reach, this.path, { ...this.base, ...query }, this.role);
    const found = this.reach.forbidden[this.role].exec(answer.text);
    if (found) {
      const around = answer.text.slice(Math.max(0, found.index - 100), found.index + 100);
      this.fault('words', query, `shows ${found[0]}: …${around}…`);
    }
    if (answer.status >= 500) this.fault('status', query, `answers ${answer.status}`);
    return answer;
  }

  /** A part of the list is that part of these rows, and the total is of them all. */
  async part(query: Query, rows: readonly string[], page: number): Promise<void> {
    const paged = 'page' in this.properties;
    if (!paged && !('limit' in this.properties)) return;
    const size = paged ? pageSize : 2;
    const before = rows[(page - 1) * size - 1];
    const last = before === undefined ? undefined : idOrName(before);
    const after = this.properties.after?.format === 'uuid' ? last?.id : last?.name;
    if (!paged && page > 1 && after === undefined) return;
    const shown: Query = paged ? { page: String(page), pageSize: String(size) } : { limit: String(size) };
    const behind: Query = !paged && after ? { after } : {};
    const asked = { ...query, ...shown, ...behind };
    const answer = await this.ask(asked);
    const expected = rows.slice((page - 1) * size, page * size);
    if (!same(answer.rows, expected)) {
      this.fault('part', asked, `has ${told(answer.rows)}\nexpected ${told(expected)}`);
    }
    if (answer.total !== null && answer.total !== rows.length) {
      this.fault('total', asked, `says ${answer.total}, there are ${rows.length}`);
    }
  }

  async whole(query: Query): Promise<Answered> {
    const answer = await this.ask(query);
    if (answer.rows && answer.total !== null && answer.total !== answer.rows.length) {
      this.fault('total', query, `says ${answer.total} of ${answer.rows.length}`);
    }
    return answer;
  }

  /** With no filter, each alone, and each pair; which filters have told rows apart. */
  async all(isFirst: boolean): Promise<{ rows: readonly string[] | null; telling: string[] }> {
    const plain = await this.whole({});
    const names = Object.keys(this.properties).filter((name) => !parts.includes(name));
    const choosing = Object.keys(this.reach.otherLists[this.operation.id] ?? {});
    const values = names
      .filter((name) => !choosing.includes(name))
      .flatMap((name) =>
        valuesOf(this.reach, name, this.properties[name] ?? {}, plain.text).map(
          (value): Value => ({ name, query: { [name]: value } }),
        ),
      );
    const alone = new Map<Value, readonly string[] | null>();
    await inTurns(values, async (value) => void alone.set(value, (await this.whole(value.query)).rows));
    if (isFirst && plain.status !== 200) this.fault('status', {}, `answers ${plain.status}`);
    const union = [...new Set([...alone.values()].flatMap((each) => each ?? []))];
    const rows = plain.rows ?? (union.length > 0 ? union : null);
    if (plain.rows) {
      for (let page = 1; page <= plain.rows.length / 2 + 1; page += 1) await this.part({}, plain.rows, page);
    }
    await this.notBehind();
    await inTurns(values, async (value) => this.single(value, rows, alone.get(value) ?? null));
    if (isFirst) await this.pairs(values, alone);
    const telling = values.filter((value) => {
      const some = alone.get(value)?.length ?? 0;
      return some > 0 && some < (rows?.length ?? 0);
    });
    return { rows, telling: telling.map(({ name }) => name) };
  }

  /** Somebody else's row is no place to go on from. */
  async notBehind(): Promise<void> {
    if (!('after' in this.properties)) return;
    const others = [
      ...(await idsOf(this.reach.portal, this.reach.b.id, { perTable: 2 })),
      ...this.reach.b.customers.map(({ domain }) => domain),
    ];
    await inTurns(others, async (after) => void (await this.ask({ after })));
  }

  async single({ name, query }: Value, all: readonly string[] | null, rows: readonly string[] | null) {
    if (!all || !rows) return;
    const isWithin = name === 'sort' ? sameSet(rows, all) : rows.every((row) => all.includes(row));
    if (!isWithin) this.fault(name, query, `has ${told(rows)}\nwithout it ${told(all)}`);
    await this.part(query, rows, 1);
    await this.part(query, rows, 2);
  }

  /** Rows of a pair are those that each alone has, in the order that is asked for; whole, or a page of them. */
  async pairs(values: readonly Value[], alone: ReadonlyMap<Value, readonly string[] | null>): Promise<void> {
    // Longer and shorter words beside those were looked for alone.
    const chosen = values.filter(
      ({ query: { search } }) => !search || ['one', 'two', 'unlocked', 'wal'].includes(search),
    );
    const pairs = chosen.flatMap((one, index) =>
      chosen.slice(index + 1).flatMap((other) => (one.name === other.name ? [] : [[one, other] as const])),
    );
    await inTurns(pairs, async ([one, other], index) => {
      const [ordered, beside] = other.name === 'sort' ? [other, one] : [one, other];
      const [rows, others] = [alone.get(ordered), alone.get(beside)];
      const query = { ...one.query, ...other.query };
      const expected = rows && others ? rows.filter((row) => others.includes(row)) : null;
      const page = index % 3;
      if (page > 0 && expected && 'page' in this.properties) return this.part(query, expected, page);
      const { rows: found } = await this.whole(query);
      if (!found || !expected || same(found, expected)) return;
      this.fault('pairs', query, `has ${told(found)}\neach alone has ${told(expected)}`);
    });
  }
}
