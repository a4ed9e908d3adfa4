import type { Compilable, CompiledQuery } from 'kysely';
import { sendsAsBuilt } from './bound-seal.ts';
import type { Tx } from './database.ts';

/** Statements are remembered by the function that builds them, and by the shape that it was given. */
const remembered = new WeakMap<Builder<never, never, never>, Map<string, CompiledQuery<unknown>>>();
/** Lists have some dozens of shapes; a caller with ever new page sizes has them built each time. */
const mostShapes = 200;

/** Texts that are sent again and again with other values. */
const texts = new Set<string>();

/**
 * Whether it is a text of `shaped`. Its plan serves all values: the shape has what a plan depends on. PostgreSQL would plan it each
 * time when it takes a value for a rare one, which costs more than the list.
 */
export const hasOnePlan = (text: string): boolean => texts.has(text);

type Values = Readonly<Record<string, unknown>>;
type Builder<S, V, R> = (tx: Tx, shape: S, values: V) => Compilable<R>;

/** Stands for a value, or for one of a list of them, until the statement is sent. */
class Slot {
  readonly name: string;
  readonly index: number | null;
  constructor(name: string, index: number | null) {
    this.name = name;
    this.index = index;
  }
}

/**
 * A statement that is built and compiled once for each shape, and sent with other values after that: for the lists,
 * where building costs a tenth of a request.
 *
 * @param build a function of a module, which closes over nothing of a request: what it is given as `shape` may decide
 *   what the text says; what it is given as `values` are parameters only, and it must not look at them
 * @param shape all that the text depends on, the number of values in a list too
 */
export function shaped<S extends object, V extends Values, R>(
  tx: Tx,
  build: Builder<S, V, R>,
  shape: S,
  values: V,
): CompiledQuery<R> {
  // A caller whose queries are changed on the way gets its own statement and leaves none to others.
  if (!sendsAsBuilt(tx)) return build(tx, shape, values).compile();
  const statements = remembered.get(build) ?? new Map<string, CompiledQuery<R>>();
  remembered.set(build, statements);
  const key = JSON.stringify(shape);
  let statement = statements.get(key) as CompiledQuery<R> | undefined;
  if (!statement) {
    statement = build(tx, shape, slotsFor(values)).compile();
    if (statements.size < mostShapes) {
      statements.set(key, statement);
      texts.add(statement.sql);
    }
  }
  return { ...statement, parameters: statement.parameters.map((slot) => sent(slot, values)) };
}

/** Slots pass through the builder as values do, since it only hands them on. */
function slotsFor<V extends Values>(values: V): V {
  const slots = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((_, index) => new Slot(name, index)) : new Slot(name, null),
  ]);
  return Object.fromEntries(slots) as V;
}

/** A parameter that is no slot would be one request's value, kept for all others. */
function sent(slot: unknown, values: Values): unknown {
  if (!(slot instanceof Slot)) {
    throw new Error('a remembered statement has a parameter of its own: only `values` may be among them');
  }
  const value = values[slot.name];
  return slot.index === null ? value : (value as readonly unknown[])[slot.index];
}
