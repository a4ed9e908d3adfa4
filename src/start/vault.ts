import { createCipheriv, createDecipheriv, type DecipherGCM, hkdfSync, randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';

/**
 * A stream under a secret, as STREAM has it (Hoang, Reyhanitabar, Rogaway, Vizár 2015): parts of a fixed size, each sealed with
 * AES-256-GCM under its number and whether it is the last. A part that was changed, moved, repeated or cut off does not open.
 */
const magic = Buffer.from('nameward backup 1\n');
const saltBytes = 16;
const prefixBytes = 7;
const partBytes = 65_536;
const tagBytes = 16;
const cipher = 'aes-256-gcm';
/** Made by chance (`openssl rand -base64 32`), not thought up: nothing slows guesses down. */
export const shortestSecret = 32;

/** The file was changed, is cut off, or belongs to another secret. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

function derive(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, 'nameward backup', 32));
}

function nonceOf(prefix: Buffer, part: number, isLast: boolean): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt32BE(part, 0);
  rest.writeUInt8(isLast ? 1 : 0, 4);
  return Buffer.concat([prefix, rest]);
}

/** Cuts into whole parts; the last one may be shorter, or empty. */
async function* partsOf(source: Readable, size: number): AsyncGenerator<[part: Buffer, isLast: boolean]> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    waiting = Buffer.concat([waiting, chunk as Buffer]);
    // One byte more says that another part follows.
    while (waiting.length > size) {
      yield [waiting.subarray(0, size), false];
      waiting = waiting.subarray(size);
    }
  }
  yield [waiting, true];
}

/** Until the target has taken it. One that has failed or is closed says so here; it would never be ready for more. */
function write(target: Writable, bytes: Buffer): Promise<void> {
  return new Promise((done, failed) => {
    target.write(bytes, (error) => (error ? failed(error) : done()));
  });
}

/** Seals what comes. The target is ended when it has. */
export async function sealStream(source: Readable, target: Writable, secret: string): Promise<void> {
  const [salt, prefix] = [randomBytes(saltBytes), randomBytes(prefixBytes)];
  const key = derive(secret, salt);
  await write(target, Buffer.concat([magic, salt, prefix]));
  let number = 0;
  for await (const [part, isLast] of partsOf(source, partBytes)) {
    const sealing = createCipheriv(cipher, key, nonceOf(prefix, number, isLast));
    number += 1;
    await write(target, Buffer.concat([sealing.update(part), sealing.final(), sealing.getAuthTag()]));
  }
  target.end();
}

/** Opens what comes, part by part. Throws `NotOurs` before it hands on a part that does not open. */
export async function openStream(source: Readable, target: Writable, secret: string): Promise<void> {
  const headBytes = magic.length + saltBytes + prefixBytes;
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < headBytes) {
    const { value, done } = await chunks.next();
    if (done) throw new NotOurs('this is no backup of the portal');
    head = Buffer.concat([head, value as Buffer]);
  }
  if (!head.subarray(0, magic.length).equals(magic)) throw new NotOurs('this is no backup of the portal');
  const salt = head.subarray(magic.length, magic.length + saltBytes);
  const prefix = head.subarray(headBytes - prefixBytes, headBytes);
  const key = derive(secret, salt);
  const rest = async function* () {
    yield head.subarray(headBytes);
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  let number = 0;
  for await (const [part, isLast] of partsOf(rest() as unknown as Readable, partBytes + tagBytes)) {
    if (part.length < tagBytes) throw new NotOurs('the backup is cut off');
    const opening = createDecipheriv(cipher, key, nonceOf(prefix, number, isLast));
    opening.setAuthTag(part.subarray(part.length - tagBytes));
    number += 1;
    await write(target, opened(opening, part, number));
  }
  target.end();
}

function opened(opening: DecipherGCM, part: Buffer, number: number): Buffer {
  try {
    const bytes = opening.update(part.subarray(0, part.length - tagBytes));
    opening.final();
    return bytes;
  } catch (error) {
    const where =
      number === 1 ? 'it belongs to another BACKUP_KEY, or it was changed' : 'it was changed or cut off';
    throw new NotOurs(`part ${number} of the backup does not open: ${where}`, { cause: error });
  }
}
