import { z } from 'zod';

/**
 * The keys of a value that its schema does not know, at any depth, as dotted paths. The schema library drops them without a
 * word: a misspelt field would be accepted and have no effect.
 */
export function unknownKeys(schema: z.core.$ZodType, value: unknown, path: readonly string[] = []): string[] {
  if (schema instanceof z.ZodObject) return inObject(schema, value, path);
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => unknownKeys(schema.element, item, [...path, String(index)]));
  }
  if (schema instanceof z.ZodRecord) {
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      unknownKeys(schema.valueType, inner, [...path, key]),
    );
  }
  if (schema instanceof z.ZodUnion) {
    // The alternative that was most likely meant: the one that knows most of it.
    const found = schema.options.map((option) => unknownKeys(option, value, path));
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (schema instanceof z.ZodPipe) return unknownKeys(schema.in, value, path);
  const inner = innerOf(schema);
  return inner ? unknownKeys(inner, value, path) : [];
}

function inObject(schema: z.ZodObject, value: unknown, path: readonly string[]): string[] {
  if (!isObject(value)) return [];
  const { shape } = schema;
  return Object.entries(value).flatMap(([key, inner]) => {
    if (Object.hasOwn(shape, key)) return unknownKeys(shape[key] as z.ZodType, inner, [...path, key]);
    const { catchall } = schema.def;
    return catchall && !(catchall instanceof z.ZodNever) ? [] : [[...path, key].join('.')];
  });
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType | null {
  const wraps =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNonOptional;
  return wraps ? schema.def.innerType : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
