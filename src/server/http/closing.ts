import type { FastifyInstance } from 'fastify';

/**
 * Requests that are under way when the server closes are answered, and their connections end with the answer. Kept open for the next
 * request, they would hold up the end of the process until its time is over.
 */
export function endConnectionsAtClose(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  // The head of a file may have been sent before.
  app.addHook('onResponse', (_request, _reply, done) => {
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}
