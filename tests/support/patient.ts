import { randomUUID } from 'node:crypto';
import type { Stack } from './stack.ts';

/** Where, and as whom, something is asked. */
export type Asked = [token: string, method: string, path: string, body?: unknown, key?: string];

/**
 * The answer's data. A portal that says it did nothing, because it starts or the machine is busy (503), is asked again under the
 * same key, as a browser does. Throws on every other answer, and after a minute or more of 503.
 */
export async function patientCall<T>(
  stack: Pick<Stack, 'call'> & Partial<Pick<Stack, 'log'>>,
  ...[token, method, path, body, key = randomUUID()]: Asked
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const reply = await stack.call<{ data: T }>(token, method, path, body, { 'idempotency-key': key });
    if (reply.status === 200) return reply.body.data;
    if (reply.status !== 503 || tries === 60) {
      throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}\n${stack.log?.() ?? ''}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
