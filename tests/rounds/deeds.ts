import { buyingDeeds } from './buying-deeds.ts';
import type { Client, Ending } from './client.ts';
import type { Memory } from './memory.ts';
import { moneyDeeds } from './money-deeds.ts';
import { peopleDeeds } from './people-deeds.ts';
import type { Chance } from './random.ts';
import type { Msp, Stand } from './stand.ts';
import { zoneDeeds } from './zone-deeds.ts';

/** One of an MSP's people at work. */
export interface Worker {
  stand: Stand;
  msp: Msp;
  client: Client;
  chance: Chance;
  memory: Memory;
  /** A name that nobody else uses. */
  fresh(prefix: string): string;
  someDomain(): string | null;
  /** Counts what was acknowledged; says how it ended. */
  told(what: string, ending: Ending<unknown>): Ending<unknown>['how'];
}

export type Deed = (worker: Worker) => Promise<void>;

const weighted: readonly [Deed, number][] = [...zoneDeeds, ...buyingDeeds, ...moneyDeeds, ...peopleDeeds];
const deeds = weighted.flatMap(([deed, weight]) => Array.from({ length: weight }, () => deed));

let counter = 0;

export function createWorker(given: Omit<Worker, 'fresh' | 'someDomain' | 'told'>): Worker {
  const { msp, chance, memory } = given;
  return {
    ...given,
    fresh: (prefix) => {
      counter += 1;
      return `${prefix}${counter}-${chance.between(0, 0xffffff).toString(16)}`;
    },
    someDomain: () => (msp.domains.length > 0 ? chance.one(msp.domains) : null),
    told(what, ending) {
      if (ending.how === 'done') memory.acknowledged.set(what, (memory.acknowledged.get(what) ?? 0) + 1);
      return ending.how;
    },
  };
}

/** Works, one thing after another, until it is said that it is enough. */
export async function workOn(worker: Worker, enough: () => boolean): Promise<void> {
  while (!enough()) {
    await worker.chance.one(deeds)(worker);
    await new Promise((resolve) => setTimeout(resolve, worker.chance.between(0, 60)));
  }
}
