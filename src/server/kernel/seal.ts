import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { freshBytes } from './random-bytes.ts';

/**
 * Secrets at rest: AES-256-GCM, bound to where they are stored (`context` = organisation and row), so that a
 * sealed value copied to another row does not open. Layout: version 1 byte, key number 1 byte, nonce 12, tag 16, text.
 */
export interface Seal {
  seal(plain: string, context: string): Buffer;
  /** The number of the key that seals, and all that open. */
  readonly newest: number;
  readonly configured: readonly number[];
  /** Throws `SealBroken` when the bytes were changed or moved, or their key is no longer configured. */
  open(sealed: Buffer, context: string): string;
}

/** A sealed value does not open. The message is fit to show: it names the key by its number, and nothing of the value. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const version = 1;

/** `keys`: newest first; all open, the first seals. Rotation = put a new key in front. */
export function createSeal(keys: readonly { number: number; secret: string }[]): Seal {
  const derived = new Map(
    keys.map(({ number, secret }) => [
      number,
      // As an object: each use of plain bytes would make one.
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'nameward seal', 32))),
    ]),
  );
  const newest = keys[0];
  if (!newest) throw new Error('at least one sealing key is needed');
  return {
    newest: newest.number,
    configured: keys.map(({ number }) => number),
    seal(plain, context) {
      const nonce = freshBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyFor(newest.number), nonce).setAAD(Buffer.from(context));
      const text = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([Buffer.from([version, newest.number]), nonce, cipher.getAuthTag(), ...text]);
    },
    open(sealed, context) {
      if (sealed.length < 30 || sealed[0] !== version) throw new SealBroken('it is not a sealed value');
      const decipher = createDecipheriv('aes-256-gcm', keyFor(sealed[1] ?? -1), sealed.subarray(2, 14));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(14, 30));
      const text = decipher.update(sealed.subarray(30));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SealBroken('it was changed, or sealed for another row', { cause });
      }
    },
  };

  function keyFor(number: number): KeyObject {
    const key = derived.get(number);
    if (!key) throw new SealBroken(`sealing key ${number} is not configured`);
    return key;
  }
}
