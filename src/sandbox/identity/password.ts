import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** 4 MB and 0.01 s a try, off the event loop: enough for accounts that are made up. */
const COST = 12;
/** Of passwords that were stored without their cost. */
const FORMER_COST = 15;
const KEY_BYTES = 32;

export const PASSWORD_MIN_CHARACTERS = 10;
const PASSWORD_MAX_CHARACTERS = 200;

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return `scrypt${COST}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** For an unknown account give null: it takes as long as a wrong password, and is never right. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [kind = '', salt = '', key = ''] = (stored ?? '').split('$');
  const expected = Buffer.from(key, 'base64url');
  const cost = kind === 'scrypt' ? FORMER_COST : COST;
  const actual = await derive(password, salt === '' ? randomBytes(16) : Buffer.from(salt, 'base64url'), cost);
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
