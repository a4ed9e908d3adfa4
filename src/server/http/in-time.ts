import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A handler has not answered within its time. It goes on, and nobody waits for it any more. */
export class HandlerTooSlow extends Error {
  override readonly name = 'HandlerTooSlow';

  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
  }
}

/**
 * Answers for handlers that take longer than their route allows (`limitMs` of its config, counted from the request's head). An answer
 * that has begun is left alone: a file takes as long as its reader does.
 *
 * The framework's own limit (`handlerTimeout`, Fastify 5.12.8) ends with the arrival of the body, so it leaves what has one without a
 * limit, and it cuts off files that are being sent.
 */
export function answerInTime(app: FastifyInstance): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook('onRequest', (request, reply, done) => {
    const { limitMs } = request.routeOptions.config;
    if (limitMs !== undefined) {
      const answer = () => {
        if (!reply.sent && !reply.raw.headersSent) reply.send(new HandlerTooSlow(limitMs));
      };
      timers.set(request, setTimeout(answer, limitMs));
    }
    done();
  });
  // Whose caller has left gets an answer that never ends: its timer would keep the request, with all that came along, until its time is up.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.raw.destroyed) clearTimeout(timers.get(request));
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(timers.get(request));
    done();
  });
}
