import { AppError } from '#contracts/errors.ts';
import { holdsPrivateKey, privateKeyRefusal } from '#contracts/values/private-keys.ts';
import { inSlices, type Slices, slices } from '#kernel/give-way.ts';

/** Deeper than any body of the contract; deep nesting is only ever sent to exhaust somebody's stack. */
const maxDepth = 20;
/** More than any body of the contract has: 5,000 changes of a zone with all their fields are some 120,000 values. */
const maxValues = 150_000;
/** Names of one object; the most that the contract takes are the columns of a customer file. */
const maxNames = 1_000;
/** Looked at in one step. */
const stepChars = 10_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

const refuse = (message: string): never => {
  throw new AppError('bad_request', { message });
};

/**
 * A JSON body. Throws `bad_request` for what is no JSON, nested too deeply, has too many values, or aims at object
 * prototypes, and `validation_failed` for a private key. In slices: a body of megabytes keeps nobody waiting.
 */
export async function parseJsonBody(bytes: Buffer, giveWay: Slices = slices()): Promise<unknown> {
  const value = await readJson(bytes, giveWay);
  await inSlices(looked(value), giveWay);
  return value;
}

async function readJson(bytes: Buffer, giveWay: Slices): Promise<unknown> {
  try {
    const text = utf8.decode(bytes);
    await inSlices(measured(text), giveWay);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The parser's own message quotes the body, which may hold secrets.
    throw new AppError('bad_request', { message: 'The request is not valid JSON.' });
  }
}

/** Before parsing: depth, values and names are counted on the text, so that the parser never sees too many. */
function* measured(text: string): Generator<void, void> {
  const counts = { depth: 0, values: 0, names: [0] };
  let inText = false;
  for (let index = 0; index < text.length; index += 1) {
    if (index % stepChars === 0) yield;
    const character = text.charCodeAt(index);
    if (inText) {
      // What a backslash hides ends no text.
      if (character === 0x5c) index += 1;
      else if (character === 0x22) inText = false;
    } else if (character === 0x22) inText = true;
    else counted(counts, character);
  }
}

function counted(counts: { depth: number; values: number; names: number[] }, character: number): void {
  const opens = character === 0x7b || character === 0x5b;
  if (opens) {
    counts.depth += 1;
    counts.names[counts.depth] = 0;
    if (counts.depth > maxDepth) refuse('The request is nested too deeply.');
  } else if (character === 0x7d || character === 0x5d) counts.depth = Math.max(0, counts.depth - 1);
  else if (character === 0x3a) {
    const names = (counts.names[counts.depth] ?? 0) + 1;
    counts.names[counts.depth] = names;
    if (names > maxNames) refuse('An object in the request has too many fields.');
  }
  if (opens || character === 0x2c) {
    counts.values += 1;
    if (counts.values > maxValues) refuse('The request has too many values.');
  }
}

/** The same for parameters and queries, which come percent-encoded and are short. */
export function requireHarmless(value: unknown): void {
  for (const _step of looked(value));
}

/**
 * Refuses names that reach an object's prototype, texts that no database can hold (NUL, half characters), and private
 * keys, so that no operation stores or logs one. Yields at each value.
 */
function* looked(value: unknown, path = ''): Generator<void, void> {
  yield;
  if (typeof value === 'string') {
    requireText(value);
    if (holdsPrivateKey(value)) refusePrivateKey(path);
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const isArray = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) {
    if (!isArray) {
      if (name === '__proto__' || (name === 'constructor' && hasPrototype(inner))) {
        refuse('The request contains a name that is not allowed.');
      }
      requireText(name);
    }
    yield* looked(inner, path === '' ? name : `${path}.${name}`);
  }
}

function requireText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    refuse('The request contains characters that are not text.');
  }
}

function refusePrivateKey(path: string): never {
  const message = privateKeyRefusal(path);
  throw new AppError('validation_failed', { message, details: [{ path, message }] });
}

function hasPrototype(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, 'prototype');
}
