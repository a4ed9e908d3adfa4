import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationSpec } from '#contracts/operation.ts';
import { positionHeader } from '#contracts/values/position.ts';
import type { Replicas } from '#kernel/db/replicas.ts';
import type { Caller } from './caller.ts';

interface Asked {
  operation: OperationSpec;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Answers a request. With replicas each reply to a known caller says how far the database had come, whatever became of the
 * request, and what the caller says of earlier replies decides where its operation may read.
 */
export async function positioned<T>(
  replicas: Replicas | undefined,
  { operation, caller, request, reply }: Asked,
  answer: () => Promise<T>,
  send: (result: T) => FastifyReply,
): Promise<FastifyReply> {
  if (!replicas || !(caller.scope ?? caller.identity)) return send(await answer());
  const told = request.headers[positionHeader];
  const mayRead = operation.method === 'GET' && operation.reads === 'replica';
  return replicas.during({ mayRead, shown: typeof told === 'string' ? told : null }, async (positionNow) => {
    const note = async () => {
      const position = await positionNow();
      if (position !== null && !reply.sent) reply.header(positionHeader, position);
    };
    const result = await answer().catch(async (error: unknown) => {
      await note();
      throw error;
    });
    await note();
    return send(result);
  });
}
