import { coversName } from '#contracts/values/acme-access.ts';
import { isHostName, withoutWww } from '#contracts/values/domain-name.ts';
import { AcmeProblem, type Identifier, type Subproblem } from './problems.rules.ts';

/** What may be ordered, and how an order looks to its client: pure, from what the portal knows and now. */

const dayMs = 86_400_000;
/** A client finalizes within seconds; one that is stopped on the way starts over with a new order. */
export const orderValidMs = 7 * dayMs;
/** More than any product covers, and few enough to look up at once. */
const mostNames = 100;
/** A wildcard's two characters, and the longest name. */
const mostChars = 255;

const identifier = (value: string): Identifier => ({ type: 'dns', value });

/** The names of a new order, lower case, sorted, each once. */
export function namesOf(payload: Readonly<Record<string, unknown>>): string[] {
  const { identifiers, notBefore, notAfter } = payload;
  if (notBefore !== undefined || notAfter !== undefined) {
    throw new AcmeProblem(
      'malformed',
      'The dates of a certificate cannot be chosen. Leave out notBefore and notAfter.',
    );
  }
  if (!Array.isArray(identifiers) || identifiers.length === 0) {
    throw new AcmeProblem('malformed', 'The order names nothing. Send at least one identifier.');
  }
  if (identifiers.length > mostNames) {
    throw new AcmeProblem('malformed', `An order has at most ${mostNames} names.`);
  }
  const read = identifiers.map(readIdentifier);
  const problems = read.flatMap(({ problem }) => (problem ? [problem] : []));
  if (problems.length > 0) throw refusalOf(problems);
  return [...new Set(read.map(({ name }) => name))].sort();
}

function readIdentifier(given: unknown): { name: string; problem?: Subproblem } {
  const { type, value } = (typeof given === 'object' && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  if (typeof type !== 'string' || typeof value !== 'string') {
    throw new AcmeProblem('malformed', 'Each identifier must have a type and a value.');
  }
  const shown: Identifier = { type: type.slice(0, 50), value: value.slice(0, mostChars) };
  if (type !== 'dns') {
    const detail = `Identifiers of type "${shown.type}" are not supported. Ask for DNS names.`;
    return { name: '', problem: { type: 'unsupportedIdentifier', detail, identifier: shown } };
  }
  const name = value.toLowerCase();
  if (isHostName(name.replace(/^\*\./, ''))) return { name };
  const detail = `"${shown.value}" is not a valid domain name.`;
  return { name, problem: { type: 'rejectedIdentifier', detail, identifier: shown } };
}

/** One problem for all names that cannot be had, each with its own reason (RFC 8555 6.7.1). */
export function refusalOf(
  problems: readonly [Subproblem, ...Subproblem[]] | readonly Subproblem[],
): AcmeProblem {
  const [first] = problems;
  if (!first) throw new Error('a refusal needs a reason');
  const sameType = problems.every(({ type }) => type === first.type);
  const detail =
    problems.length === 1
      ? first.detail
      : `${problems.length} of the names cannot be had. ${problems.map((problem) => problem.detail).join(' ')}`;
  const advice = [...new Set(problems.flatMap((problem) => problem.advice ?? []))].join(' ');
  return new AcmeProblem(sameType ? first.type : 'rejectedIdentifier', detail, {
    ...{ subproblems: problems, advice },
  });
}

/** Where a name lies: the customer's domain at or above it; null: none of theirs. */
export interface NamePlace {
  domain: string;
  /** Null: the portal has not read the delegation yet. */
  managed: boolean | null;
}

/**
 * Why a name cannot be had; null when it can. A name of somebody else, of another customer, one that nobody has, and one
 * that the access leaves out are all refused with the same words, so that nobody learns which it is.
 */
export function problemOfName(
  name: string,
  hosts: readonly string[] | null,
  place: NamePlace | null,
): Subproblem | null {
  const refused = (detail: string, advice: string): Subproblem => ({
    ...{ type: 'rejectedIdentifier', detail, identifier: identifier(name), advice },
  });
  if (!place || !coversName(hosts, name)) {
    return refused(
      `${name} is not among the names of this access. Ask the provider who gave you the access to add the name, or check how it is spelled.`,
      `Add ${name} to the access, or its domain to the customer. If the server should not have the name, correct the settings of its client.`,
    );
  }
  const { domain, managed } = place;
  if (managed === null) {
    return refused(
      `It is not known yet where the DNS of ${domain} is managed. Please try again in a few minutes.`,
      `The portal has not read the delegation of ${domain} yet. The server tries again automatically.`,
    );
  }
  if (!managed) {
    return refused(
      `The DNS of ${domain} is not managed by this portal, so it cannot prove control of ${name}. Ask the provider to move the DNS of ${domain} to the portal.`,
      `Move the DNS of ${domain} to the portal, or take ${name} out of the settings of the client.`,
    );
  }
  return null;
}

export interface Product {
  productType: string;
  /** As people know it: "RapidSSL". */
  certificate: string;
  provider: string;
  wildcard: boolean;
  businessValidated: boolean;
}

/** The names that one certificate of the product covers together: a name and its www, or a wildcard and what is above. */
export function problemsOfSet(names: readonly string[], product: Product): Subproblem[] {
  const { certificate, wildcard } = product;
  const refuse = (name: string, detail: string, advice: string): Subproblem => ({
    ...{ type: 'rejectedIdentifier', detail, identifier: identifier(name), advice },
  });
  const stars = names.filter((name) => name.startsWith('*.'));
  if (!wildcard && stars.length > 0) {
    return stars.map((name) =>
      refuse(
        name,
        `${certificate}, the product of this access, does not cover wildcard names such as ${name}. Ask for each name by itself, or ask the provider for an access with a wildcard product.`,
        'Make an access with a wildcard product for this server, or have its client ask for each name by itself.',
      ),
    );
  }
  const [star] = stars;
  if (wildcard && !star) {
    return names.map((name) =>
      refuse(
        name,
        `${certificate}, the product of this access, is a wildcard. Ask for *.${withoutWww(name)}, with or without ${withoutWww(name)}.`,
        `Make an access with a product for single names, or have the client ask for *.${withoutWww(name)}.`,
      ),
    );
  }
  const main = star ?? [...names].sort((one, other) => one.length - other.length)[0] ?? '';
  const free = star ? [star.slice(2)] : [`www.${main}`];
  return names
    .filter((name) => name !== main && !free.includes(name))
    .map((name) =>
      refuse(
        name,
        `One certificate of ${certificate} covers ${main}${free.map((also) => ` and ${also}`).join('')}, but not ${name}. Ask for another certificate for ${name}.`,
        `Have the client ask for a certificate for ${name} by itself.`,
      ),
    );
}

/** The name by which the portal and the registrar know the certificate of these names. */
export function addressOf(names: readonly string[]): string {
  const shortest = [...names].sort((one, other) => one.length - other.length)[0] ?? '';
  return shortest.replace(/^\*\./, '');
}

/**
 * Whether a certificate with these host names is one for exactly these names. Authorities add www, or the name itself,
 * for nothing, and a request for less gets it too.
 */
export function isFor(names: readonly string[], hostNames: readonly string[]): boolean {
  const address = addressOf(names);
  const free = [address, `www.${address}`, withoutWww(address)];
  return (
    names.every((name) => hostNames.includes(name)) &&
    hostNames.every((name) => names.includes(name) || free.includes(name))
  );
}

/** What of an order its client may see. */
export interface OrderView {
  id: string;
  names: readonly string[];
  state: 'ready' | 'processing' | 'valid' | 'invalid';
  givenUp: readonly number[];
  replaces: string | null;
  problem: object | null;
  createdAt: Date;
  /** When it got its signing request. */
  finalizedAt: Date | null;
  expiresAt: Date;
}

/** The state that the client is told: an order that nobody finalized in time has ended. */
export function statusOf(
  order: Pick<OrderView, 'state' | 'givenUp' | 'expiresAt'>,
  now: Date,
): OrderView['state'] {
  if (order.state !== 'ready') return order.state;
  return order.givenUp.length > 0 || order.expiresAt <= now ? 'invalid' : 'ready';
}

/** RFC 8555 7.1.3. `at`: makes an address of a path. */
export function orderBody(
  order: OrderView,
  at: (path: string) => string,
  now: Date,
): Record<string, unknown> {
  const status = statusOf(order, now);
  return {
    status,
    expires: order.expiresAt.toISOString(),
    identifiers: order.names.map(identifier),
    authorizations: order.names.map((_, index) => at(`authz/${order.id}/${index}`)),
    finalize: at(`order/${order.id}/finalize`),
    ...(order.replaces === null ? {} : { replaces: order.replaces }),
    ...(status === 'valid' ? { certificate: at(`certificate/${order.id}`) } : {}),
    ...(order.problem === null ? {} : { error: order.problem }),
  };
}

/**
 * RFC 8555 7.1.4: proven from the start, because the portal manages the zone. `withdrawn`: the access cannot have the name
 * any more. Null: no such name in the order.
 */
export function authorizationBody(
  order: OrderView,
  index: number,
  given: { at: (path: string) => string; token: string; now: Date; withdrawn: boolean },
): Record<string, unknown> | null {
  const name = order.names[index];
  if (name === undefined) return null;
  return {
    status: authorizationStatus(order, index, given),
    expires: order.expiresAt.toISOString(),
    identifier: identifier(name.replace(/^\*\./, '')),
    ...(name.startsWith('*.') ? { wildcard: true } : {}),
    challenges: [challengeBody(order, index, given)],
  };
}

function authorizationStatus(
  order: OrderView,
  index: number,
  { now, withdrawn }: { now: Date; withdrawn: boolean },
): string {
  if (order.givenUp.includes(index)) return 'deactivated';
  if (withdrawn) return 'revoked';
  return order.expiresAt <= now ? 'expired' : 'valid';
}

/** RFC 8555 8.4: met already; a client that answers it again hears the same. */
export function challengeBody(
  order: Pick<OrderView, 'id' | 'createdAt'>,
  index: number,
  { at, token }: { at: (path: string) => string; token: string },
): Record<string, unknown> {
  return {
    ...{ type: 'dns-01', status: 'valid', validated: order.createdAt.toISOString(), token },
    url: at(`challenge/${order.id}/${index}`),
  };
}
