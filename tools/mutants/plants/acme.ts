import type { Plant } from '../bug.ts';

const test = 'tests/acme/conformance.test.ts';
const edge = 'src/server/http/acme.ts';
const csr = 'src/server/features/certificates/csr.ts';
const algorithms = `accountAlgorithms = ['ES256', 'ES384', 'EdDSA', 'RS256']`;

type Bug = readonly [file: string, from: string, to: string, only: string];

const keysOfRequests: readonly Bug[] = [
  ...['ES256', 'ES384', 'EdDSA', 'RS256'].map(
    (alg): Bug => ['jws.rules', algorithms, algorithms.replace(`'${alg}'`, `'no'`), `${alg} signs requests`],
  ),
  [
    'exchange',
    'await requireSignature(envelope, jwk, header.alg);',
    'void requireSignature;',
    'a signature by another key is refused',
  ],
  ['jws.rules', '{ members: { algorithms: [...algorithms] } },', '{},', 'an algorithm that is not taken'],
  ['jws.rules', 'leastRsaBits = 2048', 'leastRsaBits = 512', 'an RSA key below 2048 bits'],
  [
    'jws.rules',
    `if (!isSafeExponent(Buffer.from(e, 'base64url')))`,
    'if (false)',
    'an RSA key with the public exponent',
  ],
  [
    'jws.rules',
    'if ((jwk === null) === (kid === null))',
    'if (jwk === null && kid === null)',
    'only new accounts name their key',
  ],
  ['exchange', '.test(request.contentType)', '.test("application/jose+json")', 'another content type is'],
];

const bodies: readonly Bug[] = [
  [
    'jws.rules',
    `return malformed('The request body is not a JSON Web Signature.');`,
    `throw new Error('bug');`,
    String.raw`the body ("null"|"\[\]"|"\\u0000"|"") is refused`,
  ],
  [
    'jws.rules',
    'if (!isPart(head) || !isPart(payload) || !isPart(signature))',
    'if (false)',
    String.raw`the body ("\{\}"|"\{\\"protected\\":1.*) is refused`,
  ],
  ['jws.rules', `if (typeof alg !== 'string')`, 'if (false)', 'the body .*e30.* is refused'],
  [edge, 'bodyLimitBytes = 65_536', 'bodyLimitBytes = 655_360', 'a body beyond 64 kB'],
  [edge, `method: ['GET', 'PUT', 'PATCH', 'DELETE']`, `method: ['PUT']`, 'resources are not read by GET'],
  ['jws.rules', `if (payload !== '') malformed(`, 'if (false) malformed(', 'reading takes an empty payload'],
  ['exchange', 'if (header.url !== at(request.path))', 'if (false)', 'a request for another address'],
];

const nonces: readonly Bug[] = [
  ['nonces.repo', 'return rows.length === 1;', 'return true;', '(a nonce|at once, it) works once'],
  [
    'nonces',
    `const known = bytes.toString('base64url') === nonce && isFresh(nonce);`,
    'const known = isFresh(nonce);',
    'one that is not ours, missing, or written',
  ],
  [edge, `.header('replay-nonce', acme.nonce())`, '', 'every answer brings the next nonce'],
  ['acme.service', `renewalInfo: at('renewal-info'),`, '', 'the directory names every resource'],
  [edge, `request.method === 'HEAD' ? 200 : 204`, '200', 'HEAD answers 200, GET 204'],
  [edge, `'There is nothing at this address.', 404`, `'Nothing.', 400`, 'what is nowhere is a problem'],
];

const accounts: readonly Bug[] = [
  ['accounts.service', 'if (known) return knownReply(known);', '', 'the same key is the same account'],
  ['accounts.service', 'if (payload.onlyReturnExisting === true)', 'if (false)', 'an unknown key has none'],
  ['accounts.service', 'if (first) return knownReply(first);', '', 'two registrations at once'],
  ['account.rules', `if (!contact.startsWith('mailto:'))`, 'if (false)', 'contacts can be changed'],
  [
    'acme.service',
    'if (opened.account.id === id) return opened;',
    'if (id) return opened;',
    'another account cannot be read',
  ],
  [
    'exchange',
    `AcmeProblem('accountDoesNotExist'`,
    `AcmeProblem('malformed'`,
    'an account that nobody has is unknown',
  ],
  [
    'account-binding',
    'if (binding === undefined || binding === null)',
    'if (binding === null)',
    'with none nobody registers',
  ],
  [
    'account-binding',
    `throw new AcmeProblem('unauthorized', unknownBinding);`,
    `throw new AcmeProblem('malformed', unknownBinding);`,
    'with another key( id)? nobody registers',
  ],
  [
    'account-binding',
    `if (!access || !(await isBoundBy(envelope, access.hmacKey(), alg)))`,
    'if (!access)',
    'with another key nobody registers',
  ],
  [
    'account-binding',
    'if ((await thumbprintOfGiven(decodedJson(envelope.payload))) !== thumbprint)',
    'if (false)',
    'with another account key nobody registers',
  ],
  [
    'jws',
    'if (kid === null || header.nonce !== null || header.url !== outer.url)',
    'if (kid === null)',
    'with (another address|a nonce) nobody registers',
  ],
  [
    'jws',
    'headerOf(envelope, bindingAlgorithms)',
    `headerOf(envelope, ['ES256', ...bindingAlgorithms])`,
    'with no MAC nobody registers',
  ],
  [
    'jws.rules',
    `if (!isObject(value)) return malformed('The request body`,
    `if (false) return malformed('The request body`,
    'with no object nobody registers',
  ],
  [
    'account-binding',
    `throw new AcmeProblem('unauthorized', unknownBinding);`,
    `throw new AcmeProblem('unauthorized', access ? unknownBinding : 'Unknown.');`,
    'are answered with the same bytes',
  ],
  ['jws.rules', `['HS256', 'HS384', 'HS512']`, `['HS256']`, '(HS384|HS512) binds, too'],
  [
    'exchange',
    'const dead = deadAccess(found.access.state);',
    `const dead = deadAccess('active');`,
    'when the access ends, its accounts end',
  ],
];

const keyChanges: readonly Bug[] = [
  [
    'account-keys',
    'if (!(await changedKey(account, access, { thumbprint, jwk })))',
    'if (false)',
    'the new key has the account',
  ],
  [
    'account-keys',
    'if (!(await changedKey(account, access, { thumbprint, jwk })))',
    'await changedKey(account, access, { thumbprint, jwk });\n    if (account.status !== "valid")',
    'two changes at once are one',
  ],
  ['account-keys', 'if (named !== opened.header.kid || ', 'if (', 'another account is refused'],
  [
    'account-keys',
    ' || (await thumbprintOfGiven(oldKey)) !== account.thumbprint)',
    ')',
    'another old key is refused',
  ],
  [
    'account-keys',
    'if (header.jwk === null || header.nonce !== null || header.url !== opened.header.url)',
    'if (header.jwk === null)',
    'roll-over.*(another address|a nonce inside) is refused',
  ],
  [
    'account-keys',
    'const own = other?.access_id === access.accessId;',
    'const own = false;',
    'is a conflict',
  ],
  [
    'accounts.service',
    'await inTransaction(db, access, (tx) => deactivateAccount(tx, account.id));',
    '',
    'ends it for good',
  ],
];

const orders: readonly Bug[] = [
  [
    'order.rules',
    `type: 'dns-01', status: 'valid'`,
    `type: 'dns-01', status: 'pending'`,
    'a new order is ready',
  ],
  ['orders.repo', `.where('account_id', '=', accountId)`, '', 'the orders of an account are its own alone'],
  ['places.repo', `.where('customer_id', '=', customerId)`, '', 'names of others, and names of nobody'],
  ['order.rules', 'if (!wildcard && stars.length > 0)', 'if (false)', 'what no product covers'],
  ['order-ground', 'if (order?.account_id !== account.id)', 'if (!order)', 'an order of another account'],
  [
    'csr-check',
    `'badCSR',\n        'The signing request must be sent`,
    `'malformed',\n        'The signing request must be sent`,
    'with no (request|base64url) is refused',
  ],
  [
    'csr-check',
    `throw new AcmeProblem('badCSR', error.message, { cause: error });`,
    'throw error;',
    'with (no request at all|a weak key|a key that no authority signs) is refused',
  ],
  ['csr-check', 'if (mismatch) throw mismatch;', '', 'with (a name too many|another name) is refused'],
  ['csr-check', 'if (otherNames.length > 0)', 'if (false)', 'with an address is refused'],
  [csr, 'leastRsaBits = 2048', 'leastRsaBits = 512', 'with a weak key is refused'],
  [csr, 'if (!curves.includes(curve))', 'if (false)', 'is named as the reason'],
  [
    'csr-check',
    'if (keyDigest.equals(keyDigestOfJwk(account.jwk)))',
    'if (false)',
    'the account key is no key for a certificate',
  ],
  [
    'order-progress',
    'if (!digest || !order.csr_digest?.equals(digest))',
    'if (!digest)',
    'the same request again is the same order',
  ],
  [
    'finalize.rules',
    'if (ageMs < 60 * secondMs) return 1;',
    'if (ageMs < 60 * secondMs) return 0;',
    'says when to ask',
  ],
  [
    'authorizations',
    'const withdrawn = name !== undefined && (await isWithdrawn(opened.access, name));',
    'const withdrawn = false;',
    'a name that left the access is proven no more',
  ],
  [
    'authorizations',
    'await inTransaction(db, opened.access, (tx) => giveUpAuthorization(tx, orderId, index));',
    '',
    'ends the order$',
  ],
];

const certificates: readonly Bug[] = [
  [
    'orders.repo',
    `.where('replaces', '=', issuedId)\n    .where('state', 'in', ['processing', 'valid'])`,
    `.where('replaces', '=', issuedId)\n    .where('state', 'in', ['ready'])`,
    'are delivered as a chain',
  ],
  [
    'revoke',
    'if (order.revoked) throw alreadyRevoked();',
    'if (order.revoked) return { status: 200 };',
    'are delivered as',
  ],
  [
    'csr-check',
    `if (refused) throw new AcmeProblem('badCSR', refusedKeyTexts[refused]);`,
    '',
    'a compromised key is not taken again',
  ],
];

/** For each test of the conformance file a bug that it has to see, section by section of RFC 8555 and RFC 9773. */
export const plantsInAcme: readonly Plant[] = [
  ...[...keysOfRequests, ...bodies, ...nonces, ...accounts, ...keyChanges, ...orders, ...certificates],
].map(([file, from, to, only]) => ({
  in: file.includes('/') ? file : `src/server/features/acme/${file}.ts`,
  ...{ from, to, test, only },
}));
