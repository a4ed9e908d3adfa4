import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, shortenLog } from './child-process.ts';

test('a log that has grown too long is put aside while it is written, and goes on at its beginning', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nameward-log-'));
  const file = join(folder, 'portal.log');
  // As the child has it open for as long as it lives.
  const open = openSync(file, 'a');
  writeSync(open, 'first\n');
  shortenLog(file, 6);
  expect(readFileSync(file, 'utf8')).toBe('first\n');
  writeSync(open, 'second\n');
  shortenLog(file, 6);
  writeSync(open, 'third\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('first\nsecond\n');
  expect(readFileSync(file, 'utf8')).toBe('third\n');
  closeSync(open);
  shortenLog(join(folder, 'none.log'), 6);
  rmSync(folder, { recursive: true });
});

test('an address is asked until it answers well: refusals, errors and answers that are cut off are none', async () => {
  let asked = 0;
  const server = createServer((request, reply) => {
    asked += 1;
    if (asked === 1) request.socket.destroy();
    else reply.writeHead(asked === 2 ? 503 : request.url === '/readyz' ? 200 : 404).end('ready');
  });
  const listening = () => new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  await listening();
  const { port } = server.address() as AddressInfo;
  const life = { ended: new AbortController().signal, said: () => '' };
  await answers(`http://127.0.0.1:${port}/readyz`)(life);
  expect(asked).toBe(3);
  await new Promise((done) => server.close(done));
});

test('an address of a child that has ended is not asked any longer', async () => {
  const ended = new AbortController();
  const asking = answers('http://127.0.0.1:1/readyz')({ ended: ended.signal, said: () => '' });
  ended.abort();
  await expect(asking).rejects.toThrow('http://127.0.0.1:1/readyz did not answer');
});
