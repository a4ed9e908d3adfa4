import { execFile } from 'node:child_process';
import type { FastifyInstance } from 'fastify';
import { operatorKeyOf, operatorToken } from './portal.ts';

/** The command line as the operator types it, against this portal: how it ends, and what it says. */
export async function operate(
  app: FastifyInstance,
  ...args: string[]
): Promise<{ code: number; text: string }> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return operateAs(operatorKeyOf(app), port, args);
}

/** The same with the key of somebody else. */
export function operateAs(
  key: string,
  port: number,
  args: readonly string[],
): Promise<{ code: number; text: string }> {
  const keys = { OPERATOR_KEY: key, OPERATOR_TOKEN: operatorToken };
  const env = { ...process.env, ...keys, PUBLIC_URL: `http://127.0.0.1:${port}` };
  return new Promise((resolve) => {
    execFile(process.execPath, ['tools/operator.ts', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    );
  });
}
