import { sql } from '../../src/server/kernel/db/database.ts';
import type { Chance } from './random.ts';
import type { Portal, Stand } from './stand.ts';

export const kinds = ['stopped', 'killed', 'cut', 'frozen'] as const;
export type Kind = (typeof kinds)[number];

/** What is done to the portals while people work. */
export interface Harm {
  /**
   * Whether a write may strike late all the same: its process stood still between the last question and the first byte,
   * where nothing can hold it back (docs/decisions/0110). What it did is put right, or a person is told.
   */
  late: boolean;
  /** Where a process stops or ends by itself. */
  place?: string | null;
  work(): Promise<void>;
}

/** `prepare` ends before people begin. `frozen` without a database of its own: the network falls silent. */
type Prepare = (stand: Stand, chance: Chance, processIds: () => Promise<number[]>) => Promise<Harm>;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Where a process is about to write to the outside under a claim or a lease. */
const onTheWay = ['lease.intent', 'item.claimed', 'registrar.waiting', 'wire.asking'];
/** Other places where it waits or has just acted. */
const elsewhere = [
  ...['zone.answered', 'item.answered', 'item.settling', 'item.settled', 'purchase.held'],
  ...['purchase.items-done', 'purchase.reply-stored', 'topup.created', 'topup.fetched', 'auto-topup.planned'],
  ...['auto-topup.charged', 'webhook.verified', 'webhook.stored', 'webhook.applied', 'direct-charge.claimed'],
  ...['direct-charge.made', 'direct-refund.claimed', 'direct-refund.made', 'reissue.intent', 'import.batch'],
  'import.written',
];
/** The last moment before the first byte: what strikes from here on has to be put right. */
const tooLate = ['wire.held'];

const somePlace = (chance: Chance) =>
  chance.one(chance.one([onTheWay, onTheWay, onTheWay, tooLate, elsewhere, elsewhere]));
/** A place that nobody comes to in this time is given up: harm comes just then. */
const placeWithinMs = 5_000;

/** A portal that will stop or end by itself at a place, if one was chosen. */
async function armed(stand: Stand, chance: Chance, how: 'stop' | 'kill') {
  const portal = chance.one(stand.portals);
  const place = chance.happens(0.85) ? somePlace(chance) : null;
  const isThere = async () => (how === 'stop' ? portal.isStopped() : !portal.lives());
  if (place) {
    await portal.kill();
    // It may come to its place before it answers: by a job.
    let answers = false;
    const started = portal
      .start(`${place}:${chance.between(1, 4)}:${how}`)
      .catch(() => undefined)
      .finally(() => (answers = true));
    while (!answers && !portal.lives()) await pause(1);
    while (!answers && !(await isThere())) await Promise.race([started, pause(50)]);
  }
  /** Whether it came there. */
  async function comesThere(): Promise<boolean> {
    const end = performance.now() + placeWithinMs;
    while (performance.now() < end && !(await isThere())) await pause(20);
    return isThere();
  }
  return { portal, place, comesThere };
}

export const harms: Record<Kind, Prepare> = {
  /** From within a lease up to well past lease, claim and W. */
  async stopped(stand, chance) {
    const { portal, place, comesThere } = await armed(stand, chance, 'stop');
    const work = async () => {
      const came = place === null || (await comesThere());
      if (place === null) await pause(chance.between(300, 2_000));
      portal.signal('SIGSTOP');
      try {
        const ms = chance.happens(0.7) ? chance.between(6_500, 8_500) : chance.between(1_500, 6_500);
        await pause(ms * stand.pace);
      } finally {
        portal.signal('SIGCONT');
      }
      await pause(1_500);
      if (came) return;
      // It would stop there some other time, and nobody would wake it.
      await portal.kill();
      await portal.start();
    };
    return { late: place === 'wire.held', place, work };
  },
  async killed(stand, chance) {
    const { portal, place, comesThere } = await armed(stand, chance, 'kill');
    const work = async () => {
      if (place) await comesThere();
      else await pause(chance.between(300, 3_000));
      await portal.kill();
      await pause(chance.between(0, 2_500));
      await portal.start();
      await pause(1_000);
    };
    return { late: false, place, work };
  },
  async cut(stand, chance) {
    const times = chance.between(2, 5);
    const work = async () => {
      for (let time = 0; time < times; time += 1) {
        await pause(chance.between(400, 3_000));
        if (chance.happens(0.4)) await cutByTheServer(stand);
        else for (const portal of some(stand.portals, chance)) portal.relay.cut();
      }
      await pause(1_500);
    };
    return { late: false, work };
  },
  async frozen(stand, chance, processIds) {
    const work = async () => {
      await pause(chance.between(300, 2_000));
      const freezeMs = chance.between(2_500, 7_000);
      const ids = chance.happens(0.7) ? await processIds() : [];
      if (ids.length > 0) await stopProcesses(ids, freezeMs);
      else await fallSilent(some(stand.portals, chance), freezeMs);
      await pause(2_000);
    };
    return { late: false, work };
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
