import type { Portal } from './portal.ts';
import type { Progress } from './progress.ts';

/** Who does something in the demonstration: the first person, and one of each other role. */
export const emails = {
  admin: 'demo@nameward.example',
  owner: 'owner@nameward.example',
  employee: 'employee@nameward.example',
  customer: 'customer@nameward.example',
} as const;
export type Who = keyof typeof emails;

/** What was done between two moments of the seeding, and by how much its times are to be moved back. */
export interface Chapter {
  from: Date;
  until: Date;
  backMs: number;
}

export interface Seeding {
  portal: Portal;
  progress: Progress;
  /** The customers' ids, in the order of `demoCompanies`; those who have not joined yet are missing. */
  customerIds: string[];
  call<T>(who: Who, method: string, path: string, body?: unknown): Promise<T>;
  /** What is done now is to have been done so many days ago, at this hour (UTC). Days go down from call to call. */
  on<T>(daysAgo: number, hour: number, work: () => Promise<T>): Promise<T>;
  chapters: readonly Chapter[];
}

/** Tokens live ten minutes. */
const tokenMs = 8 * 60_000;
const dayMs = 86_400_000;

export function createSeeding(portal: Portal, progress: Progress): Seeding {
  const tokens = new Map<Who, { token: Promise<string>; until: number }>();
  const chapters: Chapter[] = [];
  let from = new Date(0);

  function tokenOf(who: Who): Promise<string> {
    const known = tokens.get(who);
    if (known && known.until > Date.now()) return known.token;
    const minted = portal.control<{ token: string }>('identity', 'tokens/mint', { email: emails[who] });
    const token = minted.then((answer) => answer.token);
    tokens.set(who, { token, until: Date.now() + tokenMs });
    return token;
  }

  return {
    ...{ portal, progress, chapters, customerIds: [] },
    call: async (who, method, path, body) => portal.call(await tokenOf(who), method, path, body),
    async on(daysAgo, hour, work) {
      const result = await work();
      const until = new Date();
      chapters.push({ from, until, backMs: backMs(until, daysAgo, hour) });
      from = until;
      return result;
    },
  };
}

function backMs(now: Date, daysAgo: number, hour: number): number {
  if (daysAgo === 0) return 0;
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
  return now.getTime() - (midnight - daysAgo * dayMs + hour * 3_600_000);
}

const atOnce = 6;

/** Each of them, some at a time. */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const pollMs = 250;
/** Generous: a slow machine fails nothing. */
const withinMs = 600_000;

/** Waits until the portal's own jobs have brought something about. */
export async function until(what: string, ready: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await ready())) {
    if (Date.now() > deadline) throw new Error(`This did not happen in time: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Settings of the sandbox's registrar, for as long as some work takes. */
export async function withKnobs<T>(
  { control }: Portal,
  knobs: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = await control<Record<string, number>>('registrar', 'knobs', {});
  await control('registrar', 'knobs', knobs);
  try {
    return await work();
  } finally {
    await control(
      'registrar',
      'knobs',
      Object.fromEntries(Object.keys(knobs).map((name) => [name, before[name]])),
    );
  }
}
