import type { InjectOptions } from 'fastify';
import type { OperationSpec } from '../../../src/contracts/operation.ts';
import type { Portal } from './portal.ts';
import { about, permitted } from './probe.ts';
import { requestFor, type Subject } from './samples.ts';
import { idsOf, type Organisation } from './world.ts';

/** The sample has one id for all: a list that can be limited to one of its things would have none. */
function ofAll(request: InjectOptions): InjectOptions {
  const [path, query] = String(request.url).split('?');
  const parameters = new URLSearchParams(query);
  parameters.delete('chargeId');
  return { ...request, url: parameters.size > 0 ? `${path}?${parameters}` : `${path}` };
}

/** A request of the owner for each operation that is a GET, about the first thing of theirs that it answers for; null: about none. */
export async function looksOf(
  portal: Portal,
  owner: Organisation,
): Promise<{ id: string; request: InjectOptions | null }[]> {
  const { id, domain, marker } = owner.customers[0];
  const own: Subject = { id, domain, text: `cus_${marker}` };
  const ids = [id, domain, ...(await idsOf(portal, owner.id))];

  async function answered(operation: OperationSpec): Promise<InjectOptions | null> {
    const asked = new Set<unknown>();
    for (const each of operation.params ? ids : [id]) {
      const request = ofAll(requestFor(operation, about(own, each), owner.tokens.MSP_OWNER));
      if (asked.has(request.url)) continue;
      asked.add(request.url);
      if ((await portal.call(request)).status === 200) return request;
    }
    return null;
  }

  const found = [];
  for (const operation of permitted.filter(({ method }) => method === 'GET')) {
    found.push({ id: operation.id, request: await answered(operation) });
  }
  return found;
}
