import { UpstreamRefused, UpstreamUnavailable } from '../../../ports/outcome.ts';
import type { Registrar } from '../../../ports/registrar.ts';
import { commands } from '../command-table.ts';
import { date } from '../fields.ts';
import { type Gateway, plain } from '../gateway.ts';
import { map, maps, text, type XcpMap, type XcpValue } from '../xcp.ts';

export type EventCommands = Pick<Registrar, 'events' | 'acknowledgeEvent'>;

/** The registrar's queue of events: asked for, then acknowledged one by one (§15). */
export function eventCommands(gateway: Gateway): EventCommands {
  return {
    async events(limit) {
      const reply = await gateway.read(commands.poll, { limit: String(limit) });
      return maps(reply.attributes, 'events').flatMap((entry) => {
        const id = text(entry, 'event_id');
        if (!id) return [];
        const subject = map(entry, 'object_data') ?? {};
        const data = flat(subject);
        return [
          {
            id,
            object: text(entry, 'object') ?? '',
            event: text(entry, 'event') ?? '',
            at: date(entry, 'event_date'),
            domain: (data.domain_name ?? data.domain)?.toLowerCase() ?? null,
            restorableUntil: date(subject, 'redemption_grace_period_end_date'),
            data,
          },
        ];
      });
    },

    async acknowledgeEvent(id, fence) {
      const outcome = await gateway.act(
        { command: commands.acknowledge, fence, attributes: () => ({ event_id: id }) },
        plain,
      );
      if (outcome.kind === 'done' || outcome.kind === 'pending') return;
      if (outcome.kind === 'refused') {
        // Gone from the queue already.
        if (outcome.reason === 'not-found') return;
        throw new UpstreamRefused(outcome.reason, outcome.code, outcome.text);
      }
      throw new UpstreamUnavailable(`registrar: an event was not acknowledged: ${outcome.text}`);
    },
  };
}

/** Texts by key; those of inner maps and lists by their path, e.g. `nameserver_list.0.name`. */
function flat(value: XcpMap): Record<string, string> {
  const result: Record<string, string> = {};
  const add = (path: string, entry: XcpValue) => {
    if (typeof entry === 'string') result[path] = entry;
    else for (const [key, inner] of Object.entries(entry)) add(`${path}.${key}`, inner);
  };
  for (const [key, entry] of Object.entries(value)) add(key, entry);
  return result;
}
