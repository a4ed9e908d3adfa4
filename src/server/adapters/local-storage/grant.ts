import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What one address permits: one PUT of one object, of one type, up to a size, until a time. */
export interface Grant {
  key: string;
  contentType: string;
  maxBytes: number;
  organisationId: string;
  expiresAtSeconds: number;
  /** Makes two grants for the same object differ. */
  nonce: string;
}

const fields = z.tuple([
  z.string(),
  z.string(),
  z.int().positive(),
  z.string(),
  z.int().positive(),
  z.string(),
]);

/** The grant as part of an address: its fields, and a code that only we can make. */
export function toToken(grant: Grant, signingKey: string): string {
  const { key, contentType, maxBytes, organisationId, expiresAtSeconds, nonce } = grant;
  const payload = Buffer.from(
    JSON.stringify([key, contentType, maxBytes, organisationId, expiresAtSeconds, nonce]),
  ).toString('base64url');
  return `${payload}.${codeOf(payload, signingKey).toString('base64url')}`;
}

/** The grant of a token; null unless we made it. */
export function fromToken(token: string, signingKey: string): Grant | null {
  const [payload = '', code = '', ...rest] = token.split('.');
  const given = Buffer.from(code, 'base64url');
  const right = codeOf(payload, signingKey);
  if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [key, contentType, maxBytes, organisationId, expiresAtSeconds, nonce] = fields.parse(
    JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')),
  );
  return { key, contentType, maxBytes, organisationId, expiresAtSeconds, nonce };
}

/** The method is part of what is signed: an address for writing is none for anything else. */
function codeOf(payload: string, signingKey: string): Buffer {
  return createHmac('sha256', signingKey).update(`PUT\n${payload}`).digest();
}
