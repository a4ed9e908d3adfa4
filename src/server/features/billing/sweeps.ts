import type { Clock } from '#kernel/clock.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { each } from '#kernel/each.ts';
import { isOutage } from '../../ports/outcome.ts';
import { noteReached, reachedAt } from './sweeps.repo.ts';
import { lookBack } from './sweeps.rules.ts';

interface SweepsDeps {
  systemDb: Db;
  clock: Clock;
  topups: { sweep: (since: Date) => Promise<unknown> };
  webhooks: {
    sweep: (since: Date) => Promise<unknown>;
    sweepAccount: (accountId: string, since: Date) => Promise<unknown>;
  };
  accounts: { sweep: (more: (accountId: string) => Promise<unknown>) => Promise<void> };
}

type Span = ReturnType<typeof lookBack>;
const ourAccount = '';

/** What webhooks did not tell: money that was paid first, however many events wait, then every connected account. */
export function createSweeps({ systemDb, clock, topups, webhooks, accounts }: SweepsDeps) {
  async function ours(since: Span): Promise<void> {
    await inTurn(
      () => topups.sweep(since.payments),
      () => webhooks.sweep(since.events),
    );
  }

  /** From where the last one that came to its end began; one that fails has reached nothing. */
  async function further(account: string, work: (since: Span) => Promise<unknown>): Promise<void> {
    const beganAt = clock.now();
    const reached = await systemTransaction(systemDb, (tx) => reachedAt(tx, account));
    await work(lookBack(reached, beganAt));
    await systemTransaction(systemDb, (tx) => noteReached(tx, account, beganAt));
  }

  return {
    /** What was not read yet. */
    async sweep(): Promise<void> {
      await inTurn(
        () => further(ourAccount, ours),
        () => accounts.sweep((id) => further(id, ({ events }) => webhooks.sweepAccount(id, events))),
      );
    },

    /** All since then, whatever was read before: what was written down about it may be lost. */
    async sweepSince(since: Date): Promise<void> {
      await inTurn(
        () => ours({ payments: since, events: since }),
        () => accounts.sweep((id) => webhooks.sweepAccount(id, since)),
      );
    },
  };
}

/** One after the other, whatever becomes of the first. An outage of the provider is that of all. */
function inTurn(...parts: (() => Promise<unknown>)[]): Promise<void> {
  return each(parts, (part) => part(), isOutage);
}
