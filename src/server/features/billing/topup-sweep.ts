import { hourMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading, systemTransaction } from '#kernel/db/database.ts';
import type { Logger } from '#kernel/logger.ts';
import { turnOf } from '#kernel/turn-of.rules.ts';
import { isUuid } from '#kernel/uuid.rules.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { isOutageOfAll } from '../../ports/outcome.ts';
import type { Payment, Payments } from '../../ports/payments.ts';
import { endUncharged, oldestUncharged } from './auto-topup.repo.ts';
import { openTopups, topupNamedBy } from './topups.repo.ts';
import { inOrderOfMoney, saysMore } from './topups.rules.ts';

interface SweepDeps {
  db: Db;
  systemDb: Db;
  payments: Pick<Payments, 'paymentsSince'>;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** Payments that are read again at the same time. */
const parallel = 8;
/** Top-ups that lie open and were begun last are read each time, as many of the others in turns. */
const mostOpen = 250;
/** So many failures are kept with the one that is thrown. */
const mostKept = 5;
/** A charge of an automatic top-up is at the provider for a claim at most. This is many times that. */
const unchargedAfterMs = hourMs;

/**
 * Finds what webhooks did not tell: payments that say more than their top-ups are read again, what was paid first, and so are
 * top-ups that are still open. Run at start and every hour. Fails at its end where one of them cannot be read.
 */
export function createTopupSweep(
  { db, systemDb, payments, clock, logger }: SweepDeps,
  refresh: (organisationId: string, topupId: string, paymentId: string) => Promise<unknown>,
) {
  /** Whether a payment of ours says anything that its top-up does not. */
  async function isNews(payment: Payment): Promise<boolean> {
    const { id, organisationId, topupId } = payment;
    if (!organisationId || !topupId) return false;
    const topup = await inReading(db, { organisationId }, (tx) =>
      topupNamedBy(tx, organisationId, { id, topupId }),
    );
    return topup !== undefined && saysMore(topup, payment);
  }

  /**
   * Automatic top-ups that were begun and never charged, as when their process died and nobody needed them any more. The provider has
   * just been asked for all payments since, and had none for them. Should one appear all the same, it is credited as any other. Of those
   * that began before `since` it was not asked, and those that `unread` names have a payment that is not written down: they stay.
   */
  async function endForgotten(since: Date, beganAt: Date, unread: readonly string[]): Promise<void> {
    const before = new Date(beganAt.getTime() - unchargedAfterMs);
    await systemTransaction(systemDb, async (tx) => {
      const organisations = await endUncharged(tx, { since, before, except: unread }, clock.now());
      for (const organisationId of new Set(organisations)) await considerTopUp(tx, organisationId);
    });
  }

  /** As far back as what was begun and never charged: a sweep that could not ask for long must not end what it did not ask about. */
  async function asFarAsOpen(since: Date): Promise<Date> {
    const oldest = await systemTransaction(systemDb, oldestUncharged);
    if (!oldest) return since;
    // The provider's clock may be behind ours.
    return new Date(Math.min(since.getTime(), oldest.getTime() - hourMs));
  }

  return async (wanted: Date): Promise<number> => {
    const beganAt = clock.now();
    const failures: unknown[] = [];
    const unread = new Set<string>();
    let inARow = 0;
    // One that cannot be read keeps nobody else's money waiting. An outage is that of all.
    const attempt = async <T>(topupId: string | null, read: () => Promise<T>): Promise<T | undefined> => {
      try {
        const said = await read();
        inARow = 0;
        return said;
      } catch (error) {
        inARow += 1;
        if (isOutageOfAll(error, inARow)) throw error;
        logger.warn({ err: error, topupId }, 'top-up not read; the next sweep will');
        failures.push(error);
        if (topupId) unread.add(topupId);
        return undefined;
      }
    };
    const read = (organisationId: string, topupId: string, paymentId: string) =>
      attempt(topupId, () => refresh(organisationId, topupId, paymentId));
    const since = await asFarAsOpen(wanted);
    const news: Payment[] = [];
    for await (const payment of payments.paymentsSince(since)) {
      if (await attempt(payment.topupId, () => isNews(payment))) news.push(payment);
    }
    const line = inOrderOfMoney(news);
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        for (let payment = line.shift(); payment; payment = line.shift()) {
          const { id, organisationId, topupId } = payment;
          if (organisationId && topupId) await read(organisationId, topupId, id);
        }
      }),
    );
    if (news.length > 0)
      logger.info({ payments: news.length }, 'caught up with payments that nothing had told');
    const open = inTurn(await systemTransaction(systemDb, (tx) => openTopups(tx, since)), clock.now());
    for (const topup of open) {
      if (topup.payment_intent) await read(topup.organisation_id, topup.id, topup.payment_intent);
    }
    await endForgotten(since, beganAt, [...unread].filter(isUuid));
    // Not all that the provider knows is written down: the next sweep looks as far back.
    if (failures.length > 0) throw new AggregateError(failures.slice(0, mostKept), unreadText(failures));
    return news.length + open.length;
  };
}

/** Not as the failures are: that a payment got no answer is no outage. */
function unreadText(failures: readonly unknown[]): string {
  return `top-ups that could not be read: ${failures.length}, with ${String(failures[0])}`;
}

/** Payments that somebody left lying stay open for good: they do not stand in the way of money on its way, nor of each other. */
function inTurn<T extends { state: string }>(open: readonly T[], now: Date): T[] {
  const turn = { most: mostOpen, everyMs: hourMs };
  const { moving = [], lying = [] } = Object.groupBy(open, ({ state }) =>
    state === 'processing' ? 'moving' : 'lying',
  );
  return [
    ...turnOf(moving, now, turn),
    ...lying.slice(0, mostOpen),
    ...turnOf(lying.slice(mostOpen), now, turn),
  ];
}
