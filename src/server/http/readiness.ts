import type { FastifyInstance } from 'fastify';

/** A load balancer that waits longer for its answer would send people here in the meantime. */
const answerWithinMs = 1_500;

/** `/healthz`: the process lives. `/readyz`: it can serve, said within two seconds whatever the database does. */
export function serveHealth(app: FastifyInstance, ping: () => Promise<void>): void {
  const ready = inTime(ping, answerWithinMs);
  const config = { place: 'health' } as const;
  app.get('/healthz', { config }, async () => ({ ok: true }));
  app.get('/readyz', { config }, async (request, reply) => {
    try {
      await ready();
      return { ok: true };
    } catch (error) {
      request.log.warn({ err: error }, 'the database does not answer');
      return reply.status(503).send({ ok: false });
    }
  });
}

/** Asks one question at a time, however many want to know, and waits so long for its answer. */
function inTime(ping: () => Promise<void>, limitMs: number): () => Promise<void> {
  let asked: Promise<void> | null = null;
  return () => {
    asked ??= ping().finally(() => {
      asked = null;
    });
    const { promise: late, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  };
}
