import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markTransaction } from '#kernel/db/transaction-context.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Storage } from '../../ports/storage.ts';
import { createS3 } from './index.ts';

/** As much of a bucket as the adapter speaks to. */
const objects = new Map<string, { body: Buffer; type: string }>();
let down = false;
const seen: IncomingMessage['headers'][] = [];
const server = createServer(async (request, response) => {
  seen.push(request.headers);
  const key = (request.url ?? '').replace(/\?.*$/, '');
  const body = await buffer(request);
  if (down) return response.writeHead(503).end();
  if (request.method === 'PUT') {
    objects.set(key, { body, type: request.headers['content-type'] ?? '' });
    return response.writeHead(200).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return response.writeHead(204).end();
  }
  const object = objects.get(key);
  if (!object) {
    return response
      .writeHead(404, { 'content-type': 'application/xml' })
      .end('<Error><Code>NoSuchKey</Code><Message>none</Message></Error>');
  }
  return response
    .writeHead(200, { 'content-type': object.type, 'content-length': object.body.length })
    .end(object.body);
});
let storage: Storage;
let endpoint: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = createS3({
    bucket: 'files',
    region: 'eu-central-1',
    endpoint,
    accessKeyId: 'key-id',
    secretAccessKey: 'secret-key',
    forcePathStyle: true,
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('what was written is read with its type and size, and gone when removed', async () => {
  expect(await storage.read('logos/a.png')).toBeNull();
  await storage.write('logos/a.png', Buffer.from('png'), 'image/png');
  expect(seen.at(-1)?.authorization).toContain('Credential=key-id/');
  const found = await storage.read('logos/a.png');
  expect([found?.bytes, found?.contentType]).toEqual([3, 'image/png']);
  expect(found && (await buffer(found.stream))).toEqual(Buffer.from('png'));
  await storage.remove('logos/a.png');
  await storage.remove('logos/a.png');
  expect(await storage.read('logos/a.png')).toBeNull();
});

test('an upload address is signed for one key and one type, for five minutes, without our secret', async () => {
  const input = { key: 'imports/b.csv', contentType: 'text/csv', maxBytes: 5_000_000, organisationId: 'org' };
  const { signedUrl, keyName } = await storage.grantUpload(input);
  expect(keyName).toBe('imports/b.csv');
  const url = new URL(signedUrl);
  expect([url.origin, url.pathname]).toEqual([endpoint, '/files/imports/b.csv']);
  expect(url.searchParams.get('X-Amz-Expires')).toBe('300');
  expect(url.searchParams.get('X-Amz-SignedHeaders')?.split(';')).toContain('content-type');
  expect(signedUrl).not.toContain('secret-key');
  expect(signedUrl).not.toMatch(/checksum/i);
  const sent = await fetch(signedUrl, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: 'a,b',
  });
  expect(sent.status).toBe(200);
  expect((await storage.read('imports/b.csv'))?.bytes).toBe(3);
});

test('a storage that does not answer is an outside failure, and is never asked inside a transaction', async () => {
  down = true;
  await expect(storage.read('logos/a.png')).rejects.toBeInstanceOf(UpstreamUnavailable);
  await expect(storage.write('logos/a.png', Buffer.from('x'), 'image/png')).rejects.toBeInstanceOf(
    UpstreamUnavailable,
  );
  down = false;
  await expect(markTransaction(() => storage.read('x'))).rejects.toThrow('outside call inside a transaction');
});
