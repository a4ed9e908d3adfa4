import type { Clock } from '#kernel/clock.ts';
import { isUuid } from '#kernel/uuid.rules.ts';
import type { AcmeAccess, AcmeAccesses } from './access.ts';
import { deadAccess } from './account.rules.ts';
import type { AccountRecord } from './accounts.repo.ts';
import {
  accountKeyOf,
  type Envelope,
  envelopeOf,
  headerOf,
  type Jwk,
  jsonOf,
  type ProtectedHeader,
  textOf,
} from './jws.rules.ts';
import { requireSignature } from './jws.ts';
import type { Nonces } from './nonces.ts';
import { AcmeProblem } from './problems.rules.ts';

/** A signed request as it came. */
export interface AcmeRequest {
  /** Below `/acme/`. */
  path: string;
  contentType: string;
  body: Buffer;
  /** For limits. */
  ip: string;
}

/** One whose signature, address and nonce are right. */
export interface Opened {
  envelope: Envelope;
  header: ProtectedHeader;
  payload: string;
}

export interface OpenedByAccount extends Opened {
  account: AccountRecord;
  access: AcmeAccess;
}

export interface OpenedByKey extends Opened {
  jwk: Jwk;
}

export interface ExchangeDeps {
  clock: Clock;
  nonces: Nonces;
  accesses: Pick<AcmeAccesses, 'ofAccount'>;
  /** Makes an address of a path below `/acme/`. */
  at(path: string): string;
}

/** Who sent a request: checked before anything is done with it (RFC 8555 6.2 to 6.5). */
export function createExchange(deps: ExchangeDeps) {
  const { nonces, accesses, at } = deps;

  function headOf(request: AcmeRequest): { envelope: Envelope; header: ProtectedHeader } {
    if (!/^application\/jose\+json\s*(;|$)/i.test(request.contentType)) {
      throw new AcmeProblem('malformed', 'Send the request with the content type application/jose+json.', {
        status: 415,
      });
    }
    const text = textOf(request.body);
    const envelope = envelopeOf(text === null ? undefined : jsonOf(text));
    const header = headerOf(envelope);
    if (header.url !== at(request.path)) {
      throw new AcmeProblem(
        'unauthorized',
        `The request is signed for another address than ${at(request.path)}. Use the addresses that the directory names.`,
      );
    }
    return { envelope, header };
  }

  /** The account behind a `kid`, while it may act. An unknown one and a deactivated one are told apart, as the protocol asks. */
  async function accountOf(kid: string): Promise<{ account: AccountRecord; access: AcmeAccess }> {
    const prefix = at('account/');
    const id = kid.startsWith(prefix) ? kid.slice(prefix.length) : '';
    const found = isUuid(id) ? await accesses.ofAccount(id) : null;
    if (!found) {
      throw new AcmeProblem('accountDoesNotExist', 'There is no such account. Register the client again.');
    }
    if (found.account.status !== 'valid') {
      const text = 'This account was deactivated by its client. Register the client with a new account key.';
      throw new AcmeProblem('unauthorized', text, { status: 401 });
    }
    const dead = deadAccess(found.access.state);
    if (dead) throw dead;
    return found;
  }

  async function signedBy(
    jwk: Jwk,
    { envelope, header }: Pick<Opened, 'envelope' | 'header'>,
  ): Promise<Opened> {
    await requireSignature(envelope, jwk, header.alg);
    // Last, so that only requests that are signed rightly are written down.
    await nonces.use(header.nonce);
    return { envelope, header, payload: envelope.payload };
  }

  async function byAccount(request: AcmeRequest): Promise<OpenedByAccount> {
    const head = headOf(request);
    const { kid } = head.header;
    if (kid === null) {
      throw new AcmeProblem(
        'malformed',
        'Name the account of this request with "kid", not its key with "jwk".',
      );
    }
    const found = await accountOf(kid);
    const jwk = accountKeyOf(found.account.jwk, head.header.alg);
    return { ...(await signedBy(jwk, head)), ...found };
  }

  async function byKey(request: AcmeRequest): Promise<OpenedByKey> {
    const head = headOf(request);
    if (head.header.jwk === null) {
      throw new AcmeProblem('malformed', 'This request must contain the key that signed it ("jwk").');
    }
    const jwk = accountKeyOf(head.header.jwk, head.header.alg);
    return { ...(await signedBy(jwk, head)), jwk };
  }

  return {
    byAccount,
    byKey,
    /** By whichever of the two signed: revocations may be either. */
    async byEither(request: AcmeRequest): Promise<OpenedByAccount | OpenedByKey> {
      return headOf(request).header.kid === null ? byKey(request) : byAccount(request);
    },
  };
}
