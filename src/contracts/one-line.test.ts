import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from './operations.ts';

/** Where more than one line is meant, or where another rule looks at the whole. */
const exceptions: readonly RegExp[] = [
  // A signing request and a zone file have lines.
  /^(certificates\.(parseCsr|reissue)|orders\.purchase) body\.(certificates\.)?csr$/,
  /^dns\.importPreview body\.text$/,
  // A list has a name and its code in each line; every line is read by itself.
  /^moves\.create body\.text$/,
  /^health\.watch body\.text$/,
  // Records have rules of their own for each type (values/dns-records.ts); old ones name what is there, whatever it is.
  /^dns\.(changeZone|saveTemplate|changeTemplate) body\.records\./,
  /^changes\.(create|describe) body\.request\.record\./,
  // What a column or a value is called in another program's file.
  /^customers\.(finishCsv|keepImportMapping) body\.mapping\.(columns|values)\.\*$/,
];

/** Each text that a schema takes, with the schema that has the last word on it. */
function textsOf(schema: z.core.$ZodType, place: string): { place: string; schema: z.core.$ZodType }[] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, inner]) =>
      textsOf(inner as z.ZodType, `${place}.${key}`),
    );
  }
  if (schema instanceof z.ZodArray) return textsOf(schema.element, place);
  if (schema instanceof z.ZodRecord) return textsOf(schema.valueType, `${place}.*`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => textsOf(option, place));
  if (schema instanceof z.ZodPipe) {
    const inside = textsOf(schema.in, place);
    return inside.some((text) => text.place !== place)
      ? inside
      : inside.slice(0, 1).map(() => ({ place, schema }));
  }
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return [{ place, schema }];
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner ? textsOf(inner, place) : [];
}

const texts = operations.flatMap(({ id, params, query, body }) =>
  Object.entries({ params, query, body }).flatMap(([part, schema]) =>
    schema ? textsOf(schema, `${id} ${part}`) : [],
  ),
);

const unfit = ['\n', '\r\n', '\u2028', '\u0007', '\0', '\u202e', '\u2066', '\ud800'];
/** Of each length that some rule asks for. */
const probes = unfit.flatMap((sign) => [1, 20, 70].map((count) => `${'a'.repeat(count)}${sign}b`));
const takes = (schema: z.core.$ZodType, text: string) => z.safeParse(schema, text).success;

test('every text of every request is one line without control characters and turned writing, or is named here', () => {
  const loose = new Set(
    texts.filter(({ schema }) => probes.some((text) => takes(schema, text))).map(({ place }) => place),
  );
  expect(texts.length).toBeGreaterThan(200);
  expect(
    [...loose].filter((place) => !exceptions.some((each) => each.test(place))).sort(),
    'use `oneLine` of values/one-line.ts; where lines are meant, name the place in `exceptions` above, with the reason',
  ).toEqual([]);
  expect(
    exceptions.filter((each) => ![...loose].some((place) => each.test(place))),
    'no text needs these exceptions any more: take them out of `exceptions` above',
  ).toEqual([]);
});
