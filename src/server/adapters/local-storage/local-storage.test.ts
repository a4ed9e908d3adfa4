import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromToken, toToken } from './grant.ts';
import { createLocalStorage, type LocalStorage } from './index.ts';

let storage: LocalStorage;
let directory: string;
let nowMs: number;
const clock = { now: () => new Date(nowMs) };
const newStorage = (signingKey = 'signing-key-of-the-tests') =>
  createLocalStorage({ directory, signingKey, publicUrl: 'https://portal.example', clock });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nameward-storage-'));
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  storage = newStorage();
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const asked = {
  key: 'logos/org-a/1.png',
  contentType: 'image/png',
  maxBytes: 1_000,
  organisationId: 'org-a',
};

async function grant(changes: Partial<typeof asked> = {}): Promise<string> {
  const { signedUrl, keyName } = await storage.grantUpload({ ...asked, ...changes });
  expect(keyName).toBe(changes.key ?? asked.key);
  expect(signedUrl).toMatch(/^https:\/\/portal\.example\/uploads\/[\w.-]+$/);
  return signedUrl.slice('https://portal.example/uploads/'.length);
}

function put(token: string, bytes: number, changes: Partial<Parameters<LocalStorage['receive']>[0]> = {}) {
  const body = Readable.from([Buffer.alloc(bytes, 7)]);
  return storage.receive({
    token,
    method: 'PUT',
    contentType: 'image/png',
    contentBytes: bytes,
    body,
    ...changes,
  });
}

async function stored(
  key = asked.key,
): Promise<{ bytes: number; contentType: string; content: Buffer } | null> {
  const found = await storage.read(key);
  return found && { bytes: found.bytes, contentType: found.contentType, content: await buffer(found.stream) };
}

test('what was written is read with its type and size, replaced as a whole, and gone when removed', async () => {
  expect(await storage.read(asked.key)).toBeNull();
  await storage.write(asked.key, Buffer.from('one'), 'text/plain');
  await storage.write(asked.key, Buffer.from('two!'), 'text/csv');
  expect(await stored()).toEqual({ bytes: 4, contentType: 'text/csv', content: Buffer.from('two!') });
  await storage.remove(asked.key);
  await storage.remove(asked.key);
  expect(await storage.read(asked.key)).toBeNull();
});

test('no key leaves the folder', async () => {
  for (const key of [
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a//b',
    '',
    '.',
    'a/.hidden',
    'a\\b',
    'a\0',
    'a.type',
  ]) {
    await expect(storage.read(key)).rejects.toThrow('not a key');
    await expect(storage.write(key, Buffer.from('x'), 'text/plain')).rejects.toThrow('not a key');
    await expect(storage.grantUpload({ ...asked, key })).rejects.toThrow('not a key');
  }
});

describe('a grant', () => {
  test('takes up to its size, of its type', async () => {
    expect(await put(await grant(), 1_000)).toBeNull();
    expect(await stored()).toMatchObject({ bytes: 1_000, contentType: 'image/png' });
  });

  test('works once, and in one process of two that try at the same time', async () => {
    const token = await grant();
    const other = newStorage();
    const body = () => Readable.from([Buffer.from('x')]);
    const input = { token, method: 'PUT', contentType: 'image/png', contentBytes: 1 };
    const tries = [storage, other, storage, other].map((one) => one.receive({ ...input, body: body() }));
    expect((await Promise.all(tries)).filter((answer) => answer === null)).toHaveLength(1);
    expect(await put(token, 1)).toBe('forbidden');
  });

  test('works for five minutes and not a second longer', async () => {
    const [last, late] = [await grant(), await grant()];
    nowMs += 300_000;
    expect(await put(last, 1)).toBeNull();
    nowMs += 1_000;
    expect(await put(late, 1)).toBe('forbidden');
  });

  test('is for its method and type alone', async () => {
    expect(await put(await grant(), 1, { method: 'POST' })).toBe('forbidden');
    expect(await put(await grant(), 1, { contentType: 'text/html' })).toBe('forbidden');
    expect(await put(await grant(), 1, { contentType: '' })).toBe('forbidden');
    expect(await stored()).toBeNull();
  });

  test('cannot be made or changed by anybody else: key, type, size, organisation, time', async () => {
    const token = await grant();
    const [payload = '', code = ''] = token.split('.');
    const fields = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const changes: [number, unknown][] = [
      [0, 'logos/org-b/1.png'],
      [1, 'text/html'],
      [2, 1_000_000],
      [3, 'org-b'],
      [4, 4_000_000_000],
    ];
    for (const [index, value] of changes) {
      const changed = Buffer.from(JSON.stringify(fields.with(index, value))).toString('base64url');
      expect(await put(`${changed}.${code}`, 1)).toBe('forbidden');
    }
    const own = fromToken(token, 'signing-key-of-the-tests');
    expect(own).toMatchObject({ key: asked.key, maxBytes: 1_000 });
    expect(await put(own ? toToken(own, 'another-key-of-the-tests') : '', 1)).toBe('forbidden');
    for (const junk of ['', '.', `${payload}.`, `${payload}`, `${token}.x`, `.${code}`]) {
      expect(await put(junk, 1)).toBe('forbidden');
    }
    expect(await put(token, 1)).toBeNull();
  });

  test('refuses an announced excess unread, and is not used up by it', async () => {
    const token = await grant();
    const body = new Readable({ read: () => expect.unreachable('read') });
    expect(await put(token, 0, { contentBytes: 1_001, body })).toBe('payload_too_large');
    expect(await put(token, 1_000)).toBeNull();
  });

  test('refuses the first byte beyond, whatever was announced, and leaves nothing behind', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 600;
        yield Buffer.alloc(600);
      }
    }
    for (const contentBytes of [null, 5]) {
      read = 0;
      const body = Readable.from(endless(), { highWaterMark: 1 });
      expect(await put(await grant(), 0, { contentBytes, body })).toBe('payload_too_large');
      expect(read).toBeLessThan(100_000);
    }
    expect(await stored()).toBeNull();
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('whose upload breaks off stores nothing', async () => {
    async function* broken() {
      yield Buffer.from('half');
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    }
    expect(await put(await grant(), 0, { contentBytes: 8, body: Readable.from(broken()) })).toBe(
      'bad_request',
    );
    expect(await stored()).toBeNull();
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });
});
