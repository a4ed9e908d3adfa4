import type { Subject } from './data-map.ts';

type Row = Record<string, unknown>;

/** What the MSP pays, adds and allows: as columns, and as parts of what is kept as JSON. The screens mask it as well. */
const business: readonly string[] = [
  ...['markups', 'price_cents', 'priceCents', 'bought_cents', 'cents_per_month', 'centsPerMonth'],
];

/** Whether the file is for an end customer: made to be given to them, or asked for by one of their own users. */
export function isForCustomer({ kind, onlyCustomer }: Pick<Subject, 'kind' | 'onlyCustomer'>): boolean {
  return kind === 'customer' || onlyCustomer !== null;
}

/** A row as an end customer may have it: what they were charged is theirs to know, what the MSP paid and added is not. */
export function withoutBusiness(row: Row): Row {
  // Of an item the log has the MSP's price, under the name that a charge of the customer has as well.
  const left = row.object_kind === 'order item' ? [...business, 'cents'] : business;
  return partsWithout(left, row);
}

function partsWithout(left: readonly string[], parts: object): Row {
  return Object.fromEntries(
    Object.entries(parts)
      .filter(([name]) => !left.includes(name))
      .map(([name, value]) => [name, without(left, value)]),
  );
}

function without(left: readonly string[], value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value)) return partsWithout(left, value);
  return value.filter((one) => !isAboutMarkups(one)).map((one) => without(left, one));
}

/** A fault or a change of a row of a file names the column or the part that it is about. */
function isAboutMarkups(one: unknown): boolean {
  const { column, field } = (one ?? {}) as { column?: unknown; field?: unknown };
  return [column, field].some((name) => typeof name === 'string' && name.startsWith('markups'));
}

/** The cells of a row of a customer file, but for those of the MSP's markups. */
export function cellsWithoutMarkups(columns: readonly string[], cells: readonly string[]): string[] {
  return cells.filter((_, index) => !columns[index]?.startsWith('markups'));
}
