import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** 32 MB and a good part of 0.1 s a try, off the event loop: enough for accounts that are made up. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;

export const PASSWORD_MIN_CHARACTERS = 10;
const PASSWORD_MAX_CHARACTERS = 200;

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** For an unknown account give null: it takes as long as a wrong password, and is never right. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '', key = ''] = (stored ?? '').split('$');
  const expected = Buffer.from(key, 'base64url');
  const actual = await derive(password, salt === '' ? randomBytes(16) : Buffer.from(salt, 'base64url'));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** What is wrong with a new password, or null. */
export function passwordComplaint(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_MIN_CHARACTERS) return `Use at least ${PASSWORD_MIN_CHARACTERS} characters.`;
  if (length > PASSWORD_MAX_CHARACTERS) return `Use at most ${PASSWORD_MAX_CHARACTERS} characters.`;
  if (password.toLowerCase() === email.toLowerCase()) return 'Use something else than your email address.';
  return null;
}
