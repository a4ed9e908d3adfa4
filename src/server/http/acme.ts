import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answeredWithinMs } from '#contracts/values/answer-times.ts';
import { appErrorOf } from './errors.ts';

/** A signed request; whether it is one is the protocol's matter. */
interface AcmeRequest {
  path: string;
  contentType: string;
  body: Buffer;
  ip: string;
}

interface AcmeReply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: object;
  text?: { type: string; content: string };
}

/** The protocol's server, as the edge sees it. */
export interface AcmeServer {
  directory(): object;
  nonce(): string;
  indexLink: string;
  renewalInfo(issuedId: string): Promise<AcmeReply>;
  newAccount(request: AcmeRequest): Promise<AcmeReply>;
  newOrder(request: AcmeRequest): Promise<AcmeReply>;
  account(request: AcmeRequest, id: string): Promise<AcmeReply>;
  accountOrders(request: AcmeRequest, id: string, before: string | null): Promise<AcmeReply>;
  order(request: AcmeRequest, id: string): Promise<AcmeReply>;
  finalize(request: AcmeRequest, id: string): Promise<AcmeReply>;
  authorization(request: AcmeRequest, id: string, index: number): Promise<AcmeReply>;
  challenge(request: AcmeRequest, id: string, index: number): Promise<AcmeReply>;
  certificate(request: AcmeRequest, id: string): Promise<AcmeReply>;
  revoke(request: AcmeRequest): Promise<AcmeReply>;
  keyChange(request: AcmeRequest): Promise<AcmeReply>;
  /** A problem that the protocol threw, as its document; null: it is none. */
  problemOf(error: unknown): AcmeReply | null;
  /** A failure of the edge as a document. */
  problem(kind: 'malformed' | 'rateLimited' | 'serverInternal', detail: string, status: number): AcmeReply;
}

/** A signing request with many names, in base64url twice over, is some ten kilobytes. */
const bodyLimitBytes = 65_536;
/** As an operation that writes: a request goes on even when its answer is given up. */
const limitMs = answeredWithinMs.write;

type Params = Record<string, string | undefined>;
type Post = (request: AcmeRequest, params: Params, query: Params) => Promise<AcmeReply>;

/** `/acme/…`, outside of the JSON contracts: the protocol has content types, errors and addresses of its own. */
export function serveAcme(app: FastifyInstance, acme: AcmeServer): void {
  const posts: Readonly<Record<string, [operation: string, post: Post]>> = {
    'new-account': ['acme.newAccount', (request) => acme.newAccount(request)],
    'new-order': ['acme.newOrder', (request) => acme.newOrder(request)],
    'account/:id': ['acme.account', (request, { id }) => acme.account(request, id ?? '')],
    'account/:id/orders': [
      'acme.accountOrders',
      (request, { id }, { before }) => acme.accountOrders(request, id ?? '', before ?? null),
    ],
    'order/:id': ['acme.order', (request, { id }) => acme.order(request, id ?? '')],
    'order/:id/finalize': ['acme.finalize', (request, { id }) => acme.finalize(request, id ?? '')],
    'authz/:id/:index': [
      'acme.authorization',
      (request, { id, index }) => acme.authorization(request, id ?? '', indexOf(index)),
    ],
    'challenge/:id/:index': [
      'acme.challenge',
      (request, { id, index }) => acme.challenge(request, id ?? '', indexOf(index)),
    ],
    'certificate/:id': ['acme.certificate', (request, { id }) => acme.certificate(request, id ?? '')],
    'revoke-cert': ['acme.revoke', (request) => acme.revoke(request)],
    'key-change': ['acme.keyChange', (request) => acme.keyChange(request)],
  };

  app.register(
    (scope, _options, done) => {
      scope.setErrorHandler((error: FastifyError | Error, request, reply) => {
        sendReply(reply, acme, acme.problemOf(error) ?? fallback(error, request));
      });
      scope.setNotFoundHandler((_request, reply) => {
        sendReply(reply, acme, acme.problem('malformed', 'There is nothing at this address.', 404));
      });
      scope.get('/directory', { config: { operation: 'acme.directory' } }, async (_request, reply) =>
        sendAs(reply, 'application/json', JSON.stringify(acme.directory())),
      );
      // RFC 8555 7.2: 200 for HEAD, 204 for GET.
      scope.route({
        method: ['GET', 'HEAD'],
        url: '/new-nonce',
        config: { operation: 'acme.newNonce' },
        handler: async (request, reply) =>
          sendReply(reply, acme, { status: request.method === 'HEAD' ? 200 : 204 }),
      });
      scope.get<{ Params: { id: string } }>(
        '/renewal-info/:id',
        { config: { operation: 'acme.renewalInfo' } },
        async (request, reply) => sendReply(reply, acme, await acme.renewalInfo(request.params.id)),
      );
      for (const [path, [operation, post]] of Object.entries(posts)) {
        const config = { operation, limitMs };
        scope.post<{ Params: Params; Querystring: Params }>(
          `/${path}`,
          { config, bodyLimit: bodyLimitBytes },
          async (request, reply) =>
            sendReply(reply, acme, await post(requestOf(request), request.params, request.query)),
        );
        // RFC 8555 6.3: everything but directory, nonces and renewal information is read by POST.
        scope.route({
          method: ['GET', 'PUT', 'PATCH', 'DELETE'],
          url: `/${path}`,
          config,
          handler: async (_request, reply) => {
            const text = 'Send a signed POST request to this address (POST-as-GET to read it).';
            return sendReply(reply.header('allow', 'POST'), acme, acme.problem('malformed', text, 405));
          },
        });
      }
      done();
    },
    { prefix: '/acme' },
  );

  function fallback(error: FastifyError | Error, request: FastifyRequest): AcmeReply {
    const known = appErrorOf(error);
    if (known.status >= 500) request.log.error({ err: error, code: known.code }, 'request failed');
    const kind = known.status === 429 ? 'rateLimited' : known.status >= 500 ? 'serverInternal' : 'malformed';
    const wait = known.retryAfterSeconds;
    const reply = acme.problem(kind, known.message, known.status);
    return wait === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, 'retry-after': String(wait) } };
  }
}

function indexOf(text: string | undefined): number {
  return /^\d{1,3}$/.test(text ?? '') ? Number(text) : -1;
}

/** The path as the client signed it: what the router took apart is put together again, so that no other spelling counts. */
function requestOf(request: FastifyRequest<{ Params: Params; Querystring: Params }>): AcmeRequest {
  const { body, headers, ip, params, query, routeOptions } = request;
  const path = (routeOptions.url ?? '')
    .replace('/acme/', '')
    .replace(/:(\w+)/g, (_all, name: string) => params[name] ?? '');
  const { before } = query;
  return {
    path: typeof before === 'string' ? `${path}?before=${before}` : path,
    contentType: headers['content-type'] ?? '',
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    ip,
  };
}

/** Each reply brings the nonce of the next request (RFC 8555 6.5), and the way to the directory (7.1). */
function sendReply(reply: FastifyReply, acme: AcmeServer, answer: AcmeReply): FastifyReply {
  const { link, ...headers } = answer.headers ?? {};
  reply
    .status(answer.status)
    .header('replay-nonce', acme.nonce())
    .header('cache-control', 'no-store')
    .header('link', link === undefined ? acme.indexLink : [acme.indexLink, link])
    .headers(headers);
  if (answer.text) return sendAs(reply, answer.text.type, answer.text.content);
  if (answer.json) return sendAs(reply, 'application/json', JSON.stringify(answer.json));
  return reply.send();
}

/** As bytes: to a text the framework adds a charset, which these types do not have. */
function sendAs(reply: FastifyReply, type: string, content: string): FastifyReply {
  return reply.header('content-type', type).send(Buffer.from(content));
}
