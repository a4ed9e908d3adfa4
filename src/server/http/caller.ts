import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.ts';
import { needsFirstPayment, type OperationSpec } from '#contracts/operation.ts';
import type { Permission } from '#contracts/permissions.ts';
import { freshForSeconds, isFreshSignIn } from '#contracts/values/fresh-sign-in.ts';
import type { Clock } from '#kernel/clock.ts';
import { sha256 } from '#kernel/ids.ts';
import type { Operator } from '#kernel/operator.ts';
import { type Entrant, requirePermission, type Scope } from '#kernel/scope.ts';
import { type IdentityProvider, InvalidToken, type VerifiedIdentity } from '../ports/identity.ts';

/** Role and organisation of a verified identity, from the database, on each request. null: no profile. */
export type LoadActor = (identity: VerifiedIdentity) => Promise<Entrant | null>;

/** What an API token may do; null: it is none, revoked, or out of time. */
export type LoadByToken = (token: string) => Promise<Entrant | null>;

export interface CallerDeps {
  /** Absent: there are no API tokens. */
  loadByToken?: LoadByToken;
  identity: IdentityProvider;
  loadActor: LoadActor;
  /** Makes keys for named operators; empty: nobody does. */
  operatorToken: string;
  /** Whose key it is; null: nobody's, or it has ended. */
  loadOperator: (key: string) => Promise<{ id: string; name: string } | null>;
  /** By which a sign-in is fresh or not. */
  clock: Clock;
  /** Other origins whose pages may call the API. */
  corsOrigins?: readonly string[];
}

export interface Caller {
  scope: Scope | null;
  identity: VerifiedIdentity | null;
  /** Who acts for the portal itself. */
  operator: Operator | null;
}

const nobody: Caller = { scope: null, identity: null, operator: null };
const openAccess = ['public', 'signature', 'webhook'];

/** Identifies the caller and checks their permission. The body has not been read yet. */
export async function identifyCaller(
  operation: OperationSpec,
  request: FastifyRequest,
  deps: CallerDeps,
): Promise<Caller> {
  if (openAccess.includes(operation.access)) return nobody;
  refuseCrossSite(request, deps.corsOrigins ?? []);
  const token = bearerOf(request);
  if (operation.access === 'operator' || operation.access === 'bootstrap') {
    return { ...nobody, operator: await operatorOf(operation.access, token, request, deps) };
  }
  if (isApiToken(token)) return callerByToken(operation, request, token, deps);
  const identity = await verify(token, deps.identity);
  if (operation.access === 'identity') {
    return { ...nobody, identity: await withProfile(identity, token, deps.identity) };
  }
  const entrant = await deps.loadActor(identity);
  if (!entrant) throw new AppError('no_profile');
  const scope = enter(operation, request, entrant);
  if (operation.freshSignIn === true) requireFreshSignIn({ ...nobody, scope, identity }, deps.clock);
  return { ...nobody, scope, identity };
}

/**
 * Lets a known caller in: what they may do, and that their organisation has paid its first fee where the operation opens
 * with it. Customers' own users are never asked for that: it is not theirs to pay, and their DNS stays in their hands.
 */
function enter(operation: OperationSpec, request: FastifyRequest, { actor, initialFeePaid }: Entrant): Scope {
  const scope: Scope = { ...actor, ip: request.ip, requestId: request.id };
  requirePermission(scope, operation.access as Permission);
  if (!initialFeePaid && scope.role !== 'MSP_CUSTOMER' && needsFirstPayment(operation)) {
    throw new AppError('initial_fee_unpaid');
  }
  return scope;
}

/** A person with a key of their own; or the setting, which only makes such keys. */
async function operatorOf(
  access: 'operator' | 'bootstrap',
  token: string,
  request: FastifyRequest,
  deps: CallerDeps,
): Promise<Operator> {
  const origin = { ip: request.ip, requestId: request.id };
  const holdsSetting = isOperator(token, deps.operatorToken);
  if (access === 'bootstrap') {
    if (!holdsSetting) throw new AppError('unauthenticated');
    return { id: null, name: 'OPERATOR_TOKEN', ...origin };
  }
  if (holdsSetting) throw new AppError('forbidden', { message: onlyMakesKeys });
  const person = await deps.loadOperator(token);
  if (!person) throw new AppError('unauthenticated');
  return { ...person, ...origin };
}

const onlyMakesKeys =
  'OPERATOR_TOKEN can only create keys. Please use a key of your own: npm run operator -- operators add "Your Name".';

/** An identity provider's token has dots; ours has this in front. */
const isApiToken = (token: string) => /^nwk_[\w-]{43}$/.test(token);

/** A script: it may what its token was given, and never what asks for a person. */
async function callerByToken(
  operation: OperationSpec,
  request: FastifyRequest,
  token: string,
  deps: CallerDeps,
): Promise<Caller> {
  const entrant = await deps.loadByToken?.(token);
  if (!entrant) throw new AppError('unauthenticated');
  if (operation.access === 'identity' || operation.freshSignIn === true) throw new AppError('forbidden');
  const scope = enter(operation, request, entrant);
  const { userId: subject, email } = scope;
  const identity = { issuer: 'api-token', subject, email, emailVerified: false, name: null };
  return { ...nobody, scope, identity: { ...identity, authenticatedAt: null, expiresAt: 0 } };
}

async function verify(token: string, provider: IdentityProvider): Promise<VerifiedIdentity> {
  try {
    return await provider.verify(token);
  } catch (error) {
    if (error instanceof InvalidToken) throw new AppError('unauthenticated', { cause: error });
    // The provider's keys cannot be had: that is nothing a new sign-in would mend.
    throw new AppError('unavailable', { cause: error, retryAfterSeconds: 5 });
  }
}

/** Some providers tell name and email only when asked; it matters for those who have no profile yet. */
async function withProfile(
  identity: VerifiedIdentity,
  token: string,
  provider: IdentityProvider,
): Promise<VerifiedIdentity> {
  if (identity.email) return identity;
  try {
    const told = await provider.userInfo(token);
    return { ...identity, ...told, name: told.name ?? identity.name };
  } catch {
    return identity;
  }
}

function bearerOf(request: FastifyRequest): string {
  const match = /^Bearer ([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '');
  if (!match?.[1]) throw new AppError('unauthenticated');
  return match[1];
}

/** Compares digests: neither content nor length shows in the time it takes. */
export function isOperator(token: string, operatorToken: string): boolean {
  return operatorToken !== '' && timingSafeEqual(sha256(token), sha256(operatorToken));
}

/** A page elsewhere has no token; should it ever get one, its requests still go nowhere (also GET, P1 §7). */
function refuseCrossSite(request: FastifyRequest, allowed: readonly string[]): void {
  if (request.headers['sec-fetch-site'] !== 'cross-site') return;
  if (allowed.includes(request.headers.origin ?? '')) return;
  throw new AppError('forbidden', { message: 'Requests from other sites are not accepted.' });
}

/** Design, security: step-up. A script cannot sign in, and so never may what asks for it. */
export function requireFreshSignIn({ scope, identity }: Caller, clock: Clock): void {
  if (scope?.tokenId !== undefined) throw new AppError('forbidden');
  if (!isFreshSignIn(identity?.authenticatedAt ?? null, clock.now())) {
    throw new AppError('fresh_sign_in_required');
  }
}

/** The same said before, so that a screen asks for a sign-in before somebody fills in a form in vain. */
export function freshFor({ identity }: Caller, clock: Clock): number {
  return freshForSeconds(identity?.authenticatedAt ?? null, clock.now());
}
