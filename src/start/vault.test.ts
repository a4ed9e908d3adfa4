import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NotOurs, openStream, sealStream } from './vault.ts';

const secret = 'a secret of some length';
const part = 65_536;
const [saltAt, headBytes] = [18, 18 + 16 + 7];

async function sealed(text: Buffer): Promise<Buffer> {
  const target = new PassThrough();
  const all = buffer(target);
  await sealStream(Readable.from([text.subarray(0, 5), text.subarray(5)]), target, secret);
  return all;
}

async function opened(bytes: Buffer, by = secret): Promise<Buffer> {
  const target = new PassThrough();
  const all = buffer(target);
  await openStream(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]), target, by);
  return all;
}

test.each([0, 1, part - 1, part, part + 1, 3 * part])('%i bytes come back', async (length) => {
  const text = Buffer.alloc(length, 'x');
  const file = await sealed(text);
  // Long enough that chance does not make it: three bytes were in one of a hundred sealed files.
  expect(file.includes('x'.repeat(16))).toBe(false);
  expect((await opened(file)).equals(text)).toBe(true);
});

test('another secret, and a file of somebody else, opens nothing', async () => {
  const file = await sealed(Buffer.from('money'));
  await expect(opened(file, 'another secret of a length')).rejects.toThrow('another BACKUP_KEY');
  await expect(opened(Buffer.from('PGDMP and so on, long enough for a head of it'))).rejects.toThrow(
    'no backup',
  );
  await expect(opened(Buffer.from('PG'))).rejects.toThrow(NotOurs);
});

test('what was changed, cut off at a part, moved or repeated does not open', async () => {
  const file = await sealed(
    Buffer.concat([Buffer.alloc(part, 'a'), Buffer.alloc(part, 'b'), Buffer.from('c')]),
  );
  const whole = part + 16;
  const parts = [0, 1].map((index) =>
    file.subarray(headBytes + index * whole, headBytes + (index + 1) * whole),
  );
  const [first, second] = parts as [Buffer, Buffer];
  const head = file.subarray(0, headBytes);
  const last = file.subarray(headBytes + 2 * whole);
  const changed = Buffer.from(file);
  changed[headBytes + 10] = (changed[headBytes + 10] ?? 0) ^ 1;
  const otherSalt = Buffer.from(file);
  otherSalt[saltAt] = (otherSalt[saltAt] ?? 0) ^ 1;
  const forged = [
    ...[changed, otherSalt, Buffer.concat([head, first]), Buffer.concat([head, second, first, last])],
    ...[Buffer.concat([head, first, first, last]), Buffer.concat([head, first, second]), head],
    Buffer.concat([file, Buffer.from('more')]),
  ];
  for (const bytes of forged) await expect(opened(bytes)).rejects.toThrow(NotOurs);
  expect((await opened(file)).length).toBe(2 * part + 1);
});

test('a target that fails or is closed ends the work with its own error, and is not waited for', async () => {
  const file = await sealed(Buffer.alloc(3 * part, 'x'));
  const closed = () => new PassThrough().on('error', () => undefined).destroy();
  await expect(openStream(Readable.from([file]), closed(), secret)).rejects.toThrow('destroyed');
  await expect(sealStream(Readable.from([file]), closed(), secret)).rejects.toThrow('destroyed');
  const full = () =>
    new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(new Error('the disk is full')),
    }).on('error', () => undefined);
  await expect(openStream(Readable.from([file]), full(), secret)).rejects.toThrow('the disk is full');
  await expect(sealStream(Readable.from([file]), full(), secret)).rejects.toThrow('the disk is full');
});
