import pg from 'pg';
import { expect, test } from 'vitest';
import { shapeOf } from './rows.ts';

const { builtins } = pg.types;

/** A row of these texts as it comes: the number of fields, and each with its length; null: -1 and nothing. */
function rowOf(...fields: (string | null)[]): Buffer {
  const parts = fields.map((field) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(field === null ? -1 : Buffer.byteLength(field));
    return Buffer.concat([length, Buffer.from(field ?? '')]);
  });
  return Buffer.concat([Buffer.from([0, fields.length]), ...parts]);
}

const read = (dataTypeID: number, text: string | null) =>
  shapeOf([{ name: 'value', dataTypeID }]).read(rowOf(text), 0).value;

const pad = (value: number, digits: number) => String(Math.abs(value)).padStart(digits, '0');

/** The moment as PostgreSQL writes it, in a zone so many minutes ahead, with six digits of a second or as few as it takes. */
function written(ms: number, aheadMinutes: number): string {
  const local = new Date(ms + aheadMinutes * 60_000).toISOString();
  const fraction = local.slice(19, 23).replace(/\.?0+$/, '');
  const sign = aheadMinutes < 0 ? '-' : '+';
  const [hours, minutes] = [Math.trunc(aheadMinutes / 60), aheadMinutes % 60];
  return `${local.slice(0, 10)} ${local.slice(11, 19)}${fraction}${sign}${pad(hours, 2)}${minutes === 0 ? '' : `:${pad(minutes, 2)}`}`;
}

test('every millisecond of a second is read exactly, in every time zone', () => {
  const start = Date.UTC(2026, 10, 23, 23, 59, 59);
  for (let ms = 0; ms < 1_000; ms += 1) {
    for (const ahead of [0, 60, -300, 330, -210, 765, -720]) {
      const text = written(start + ms, ahead);
      expect([text, read(builtins.TIMESTAMPTZ, text)]).toEqual([text, new Date(start + ms)]);
    }
  }
});

test('what is smaller than a millisecond is left out, and days of every month are themselves', () => {
  expect(read(builtins.TIMESTAMPTZ, '2026-11-23 14:50:31.725966+00')).toEqual(
    new Date('2026-11-23T14:50:31.725Z'),
  );
  for (let day = Date.UTC(1999, 11, 1); day < Date.UTC(2001, 2, 2); day += 86_400_000) {
    expect(read(builtins.TIMESTAMPTZ, written(day, 0))).toEqual(new Date(day));
  }
  for (const year of ['0100', '0999', '1970', '9999']) {
    expect(read(builtins.TIMESTAMPTZ, `${year}-02-28 00:00:00+00`)).toEqual(
      new Date(`${year}-02-28T00:00:00.000Z`),
    );
  }
});

test.each([
  ...['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '0144-03-15 12:00:00+00 BC'],
  ...['0050-01-01 00:00:00+00', '12026-01-01 00:00:00+00', '1880-01-01 00:19:32+00:19:32'],
  ...['1880-01-01 00:00:00.5-04:56:02', '2026-11-23 14:50:31 UTC', '23.11.2026 14:50:31.5 UTC'],
  ...['11/23/2026 14:50:31 UTC', 'Mon Nov 23 14:50:31 2026 UTC', '2026-11-23 14:50:31'],
])('%s, written in another style, is what the driver makes of it', (text) => {
  expect(read(builtins.TIMESTAMPTZ, text)).toEqual(pg.types.getTypeParser(builtins.TIMESTAMPTZ)(text));
});

test.each([
  [builtins.INT2, '-32768', -32_768],
  [builtins.INT4, '2147483647', 2_147_483_647],
  [builtins.INT4, '0', 0],
  [builtins.INT8, '999999999999999', 999_999_999_999_999],
  [builtins.INT8, '-999999999999999', -999_999_999_999_999],
  [builtins.BOOL, 't', true],
  [builtins.BOOL, 'f', false],
  [builtins.TEXT, 'née “Ü” 漢', 'née “Ü” 漢'],
  [builtins.TEXT, '', ''],
  [builtins.TEXT, null, null],
  [builtins.JSONB, '{"a": ["Ü"]}', { a: ['Ü'] }],
  [builtins.NUMERIC, '1.50', '1.50'],
])('a field of type %s: %s', (type, text, value) => {
  expect(read(type, text)).toEqual(value);
});

test('a longer integer is the driver’s, as the project told it', () => {
  const before = pg.types.getTypeParser(builtins.INT8);
  pg.types.setTypeParser(builtins.INT8, (text) => `told ${text}`);
  expect(read(builtins.INT8, '1234567890123456')).toBe('told 1234567890123456');
  pg.types.setTypeParser(builtins.INT8, before);
});

test('fields keep their names and places, and a row does not see the one before', () => {
  const shape = shapeOf([
    { name: 'a', dataTypeID: builtins.TEXT },
    { name: 'b', dataTypeID: builtins.INT4 },
    { name: 'c', dataTypeID: builtins.TEXT },
  ]);
  const bytes = Buffer.concat([Buffer.from('xx'), rowOf('one', '1', null)]);
  expect(shape.read(bytes, 2)).toEqual({ a: 'one', b: 1, c: null });
  expect(shape.read(rowOf(null, null, 'three'), 0)).toEqual({ a: null, b: null, c: 'three' });
});

test('columns of other types or other names are another shape', () => {
  const a = shapeOf([{ name: 'n', dataTypeID: builtins.TEXT }]);
  expect(shapeOf([{ name: 'n', dataTypeID: builtins.TEXT }])).toBe(a);
  expect(shapeOf([{ name: 'n', dataTypeID: builtins.INT4 }])).not.toBe(a);
  expect(shapeOf([{ name: 'm', dataTypeID: builtins.TEXT }])).not.toBe(a);
});
