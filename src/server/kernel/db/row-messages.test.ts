import { expect, test } from 'vitest';
import { divided } from './row-messages.ts';

/** A message of the protocol: letter, length, content. */
function message(letter: string, content: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(4 + Buffer.byteLength(content), 1);
  return Buffer.concat([head, Buffer.from(content)]);
}

const contents = ['T:columns', 'D:one', 'D:', 'C:SELECT 2', `D:${'long '.repeat(500)}`, 'Z:I', 'T:', 'D:two'];
const sent = contents.map((content) => message(content[0] ?? '', content.slice(2)));

/** What the driver and the taker of rows hear, in order, when it comes in parts of these sizes. */
function heard(sizes: readonly number[], wants: (content: string) => boolean = () => true): string[] {
  const log: string[] = [];
  const tellDriver = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      expect(end).toBeLessThanOrEqual(bytes.length);
      log.push(`driver ${bytes.toString('latin1', at, at + 1)}:${bytes.toString('utf8', at + 5, end)}`);
      at = end;
    }
  };
  const listen = divided(tellDriver, (bytes, at) => {
    const content = bytes.toString('utf8', at, at - 4 + bytes.readUInt32BE(at - 4));
    if (wants(content)) log.push(`taken D:${content}`);
    return wants(content);
  });
  const all = Buffer.concat(sent);
  for (let at = 0, part = 0; at < all.length; part += 1) {
    const size = sizes[part % sizes.length] ?? 1;
    listen(all.subarray(at, at + size));
    at += size;
  }
  return log;
}

const inOrder = contents.map((content) => `${content.startsWith('D') ? 'taken' : 'driver'} ${content}`);

test.each([[[1]], [[2]], [[4, 1]], [[5]], [[6, 3]], [[7, 100]], [[64, 1]], [[100_000]]])(
  'messages in parts of %s bytes are each heard once, whole, and in their order',
  (sizes) => {
    expect(heard(sizes)).toEqual(inOrder);
  },
);

test('a row that nobody takes is the driver’s, in its place', () => {
  const all = contents.map((content) => `driver ${content}`);
  expect(heard([3], () => false)).toEqual(all);
  expect(heard([100_000], () => false)).toEqual(all);
  expect(heard([100_000], (content) => content !== 'one')).toEqual(
    inOrder.map((line) => (line === 'taken D:one' ? 'driver D:one' : line)),
  );
});
