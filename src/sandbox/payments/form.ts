import { invalidParam, missingParam } from './errors.ts';

export type Value = string | Value[] | { [name: string]: Value };

const DEPTH_LIMIT = 12;

/** Reads `a[b][c]=1&list[0]=x&list[]=y` into nested values: the provider's v1 bodies and every query string. */
export function parseForm(text: string): { [name: string]: Value } {
  const root: { [name: string]: Value } = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const head = key.split('[', 1)[0] ?? '';
    const rest = [...key.slice(head.length).matchAll(/\[([^[\]]*)\]/g)].map((m) => m[1] ?? '');
    place(root, [head, ...rest].slice(0, DEPTH_LIMIT), value);
  }
  return listsOf(root) as { [name: string]: Value };
}

/** A v2 JSON body in the same form, so that one reader serves both. Nulls mean "unset". */
export function fromJson(value: unknown): Value {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === 'object') {
    const out: { [name: string]: Value } = Object.create(null);
    for (const [name, inner] of Object.entries(value)) out[name] = fromJson(inner);
    return out;
  }
  return String(value);
}

function place(node: { [name: string]: Value }, path: string[], value: string): void {
  const [name = '', ...rest] = path;
  const key = name === '' ? String(Object.keys(node).length) : name;
  if (rest.length === 0) {
    node[key] = value;
    return;
  }
  const inner = node[key];
  const next = isRecord(inner) ? inner : (Object.create(null) as { [name: string]: Value });
  node[key] = next;
  place(next, rest, value);
}

function listsOf(value: Value): Value {
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  const inner = keys.map((key) => listsOf(value[key] ?? ''));
  if (keys.length > 0 && keys.every((key, index) => key === String(index))) return inner;
  keys.forEach((key, index) => {
    value[key] = inner[index] ?? '';
  });
  return value;
}

export function isRecord(value: Value | undefined): value is { [name: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Typed reading of a request's parameters. Every wrong one is refused in the provider's words, named with its path. */
export class Params {
  readonly values: { [name: string]: Value };
  readonly #prefix: string;

  constructor(values: { [name: string]: Value }, prefix = '') {
    this.values = values;
    this.#prefix = prefix;
  }

  name(key: string): string {
    return this.#prefix ? `${this.#prefix}[${key}]` : key;
  }

  /** The provider refuses what it does not know; so a slip in the adapter shows here, not in production. */
  only(known: readonly string[]): void {
    for (const key of Object.keys(this.values)) {
      if (known.includes(key)) continue;
      throw invalidParam(
        this.name(key),
        `Received unknown parameter: ${this.name(key)}`,
        'parameter_unknown',
      );
    }
  }

  has(key: string): boolean {
    return this.values[key] !== undefined;
  }

  string(key: string): string | null {
    const value = this.values[key];
    if (value === undefined || value === '') return null;
    if (typeof value !== 'string') throw invalidParam(this.name(key), `Invalid string: ${this.name(key)}`);
    return value;
  }

  required(key: string): string {
    const value = this.string(key);
    if (value === null) throw missingParam(this.name(key));
    return value;
  }

  oneOf<T extends string>(key: string, allowed: readonly T[]): T | null {
    const value = this.string(key);
    if (value === null) return null;
    const found = allowed.find((option) => option === value);
    if (found === undefined) {
      throw invalidParam(
        this.name(key),
        `Invalid ${this.name(key)}: must be one of ${allowed.slice(0, -1).join(', ')}${allowed.length > 1 ? ', or ' : ''}${allowed.at(-1)}`,
      );
    }
    return found;
  }

  integer(key: string): number | null {
    const value = this.string(key);
    if (value === null) return null;
    if (!/^-?\d{1,15}$/.test(value)) {
      throw invalidParam(this.name(key), `Invalid integer: ${value}`, 'parameter_invalid_integer');
    }
    return Number(value);
  }

  boolean(key: string): boolean | null {
    const value = this.string(key);
    if (value === null) return null;
    if (value !== 'true' && value !== 'false') {
      throw invalidParam(this.name(key), `Invalid boolean: ${value}`);
    }
    return value === 'true';
  }

  object(key: string): Params | null {
    const value = this.values[key];
    if (value === undefined || value === '') return null;
    if (!isRecord(value)) throw invalidParam(this.name(key), `Invalid object`);
    return new Params(value, this.name(key));
  }

  strings(key: string): string[] | null {
    const value = this.values[key];
    if (value === undefined || value === '') return null;
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
      throw invalidParam(this.name(key), 'Invalid array');
    }
    return value as string[];
  }

  /** At most 50 keys of 40 characters with values of 500 (docs.stripe.com/api/metadata, checked 2026-11-21). */
  metadata(previous: Record<string, string> = {}): Record<string, string> {
    const given = this.values.metadata;
    if (given === undefined) return previous;
    if (given === '') return {};
    const merged = { ...previous };
    for (const [key, value] of Object.entries(this.object('metadata')?.values ?? {})) {
      if (typeof value !== 'string')
        throw invalidParam(`metadata[${key}]`, 'Metadata values must be strings');
      if (key.length > 40) throw invalidParam('metadata', 'Metadata keys can have up to 40 characters');
      if (value.length > 500)
        throw invalidParam(`metadata[${key}]`, 'Metadata values can have up to 500 characters');
      if (value === '') delete merged[key];
      else merged[key] = value;
    }
    if (Object.keys(merged).length > 50)
      throw invalidParam('metadata', 'You can only specify up to 50 metadata keys');
    return merged;
  }
}
