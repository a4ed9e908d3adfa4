import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Transaction,
} from 'kysely';
import { expect, test } from 'vitest';
import { createSeal } from '../seal.ts';
import { withSeal } from './bound-seal.ts';
import type { Database } from './schema.ts';
import { shaped } from './shaped.ts';

const builder = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  },
}) as Transaction<Database>;

let built = 0;

function customersOf(
  tx: Transaction<Database>,
  shape: { direction: 'asc' | 'desc' },
  values: { organisationId: string; words: string[] },
) {
  built += 1;
  let select = tx.selectFrom('customers').select('id').where('organisation_id', '=', values.organisationId);
  for (const word of values.words) select = select.where('search_text', 'like', word);
  return select.orderBy('id', shape.direction);
}

test('a statement is built once for each shape, and always sent with the values of this call', () => {
  const ask = (organisationId: string, words: string[], direction: 'asc' | 'desc') =>
    shaped(builder, customersOf, { direction, count: words.length }, { organisationId, words });
  const first = ask('one', ['a', 'b'], 'asc');
  expect(first.parameters).toEqual(['one', 'a', 'b']);
  const second = ask('two', ['c', 'd'], 'asc');
  expect(second.parameters).toEqual(['two', 'c', 'd']);
  expect(second.sql).toBe(first.sql);
  expect(built).toBe(1);
  const other = ask('two', ['c'], 'desc');
  expect(other.parameters).toEqual(['two', 'c']);
  expect(other.sql).toContain('desc');
  expect(built).toBe(2);
});

test('a database that is bound to its seal, as every one of the portal is, shares the statements too', () => {
  const before = built;
  const seal = createSeal([{ number: 1, secret: 'of this test' }]);
  const bound = withSeal(builder, seal) as Transaction<Database>;
  const shape = { direction: 'asc', of: 'a bound one' } as const;
  const ask = (tx: Transaction<Database>, organisationId: string) =>
    shaped(tx, customersOf, shape, { organisationId, words: ['a'] });
  expect(ask(builder, 'one').parameters).toEqual(['one', 'a']);
  expect(ask(bound, 'two').parameters).toEqual(['two', 'a']);
  expect(built).toBe(before + 1);
});

test('a value that is no parameter by name is refused: it would be kept for others', () => {
  const leaky = (tx: Transaction<Database>, shape: { of: string }, _values: { offset: number }) =>
    tx.selectFrom('customers').select('id').where('organisation_id', '=', shape.of);
  expect(() => shaped(builder, leaky, { of: 'one' }, { offset: 0 })).toThrow(/parameter of its own/);
  const constant = (tx: Transaction<Database>, _shape: object, _values: { offset: number }) =>
    tx.selectFrom('customers').select('id').where('version', '=', sql.lit(1));
  expect(shaped(builder, constant, {}, { offset: 0 }).parameters).toEqual([]);
});

test('a caller that changes queries on the way gets its own statement, and leaves those of others unchanged', () => {
  const values = { organisationId: 'one', words: [] };
  const ask = (tx: Transaction<Database>) => shaped(tx, customersOf, { direction: 'desc' }, values).sql;
  const plain = ask(builder);
  const elsewhere = builder.withSchema('elsewhere') as Transaction<Database>;
  expect(ask(elsewhere)).toContain('"elsewhere"."customers"');
  expect(ask(builder)).toBe(plain);
  expect(plain).not.toContain('elsewhere');
});
