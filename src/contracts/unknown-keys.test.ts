import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from './operations.ts';
import { unknownKeys } from './unknown-keys.ts';

const planted = 'notKnownHere';

/** For every object in a schema, a value that leads there and has one key too many. */
function plantedIn(schema: z.core.$ZodType): unknown[] {
  if (schema instanceof z.ZodObject) {
    const inside = Object.entries(schema.shape).flatMap(([key, inner]) =>
      plantedIn(inner as z.core.$ZodType).map((value) => ({ [key]: value })),
    );
    // What is declared loose takes more on purpose.
    const loose = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
    return loose ? inside : [{ [planted]: 1 }, ...inside];
  }
  if (schema instanceof z.ZodArray) return plantedIn(schema.element).map((value) => [value]);
  if (schema instanceof z.ZodRecord) return plantedIn(schema.valueType).map((value) => ({ any: value }));
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => plantedIn(option));
  if (schema instanceof z.ZodPipe) return plantedIn(schema.in);
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? plantedIn(inner) : [];
}

const withBody = operations.flatMap(({ id, body }) => (body ? [{ id, body }] : []));

test('a key too many is named wherever it stands in the body of any operation', () => {
  let looked = 0;
  for (const { id, body } of withBody) {
    for (const value of plantedIn(body)) {
      looked += 1;
      const found = unknownKeys(body, value);
      expect([id, found.length]).not.toEqual([id, 0]);
    }
  }
  expect(looked).toBeGreaterThan(withBody.length);
});

test('each key is named by its path, and what the schema knows is not', () => {
  const schema = z.object({
    a: z.object({ b: z.string() }).optional(),
    list: z.array(z.object({ c: z.int() })).default([]),
    one: z.union([z.object({ x: z.int() }), z.object({ y: z.int() })]).optional(),
    byName: z.record(z.string(), z.object({ z: z.int() })).optional(),
  });
  const good = { a: { b: '' }, list: [{ c: 1 }], one: { y: 1 }, byName: { any: { z: 1 } } };
  expect(unknownKeys(schema, good)).toEqual([]);
  const bad = {
    a: { b: '', d: 1 },
    list: [{ c: 1 }, { e: 1 }],
    one: { y: 1, f: 1 },
    byName: { any: { g: 1 } },
    h: 1,
  };
  expect(unknownKeys(schema, bad)).toEqual(['a.d', 'list.1.e', 'one.f', 'byName.any.g', 'h']);
  for (const nothing of [null, 1, 'a', [], undefined]) expect(unknownKeys(schema, nothing)).toEqual([]);
});
