import type { Binding } from '../../src/server/kernel/binding.ts';

/** The organization in whose name each operation is called. */
export const scope = { organisationId: 'org' };

/**
 * Which function of a feature an operation calls, and with what; the feature is a stand-in that notes each call by its name. A
 * list has one row of three.
 */
export async function routed(
  routes: (feature: never) => Binding[],
  id: string,
  context: object,
): Promise<{ call: unknown[]; reply: unknown }> {
  const calls: unknown[][] = [];
  const noting = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_target, name) => noting(path === '' ? String(name) : `${path}.${String(name)}`),
      apply: async (_target, _self, told: unknown[]) => {
        calls.push([path, ...told]);
        return { rows: ['row'], total: 3 };
      },
    });
  const binding = routes(noting('') as never).find(({ operation }) => operation.id === id);
  if (!binding) throw new Error(`there is no ${id}`);
  const reply = await binding.handler({ scope, ...context } as never);
  const [call, ...more] = calls;
  if (!call || more.length > 0) throw new Error(`${id} calls ${calls.length} functions`);
  return { call, reply };
}
