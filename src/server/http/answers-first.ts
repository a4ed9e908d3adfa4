import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Answers } from '#kernel/give-way.ts';

/**
 * Long work of this process lets requests be answered first: it hears of each from here. Of one whose caller has left it hears no end,
 * and no longer counts it after a few milliseconds.
 */
export function answersFirst(app: FastifyInstance, answers: Answers): void {
  const ends = new WeakMap<FastifyRequest, () => void>();
  app.addHook('onRequest', (request, _reply, done) => {
    ends.set(request, answers.begin());
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    ends.get(request)?.();
    done();
  });
}
