import { minuteMs } from '#contracts/values/time.ts';
import { createTurns } from '#kernel/turns.ts';
import type { Probe } from '../../ports/probe.ts';
import type { Rdap } from '../../ports/rdap.ts';
import { createKept } from './asking.ts';

/**
 * Connections to one address, and to all together: what a few visitors are. Those under way may be late and arrive with those
 * that begin: in no second more than both together, which is ten.
 */
export const probingLimits = { parallel: 4, perSecond: 6, parallelInAll: 32 } as const;

/** Mail servers stay as they are for longer than a round over many domains takes. */
const keptMs = 10 * minuteMs;
const mostAddresses = 5_000;

/** A probe that asks each server no more often than the limits say, and each mail server once for all its domains. */
export function gently(
  probe: Probe,
  limits: { parallel: number; perSecond: number; parallelInAll: number } = probingLimits,
): Probe {
  const inAll = createTurns({ parallel: limits.parallelInAll, perSecond: 1_000 });
  const kept = createKept(keptMs);
  const byAddress = new Map<string, ReturnType<typeof createTurns>>();

  /** First the server's turn: waiting for a busy one must not keep others from theirs. */
  function inTurn<T>(address: string, act: () => Promise<T>): Promise<T> {
    if (byAddress.size >= mostAddresses) byAddress.clear();
    const turns = byAddress.get(address) ?? createTurns(limits);
    byAddress.set(address, turns);
    return turns(() => inAll(act));
  }

  return {
    website: (host, address) => inTurn(address, () => probe.website(host, address)),
    plainWebsite: (host, address) => inTurn(address, () => probe.plainWebsite(host, address)),
    file: (host, address, path) => inTurn(address, () => probe.file(host, address, path)),
    mailServer: (address) => kept.get(address, () => inTurn(address, () => probe.mailServer(address))),
    nameserver: (domain, address) => inTurn(address, () => probe.nameserver(domain, address)),
  };
}

/** Questions to registries: those that say their limits allow more (checked 2026-11-23). */
export const registryLimits = { parallel: 4, perSecond: 5 } as const;

/** Registries asked no more often than the limits say. */
export function slowly(rdap: Rdap, limits: { parallel: number; perSecond: number } = registryLimits): Rdap {
  const inTurn = createTurns(limits);
  return { registration: (domain) => inTurn(() => rdap.registration(domain)) };
}
