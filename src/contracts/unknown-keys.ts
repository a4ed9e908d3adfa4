import { z } from 'zod';

/** A step of the walk: a value that was looked at (null), or the path of a key that its schema does not know. */
type Steps = Generator<string | null, void>;

/**
 * The keys of a value that its schema does not know, at any depth, as dotted paths. The schema library drops them without a
 * word: a misspelt field would be accepted and have no effect. It yields at each value, so that a large body can be
 * looked through in slices, and be left when enough is known.
 */
export function* unknownKeySteps(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
): Steps {
  yield null;
  if (schema instanceof z.ZodObject) return yield* inObject(schema, value, path);
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      yield* unknownKeySteps(schema.element, item, [...path, String(index)]);
    }
    return;
  }
  if (schema instanceof z.ZodRecord) {
    if (!isObject(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      yield* unknownKeySteps(schema.valueType, inner, [...path, key]);
    }
    return;
  }
  if (schema instanceof z.ZodUnion) return yield* inUnion(schema, value, path);
  const inner = schema instanceof z.ZodPipe ? schema.in : innerOf(schema);
  if (inner) yield* unknownKeySteps(inner, value, path);
}

/** All of them at once: for values that are known to be small. */
export function unknownKeys(schema: z.core.$ZodType, value: unknown): string[] {
  return [...unknownKeySteps(schema, value)].filter((found) => found !== null);
}

/** Of the alternative that was most likely meant: the one that knows most of it. */
function* inUnion(schema: z.ZodUnion, value: unknown, path: readonly string[]): Steps {
  let nearest: string[] | null = null;
  for (const option of schema.options) {
    const found: string[] = [];
    for (const step of unknownKeySteps(option, value, path)) {
      if (step === null) yield null;
      else found.push(step);
    }
    if (nearest === null || found.length < nearest.length) nearest = found;
  }
  yield* nearest ?? [];
}

function* inObject(schema: z.ZodObject, value: unknown, path: readonly string[]): Steps {
  if (!isObject(value)) return;
  const { shape } = schema;
  const { catchall } = schema.def;
  const takesMore = catchall !== undefined && !(catchall instanceof z.ZodNever);
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(shape, key)) yield* unknownKeySteps(shape[key] as z.ZodType, inner, [...path, key]);
    else yield takesMore ? null : [...path, key].join('.');
  }
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
