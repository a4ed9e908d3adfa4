/** Errors of the protocol: problem documents (RFC 7807) with the types of RFC 8555 6.7 and RFC 9773 7.4. */

/** The status that goes with each type. Those that only validation by challenge could bring are never sent. */
const statuses = {
  accountDoesNotExist: 400,
  alreadyReplaced: 409,
  alreadyRevoked: 400,
  badCSR: 400,
  badNonce: 400,
  badPublicKey: 400,
  badRevocationReason: 400,
  badSignatureAlgorithm: 400,
  externalAccountRequired: 403,
  invalidContact: 400,
  malformed: 400,
  orderNotReady: 403,
  rateLimited: 429,
  rejectedIdentifier: 403,
  serverInternal: 500,
  unauthorized: 403,
  unsupportedContact: 400,
  unsupportedIdentifier: 400,
  userActionRequired: 403,
} as const;

export type ProblemType = keyof typeof statuses;

export interface Identifier {
  type: string;
  value: string;
}

export interface Subproblem {
  type: ProblemType;
  detail: string;
  identifier: Identifier;
  /** As of the problem. */
  advice?: string;
}

interface ProblemOptions {
  /** Where the protocol wants another status than the type's own. */
  status?: number;
  subproblems?: readonly Subproblem[];
  retryAfterSeconds?: number;
  /** Further members of the document. */
  members?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
  /** What the MSP can do about it. Clients are not sent it: what helps a customer is in the message. */
  advice?: string | undefined;
}

/** The only error that the protocol's services throw on purpose. `message`: for the person who reads the client's output. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem';
  readonly type: ProblemType;
  readonly status: number;
  readonly subproblems: readonly Subproblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly advice: string;

  constructor(type: ProblemType, message: string, options: ProblemOptions = {}) {
    super(message, { cause: options.cause });
    this.type = type;
    this.status = options.status ?? statuses[type];
    this.subproblems = options.subproblems ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.members = options.members ?? {};
    this.headers = options.headers ?? {};
    this.advice = options.advice ?? '';
  }
}

const urn = (type: ProblemType) => `urn:ietf:params:acme:error:${type}`;

/** The document, as it is sent and as an order keeps it. */
export function documentOf(problem: AcmeProblem) {
  const subproblems = problem.subproblems.map(({ type, detail, identifier }) => ({
    ...{ type: urn(type), detail, identifier },
  }));
  return {
    ...{ type: urn(problem.type), detail: problem.message, status: problem.status },
    ...(subproblems.length > 0 ? { subproblems } : {}),
    ...problem.members,
  };
}
