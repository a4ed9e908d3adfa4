import { sql } from '../../src/server/kernel/db/database.ts';
import type { Chance } from './random.ts';
import type { Portal, Stand } from './stand.ts';

export const kinds = ['stopped', 'killed', 'cut', 'frozen'] as const;
export type Kind = (typeof kinds)[number];

/** What is done to the portals while people work. `frozen` without a database of its own: the network falls silent. */
export type Harm = (stand: Stand, chance: Chance, processIds: () => Promise<number[]>) => Promise<void>;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const harms: Record<Kind, Harm> = {
  /** From within a lease up to well past lease, claim and W. */
  async stopped(stand, chance) {
    const portal = chance.one(stand.portals);
    await pause(chance.between(300, 2_000));
    portal.signal('SIGSTOP');
    try {
      const ms = chance.happens(0.7) ? chance.between(5_500, 8_000) : chance.between(1_500, 5_500);
      await pause(ms * stand.pace);
    } finally {
      portal.signal('SIGCONT');
    }
    await pause(1_500);
  },
  async killed(stand, chance) {
    const portal = chance.one(stand.portals);
    await pause(chance.between(300, 3_000));
    await portal.kill();
    await pause(chance.between(0, 2_500));
    await portal.start();
    await pause(1_000);
  },
  async cut(stand, chance) {
    const times = chance.between(2, 5);
    for (let time = 0; time < times; time += 1) {
      await pause(chance.between(400, 3_000));
      if (chance.happens(0.4)) await cutByTheServer(stand);
      else for (const portal of some(stand.portals, chance)) portal.relay.cut();
    }
    await pause(1_500);
  },
  async frozen(stand, chance, processIds) {
    await pause(chance.between(300, 2_000));
    const freezeMs = chance.between(2_500, 7_000);
    const ids = chance.happens(0.7) ? await processIds() : [];
    if (ids.length > 0) await stopProcesses(ids, freezeMs);
    else await fallSilent(some(stand.portals, chance), freezeMs);
    await pause(2_000);
  },
};

const some = (portals: readonly Portal[], chance: Chance) =>
  chance.happens(0.5) ? portals : [chance.one(portals)];

async function cutByTheServer({ owner, stack }: Stand): Promise<void> {
  const database = new URL(stack.database.url).pathname.slice(1);
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = ${database} AND usename IN ('nameward_app', 'nameward_system')`.execute(owner);
}

async function stopProcesses(ids: readonly number[], ms: number): Promise<void> {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const id of ids) {
      try {
        process.kill(id, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  signal('SIGSTOP');
  try {
    await pause(ms);
  } finally {
    signal('SIGCONT');
  }
}

async function fallSilent(portals: readonly Portal[], ms: number): Promise<void> {
  for (const { relay } of portals) relay.become('silent');
  await pause(ms);
  for (const { relay } of portals) relay.become('open');
}
