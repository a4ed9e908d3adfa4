import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#contracts/errors.ts';
import type { OperationSpec } from '#contracts/operation.ts';
import { unmatchedPath } from './place.ts';
import type { SendPage } from './web-app.ts';

/**
 * Answers what no route took: 405 (or the methods, when asked with OPTIONS) where the address exists, 404 where it
 * does not, and the web app's page for addresses outside the API.
 */
export function answerUnknown(
  app: FastifyInstance,
  operations: readonly OperationSpec[],
  sendPage: SendPage | null,
): void {
  const known = operations.map((operation) => ({
    method: operation.method,
    parts: `/api${operation.path}`.split('/'),
  }));

  function methodsAt(path: string): string[] {
    const given = path.split('/');
    const methods = new Set<string>(
      known.filter(({ parts }) => isAt(parts, given)).map(({ method }) => method),
    );
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  }

  app.setNotFoundHandler((request, reply) => {
    const path = unmatchedPath(request);
    const methods = methodsAt(path);
    if (methods.length > 0) {
      reply.header('allow', [...methods, 'OPTIONS'].join(', '));
      if (request.method === 'OPTIONS') return reply.status(204).send();
      throw new AppError('method_not_allowed');
    }
    if (sendPage && isPage(request, path)) return sendPage(reply);
    throw new AppError('route_not_found');
  });
}

function isAt(parts: readonly string[], given: readonly string[]): boolean {
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}

/** A missing script or picture is missing; were it answered with the page, the browser would try to run that. */
function isPage(request: FastifyRequest, path: string): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (/^\/(api|assets|uploads)(\/|$)/.test(path)) return false;
  const lastPart = path.slice(path.lastIndexOf('/') + 1);
  // A domain is part of an address too: /domains/example.com is a page.
  return !/\.(js|css|json|png|jpe?g|svg|ico|webp|woff2?|txt|xml|webmanifest)$/i.test(lastPart);
}
