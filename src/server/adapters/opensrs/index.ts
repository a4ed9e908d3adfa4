import type { Registrar } from '../../ports/registrar.ts';
import { certificateCommands } from './commands/certificates.ts';
import { domainCommands } from './commands/domains.ts';
import { eventCommands } from './commands/events.ts';
import { glueCommands } from './commands/glue.ts';
import { orderCommands } from './commands/orders.ts';
import { settingCommands } from './commands/settings.ts';
import { suggestionCommands } from './commands/suggestions.ts';
import { transferCommands } from './commands/transfers.ts';
import { zoneCommands } from './commands/zones.ts';
import { createGateway, type GatewayOptions, type Timeouts } from './gateway.ts';
import { maxReplyBytes } from './parse.ts';

export { maxReplyBytes };

export interface OpenSrsOptions extends Omit<GatewayOptions, 'timeouts'> {
  timeouts: { readMs: number; writeMs: number; waitMs?: number; listMs?: number };
}

const defaultWaitMs = 20_000;
/** Listings by date take minutes at times (§1). */
const defaultListMs = 300_000;

/**
 * The registrar port over OpenSRS' XML protocol (facts checked 2026-11-21). Everything the registrar or the network
 * can do ends in one of the port's outcomes; see `rules.ts` for what each code means.
 */
export function createOpenSrs(options: OpenSrsOptions): Registrar {
  const timeouts = completed(options.timeouts);
  const gateway = createGateway({ ...options, timeouts });
  return {
    ...domainCommands(gateway, { listMs: options.timeouts.listMs ?? defaultListMs }),
    ...suggestionCommands(gateway),
    ...orderCommands(gateway),
    ...transferCommands(gateway),
    ...settingCommands(gateway),
    ...glueCommands(gateway),
    ...zoneCommands(gateway),
    ...certificateCommands(gateway),
    ...eventCommands(gateway),
  };
}

/**
 * Longest an act can take: its turn, its call, and looking after what a refusal has left. A claim on an order that is
 * older than this has no call behind it.
 */
export function longestActMs(timeouts: OpenSrsOptions['timeouts']): number {
  const { readMs, writeMs, waitMs } = completed(timeouts);
  return waitMs + writeMs + (readMs + waitMs + writeMs);
}

function completed(timeouts: OpenSrsOptions['timeouts']): Timeouts {
  return { readMs: timeouts.readMs, writeMs: timeouts.writeMs, waitMs: timeouts.waitMs ?? defaultWaitMs };
}
