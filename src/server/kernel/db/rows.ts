import pg from 'pg';

/**
 * Rows as the database sends them, read straight into what the code works with. The driver makes a text of each field, and
 * most of them something else after that: on a page of fifty rows it was the largest part of a list's answer. The
 * values are the driver's own, except that fractions of a second keep their milliseconds (0.569 s are 569 ms, not 568).
 */
export interface RowShape {
  /** The row whose message (protocol 55.7, DataRow) has its number of fields at this place. */
  read(bytes: Buffer, at: number): Record<string, unknown>;
}

/** What the database says of a column. */
export interface Field {
  name: string;
  dataTypeID: number;
}

type FieldReader = (bytes: Buffer, from: number, to: number) => unknown;

/** The same columns of the same types are one shape, on whichever connection. */
const shapes = new Map<string, RowShape>();
/** There are some hundreds of statements; should one be of endless shapes, it does not fill the memory. */
const mostShapes = 1_000;

/** How rows of these columns are read. */
export function shapeOf(fields: readonly Field[]): RowShape {
  const key = fields.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join('\n');
  const known = shapes.get(key);
  if (known) return known;
  const shape = createShape(fields);
  if (shapes.size < mostShapes) shapes.set(key, shape);
  return shape;
}

function createShape(fields: readonly Field[]): RowShape {
  const names = fields.map(({ name }) => name);
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID));
  // A copy of it has all names from the start, so that all rows are alike to the engine.
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return {
    read(bytes, at) {
      const row: Record<string, unknown> = { ...empty };
      // Behind the number of fields.
      let from = at + 2;
      for (let index = 0; index < readers.length; index += 1) {
        const length = bytes.readInt32BE(from);
        from += 4;
        if (length < 0) continue;
        row[names[index] as string] = (readers[index] as FieldReader)(bytes, from, from + length);
        from += length;
      }
      return row;
    },
  };
}

const { builtins } = pg.types;
const text: FieldReader = (bytes, from, to) => bytes.toString('utf8', from, to);
/** Half of the time of the above, and the same where there are no other characters. */
const plain: FieldReader = (bytes, from, to) => bytes.toString('latin1', from, to);

const own = new Map<number, FieldReader>([
  ...[builtins.TEXT, builtins.VARCHAR].map((type): [number, FieldReader] => [type, text]),
  [builtins.UUID, plain],
  [builtins.BOOL, (bytes, from) => bytes[from] === 0x74],
  ...[builtins.INT2, builtins.INT4, builtins.INT8].map((type): [number, FieldReader] => [
    type,
    integer(type),
  ]),
  [builtins.TIMESTAMPTZ, moment],
]);

const readerOf = (type: number): FieldReader => own.get(type) ?? byDriver(type);

/** As the driver reads them, with what the project told it of types. */
function byDriver(type: number): FieldReader {
  // Asked for when it is needed: the project tells the driver of types when this module is there already.
  return (bytes, from, to) => pg.types.getTypeParser(type, 'text')(text(bytes, from, to) as string);
}

/** Longer ones may be more than a number holds; the driver decides. */
const mostDigits = 15;
const [zero, minus, plus, point, colon, blank] = [0x30, 0x2d, 0x2b, 0x2e, 0x3a, 0x20];

function integer(type: number): FieldReader {
  const driver = byDriver(type);
  return (bytes, from, to) => {
    const isNegative = bytes[from] === minus;
    const first = isNegative ? from + 1 : from;
    if (to - first > mostDigits) return driver(bytes, from, to);
    let value = 0;
    for (let at = first; at < to; at += 1) value = value * 10 + digit(bytes, at);
    return isNegative ? -value : value;
  };
}

const digit = (bytes: Buffer, at: number) => (bytes[at] as number) - zero;
const two = (bytes: Buffer, at: number) => digit(bytes, at) * 10 + digit(bytes, at + 1);

/**
 * `2026-11-23 14:50:31.725466+01:30`, as servers write moments unless they were told otherwise. Everything else is the
 * driver's: other styles, years before 100 and after 9999, infinity, offsets with seconds.
 */
function moment(bytes: Buffer, from: number, to: number): unknown {
  const year = two(bytes, from) * 100 + two(bytes, from + 2);
  const isUsual =
    to - from >= 22 &&
    year >= 100 &&
    bytes[from + 4] === minus &&
    bytes[from + 7] === minus &&
    bytes[from + 10] === blank &&
    bytes[from + 13] === colon &&
    bytes[from + 16] === colon;
  if (!isUsual) return momentByDriver(bytes, from, to);
  let at = from + 19;
  let ms = 0;
  if (bytes[at] === point) {
    at += 1;
    for (let worth = 100; isDigit(bytes[at]); at += 1, worth = Math.floor(worth / 10)) {
      ms += digit(bytes, at) * worth;
    }
  }
  const offset = offsetMs(bytes, at, to);
  if (offset === null) return momentByDriver(bytes, from, to);
  const [month, day] = [two(bytes, from + 5) - 1, two(bytes, from + 8)];
  const [hour, minute, second] = [two(bytes, from + 11), two(bytes, from + 14), two(bytes, from + 17)];
  return new Date(Date.UTC(year, month, day, hour, minute, second, ms) - offset);
}

const momentByDriver = byDriver(builtins.TIMESTAMPTZ);
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= zero + 9;

/** `+02` or `-03:30` up to the end; null for anything else. */
function offsetMs(bytes: Buffer, at: number, to: number): number | null {
  const isNegative = bytes[at] === minus;
  if (!isNegative && bytes[at] !== plus) return null;
  const hasMinutes = to - at === 6 && bytes[at + 3] === colon;
  if (!hasMinutes && to - at !== 3) return null;
  const minutes = two(bytes, at + 1) * 60 + (hasMinutes ? two(bytes, at + 4) : 0);
  return (isNegative ? -minutes : minutes) * 60_000;
}
