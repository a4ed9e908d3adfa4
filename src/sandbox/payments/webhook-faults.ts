import type { Settings } from './world.ts';

/** What goes wrong with webhooks on their way. Survives a restart of the sandbox, ends at `until`. */
export interface WebhookFaults {
  /** Each event is sent this many times in all. */
  duplicate?: number;
  /** Events overtake each other: each waits a seeded 0 … 1 s more. `seed` repeats an order. */
  shuffle?: boolean;
  seed?: number;
  delayMs?: number;
  /** true: nothing is sent; a number: the next so many are lost. */
  drop?: boolean | number;
  wrongSecret?: boolean;
  /** The signature is this old. The receiver's limit is 300 s (SDK 23.1.0, checked 2026-11-21). */
  staleSeconds?: number;
  /** Only events of these types, e.g. `['payment_intent.succeeded']`. */
  types?: string[];
  /** ISO time or ms since the epoch, by the sandbox's clock. */
  until?: string | number;
}

export interface Delivery {
  delayMs: number;
  dropped: boolean;
}

const SETTING = 'webhook-faults';
const SHUFFLE_MS = 1000;

/** The faults in force now, for one type of event if given. */
export function readFaults(settings: Settings, nowMs: number, type?: string): WebhookFaults {
  const faults = settings.read<WebhookFaults>(SETTING, {});
  if (type !== undefined && faults.types && !faults.types.includes(type)) return {};
  if (faults.until === undefined) return faults;
  const endMs = typeof faults.until === 'number' ? faults.until : Date.parse(faults.until);
  return nowMs < endMs ? faults : {};
}

export function writeFaults(settings: Settings, faults: WebhookFaults): void {
  settings.write(SETTING, faults);
}

/** How one event is to be delivered: usually once and at once. */
export function effectOn(type: string, settings: Settings, nowMs: number): Delivery[] {
  const faults = readFaults(settings, nowMs, type);
  if (faults.drop === true) return [{ delayMs: 0, dropped: true }];
  if (typeof faults.drop === 'number' && faults.drop > 0) {
    writeFaults(settings, { ...faults, drop: faults.drop - 1 });
    return [{ delayMs: 0, dropped: true }];
  }
  let seed = faults.seed ?? 1;
  const copies = Array.from({ length: Math.max(1, faults.duplicate ?? 1) }, () => {
    seed = nextSeed(seed);
    const extraMs = faults.shuffle ? seed % SHUFFLE_MS : 0;
    return { delayMs: (faults.delayMs ?? 0) + extraMs, dropped: false };
  });
  if (faults.shuffle) writeFaults(settings, { ...faults, seed });
  return copies;
}

/** Park and Miller's generator: the same order for the same seed. */
function nextSeed(seed: number): number {
  return (seed * 48_271) % 2_147_483_647;
}
