import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sign } from './sign.ts';

test('signatures are those of the published vectors', () => {
  expect(sign(Buffer.from('<test/>'), 'key')).toBe('48ed6e2bb03a40a5c9a7d4b5957d7663');
  expect(sign(Buffer.from('<x/>'), 'key')).toBe('5253b622e134b5ef112e49d8ae7f36b0');
});

test('bytes are signed, not characters: a body beyond ASCII', () => {
  const body = Buffer.from('<x>Zoë – 東京</x>', 'utf8');
  const md5 = (input: Buffer) => createHash('md5').update(input).digest('hex');
  const inner = md5(Buffer.concat([body, Buffer.from('k')]));
  expect(sign(body, 'k')).toBe(md5(Buffer.from(`${inner}k`)));
});

test('leading zeros of a digest stay', () => {
  const withZero = Array.from({ length: 2_000 }, (_, index) => sign(Buffer.from(`<n>${index}</n>`), 'key'));
  expect(withZero.some((digest) => digest.startsWith('00'))).toBe(true);
  expect(withZero.every((digest) => /^[0-9a-f]{32}$/.test(digest))).toBe(true);
});
