import type { FastifyRequest } from 'fastify';

/**
 * Which part of the server a route belongs to. Hooks ask this, and never how an address is spelled: `/%61pi/customer`
 * reaches the same route as `/api/customer`.
 *
 * - `api`: all that names no other place, and addresses that no route takes
 * - `webhook`: signed by its sender, who sends as much as there is to send
 * - `health`: asked by the machines around us, all the time
 * - `page`: files of the web app
 * - `frame`: the one page that our own pages load in a frame
 */
export type Place = 'api' | 'webhook' | 'health' | 'page' | 'frame';

declare module 'fastify' {
  interface FastifyContextConfig {
    place?: Place;
    /** The operation's id, for log and figures. */
    operation?: string;
    /** How long its handler may take to begin its answer. */
    limitMs?: number;
  }
}

/** Where the request ended up: `api`, with all its limits, unless its route names another place. */
export function placeOf(request: Pick<FastifyRequest, 'routeOptions'>): Place {
  return request.routeOptions.config.place ?? 'api';
}

/**
 * The path as the router reads it, for addresses that no route took. The only reader of the raw address: a test of the
 * architecture holds all others off.
 */
export function unmatchedPath(request: Pick<FastifyRequest, 'url'>): string {
  const path = request.url.replace(/[?#].*$/s, '');
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
