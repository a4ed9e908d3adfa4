import type { FastifyInstance } from 'fastify';
import { positionHeader } from '#contracts/values/position.ts';
import { placeOf } from './place.ts';

const allowedHeaders = `authorization, content-type, idempotency-key, if-match, ${positionHeader}`;
const exposedHeaders = `x-request-id, retry-after, ratelimit, ratelimit-policy, ratelimit-limit, ratelimit-remaining, ratelimit-reset, content-disposition, ${positionHeader}`;

/** Lets pages of the listed origins read replies of the API. No cookies are ever involved. */
export function allowCrossOrigin(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    // Questions before a call (OPTIONS) match no route.
    if (placeOf(request) !== 'api') return;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', exposedHeaders);
    if (request.method !== 'OPTIONS') return;
    reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    reply.header('access-control-allow-headers', allowedHeaders);
    reply.header('access-control-max-age', '600');
  });
}
