import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { AppError } from '#contracts/errors.ts';
import type { Db } from '#kernel/db/database.ts';
import { sha256 } from '#kernel/ids.ts';
import { csrFacts, type ReadCsr } from '../certificates/index.ts';
import type { OpenedByAccount } from './exchange.ts';
import { csrMismatch } from './finalize.rules.ts';
import type { Jwk } from './jws.rules.ts';
import { refusedKey } from './orders.repo.ts';
import { AcmeProblem } from './problems.rules.ts';

export interface CheckedCsr {
  csr: string;
  csrDigest: Buffer;
  keyDigest: Buffer;
}

const mostChars = 20_000;

/** The key of an account as its certificates would have it. */
export function keyDigestOfJwk(jwk: Jwk): Buffer {
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  return sha256(key.export({ type: 'spki', format: 'der' }));
}

/** Reads a signing request in base64url of DER, and refuses what does not fit the order (RFC 8555 7.4). */
export function createCsrCheck(deps: { systemDb: Db; readCsr: ReadCsr }) {
  return async function check(
    given: unknown,
    names: readonly string[],
    { account, access }: Pick<OpenedByAccount, 'account' | 'access'>,
  ): Promise<CheckedCsr> {
    if (typeof given !== 'string' || given === '' || given.length > mostChars || !/^[\w-]+$/.test(given)) {
      throw new AcmeProblem(
        'badCSR',
        'The signing request must be sent as "csr", in base64url of its DER form.',
      );
    }
    const der = Buffer.from(given, 'base64url');
    const reading = await read(deps.readCsr, pemOf(der));
    const mismatch = csrMismatch(names, reading.names);
    if (mismatch) throw mismatch;
    const { publicKey, otherNames } = await csrFacts(reading.pem);
    if (otherNames.length > 0) {
      const text = `The signing request names ${otherNames.join(', ').slice(0, 200)}, which is not a host name.`;
      throw new AcmeProblem('badCSR', text);
    }
    const keyDigest = sha256(publicKey);
    if (keyDigest.equals(keyDigestOfJwk(account.jwk))) {
      const text = 'The key of the certificate is the account key. Make another key for the certificate.';
      throw new AcmeProblem('badCSR', text);
    }
    const refused = await refusedKey(deps.systemDb, keyDigest, access.customerId);
    if (refused) throw new AcmeProblem('badCSR', refusedKeyTexts[refused]);
    return { csr: reading.pem, csrDigest: sha256(der), keyDigest };
  };
}

const refusedKeyTexts = {
  other: 'This key is in use elsewhere. Make a new key for the certificate.',
  compromised: 'This key was reported as compromised. Make a new key for the certificate.',
};

async function read(readCsr: ReadCsr, pem: string) {
  try {
    return await readCsr(pem);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AcmeProblem('badCSR', error.message, { cause: error });
  }
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE REQUEST-----', ...lines, '-----END CERTIFICATE REQUEST-----', ''].join(
    '\n',
  );
}
