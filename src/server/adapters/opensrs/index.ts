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

export interface OpenSrsOptions extends Omit<GatewayOptions, 'timeouts'> {
  timeouts: { readMs: number; writeMs: number; waitMs?: number; listMs?: number };
}

/** For a turn, and for a busy registrar to be free, where nothing else is set. */
const longestWaitMs = 20_000;
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

/** Longest from an act's beginning to the end of its call. A claim on an order older than this has no call behind it. */
export function longestActMs(timeouts: OpenSrsOptions['timeouts']): number {
  const { writeMs, waitMs } = completed(timeouts);
  return waitMs + writeMs;
}

function completed({ readMs, writeMs, waitMs }: OpenSrsOptions['timeouts']): Timeouts {
  return { readMs, writeMs, waitMs: waitMs ?? Math.min(longestWaitMs, writeMs) };
}
