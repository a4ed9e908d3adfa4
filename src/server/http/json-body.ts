import { AppError } from '#contracts/errors.ts';

/** Deeper than any body of the contract; deep nesting is only ever sent to exhaust somebody's stack. */
const maxDepth = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON body. Throws `bad_request` for what is no JSON, nested too deeply, or aims at object prototypes. */
export function parseJsonBody(bytes: Buffer): unknown {
  let value: unknown;
  try {
    const text = utf8.decode(bytes);
    requireShallow(text);
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The parser's own message quotes the body, which may hold secrets.
    throw new AppError('bad_request', { message: 'The request is not valid JSON.' });
  }
  requireHarmless(value);
  return value;
}

/** Before parsing: depth is counted on the text, so that the parser never sees a deep one. */
function requireShallow(text: string): void {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inText) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) inText = false;
    } else if (character === 0x22) inText = true;
    else if (character === 0x7b || character === 0x5b) {
      depth += 1;
      if (depth > maxDepth) {
        throw new AppError('bad_request', { message: 'The request is nested too deeply.' });
      }
    } else if (character === 0x7d || character === 0x5d) depth -= 1;
  }
}

/**
 * Refuses names that reach an object's prototype, and texts that no database can hold (NUL, half characters).
 * Also for parameters and queries, which come percent-encoded.
 */
export function requireHarmless(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      throw new AppError('bad_request', { message: 'The request holds characters that are not text.' });
    }
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const inner of value) requireHarmless(inner);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__' || (name === 'constructor' && hasPrototype(inner))) {
      throw new AppError('bad_request', { message: 'The request holds a name that is not allowed.' });
    }
    requireHarmless(name);
    requireHarmless(inner);
  }
}

function hasPrototype(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, 'prototype');
}
