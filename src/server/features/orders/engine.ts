import type { Clock } from '#kernel/clock.ts';
import {
  type Db,
  inReading,
  inTransaction,
  isUniqueViolation,
  sql,
  systemTransaction,
  type Tx,
} from '#kernel/db/database.ts';
import type { OrderItemKind, OrderItemState } from '#kernel/db/schema.ts';
import { leftMsOf, readSharedNow, sharedNow } from '#kernel/db/time.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { createFairQueue, withFairnessKey } from '#kernel/fairness.ts';
import { createFence } from '#kernel/fence.ts';
import { hashOf } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Seal } from '#kernel/seal.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { Act, ActResult, Finding } from './act.ts';
import { type Item, type ItemSecrets, secretsContext, toItem } from './item.ts';
import {
  settleBusy,
  settleDeclined,
  settlePending,
  settleReopened,
  settleReview,
  settleSucceeded,
  settleUnknown,
} from './settle.ts';

/** Times that decide about money; each has its reason in the design ("Order engine"). */
export interface EngineTimes {
  /** Longest a call to the registrar may take; a claim older than this plus a margin has no process behind it. */
  callMs: number;
  /** W: an order the registrar has no trace of counts as never made after this long. Delays releases only. */
  releaseAfterMs: number;
  /** An outcome unknown for this long goes to a person. */
  reviewAfterMs: number;
  /** Beyond the longest call, before a claim counts as having no process behind it. */
  claimMarginMs: number;
}

/** How often a busy registrar is asked again before the item is given back. Nothing was bought: that is safe. */
const busyAttempts = 6;
const transferLimitMs = 14 * 86_400_000;

/** With the database's time at which it was read. */
type SeenItem = Item & { seenAt: Date };

export interface Engine {
  /** Takes an item from wherever it stands one step on. Safe to call at any time, from any process. */
  advance(organisationId: string, itemId: string): Promise<void>;
  /**
   * A person asks about an item in review: the registrar is asked once more, and the item goes where its answer leads.
   * Nothing is sent. Returns the state it is in then; null for an item that does not exist.
   */
  lookAgain(organisationId: string, itemId: string): Promise<OrderItemState | null>;
  /** Finds items whose time has come, of all organisations, and advances them. Returns how many it took. */
  sweep(limit?: number): Promise<number>;
}

export function createEngine(deps: {
  db: Db;
  systemDb: Db;
  acts: Record<OrderItemKind, Act>;
  seal: Seal;
  clock: Clock;
  logger: Logger;
  times: EngineTimes;
  /** Items of all orders that are being sent at once. */
  parallelItems: number;
}): Engine {
  const { db, systemDb, acts, seal, clock, logger, times } = deps;
  // A claim is made when its call can follow at once: one that waits in line would look like a crash.
  const sending = createFairQueue(deps.parallelItems);

  const inOrganisation = <T>(organisationId: string, run: (tx: Tx) => Promise<T>) =>
    inTransaction(db, { organisationId }, run);
  /** With the database's time: claims and W are compared between processes. */
  const inTime = <T>(organisationId: string, run: (tx: Tx, now: Date) => Promise<T>) =>
    inOrganisation(organisationId, async (tx) => run(tx, await readSharedNow(tx, clock)));

  async function advance(organisationId: string, itemId: string): Promise<void> {
    const item = await load(organisationId, itemId);
    if (!item) return;
    if (item.state === 'queued') {
      return withFairnessKey(organisationId, () => sending(() => send(item)));
    }
    if (item.state === 'sending') return abandonClaim(item);
    if (item.state === 'unknown' || item.state === 'pending') return ask(item);
  }

  async function lookAgain(organisationId: string, itemId: string): Promise<OrderItemState | null> {
    const item = await load(organisationId, itemId);
    if (!item) return null;
    if (item.state === 'review') {
      await inTime(organisationId, (tx, now) => settleReopened(tx, item, now));
    }
    await advance(organisationId, itemId);
    return (await load(organisationId, itemId))?.state ?? null;
  }

  async function load(organisationId: string, itemId: string): Promise<SeenItem | null> {
    const row = await inOrganisation(organisationId, (tx) =>
      tx
        .selectFrom('order_items')
        .selectAll()
        .select(sharedNow(clock).as('seen_at'))
        .where('id', '=', itemId)
        .executeTakeFirst(),
    );
    return row ? { ...toItem(row), seenAt: row.seen_at } : null;
  }

  /** Claim and intent are committed before the call: after a crash the item is known to have been sent. */
  async function claim(item: Item): Promise<Item | null> {
    const row = await inTime(item.organisationId, async (tx, now) => {
      const claimed = await tx
        .updateTable('order_items')
        .set((eb) => ({
          state: 'sending' as const,
          attempt: eb('attempt', '+', 1),
          sent_at: now,
          updated_at: now,
          intent_hash: hashOf({
            kind: item.kind,
            address: item.address,
            years: item.years,
            details: item.details,
          }),
          next_check_at: new Date(now.getTime() + times.callMs + times.claimMarginMs),
        }))
        .where('id', '=', item.id)
        .where('state', '=', 'queued')
        .returningAll()
        .executeTakeFirst();
      if (claimed) {
        await tx
          .updateTable('orders')
          .set({ state: 'running' })
          .where('id', '=', item.orderId)
          .where('state', '=', 'held')
          .execute();
      }
      return claimed;
    });
    return row ? toItem(row) : null;
  }

  async function send(queued: Item): Promise<void> {
    let item: Item | null = null;
    const fence = createFence({ limitMs: times.callMs, leftMs: () => claimLeftMs(item) });
    item = await claim(queued);
    if (!item) return;
    failpoint('item.claimed');
    let outcome: Outcome<ActResult>;
    try {
      outcome = await acts[item.kind].send(item, secretsOf(item), fence);
    } catch (error) {
      // An adapter must not throw for what the network does; if it does, nobody knows what happened.
      logger.error({ err: error, itemId: item.id }, 'act threw');
      outcome = { kind: 'unknown', text: 'The call ended without an answer.' };
    }
    failpoint('item.answered');
    if ((await claimLeftMs(item)) > 0) await apply(item, outcome);
    else await answeredTooLate(item, outcome);
  }

  /** How long an item is still this attempt's, by the database's clock. */
  async function claimLeftMs(item: Item | null): Promise<number> {
    if (!item) return 0;
    const { id, attempt, organisationId } = item;
    const row = await inReading(db, { organisationId }, (tx) =>
      tx
        .selectFrom('order_items')
        .select(leftMsOf(clock, sql.ref('sent_at'), times.callMs).as('left'))
        .where('id', '=', id)
        .where('state', '=', 'sending')
        .where('attempt', '=', attempt)
        .executeTakeFirst(),
    );
    return Math.max(0, row?.left ?? 0);
  }

  /**
   * This process was paused, and its claim was lost meanwhile: the answer decides nothing (design: fences). What was
   * never sent may be sent by a new attempt; of everything else the registrar is asked, and the tag decides.
   */
  async function answeredTooLate(item: Item, outcome: Outcome<ActResult>): Promise<void> {
    logger.warn({ itemId: item.id, answer: outcome.kind }, 'an answer came after its claim was lost');
    if (outcome.kind === 'busy') {
      await settle(item, (tx, now) => settleBusy(tx, item, outcome.text, soon(item.attempt, now), now));
      return;
    }
    const note = 'The portal was interrupted while the order was being sent.';
    const open = await settle(item, (tx, now) => settleUnknown(tx, item, note, now, now));
    if (open) return advance(item.organisationId, item.id);
    if (outcome.kind === 'refused') return;
    await reportDifference(item);
  }

  /** An item that another process has ended: a person has to know if the registrar carried it out all the same. */
  async function reportDifference(item: Item): Promise<void> {
    const now = await load(item.organisationId, item.id);
    if (now?.state !== 'declined') return;
    const finding = await findOrNull(item);
    if (finding?.kind === 'absent' || finding?.kind === 'declined') return;
    const text = `${item.address} was given up and paid back, and the registrar carried it out all the same.`;
    const about = { organisationId: item.organisationId, itemId: item.id, text };
    const key = `difference:${item.id}`;
    await inOrganisation(item.organisationId, (tx) =>
      enqueueJob(tx, 'operator.alert', { kind: 'given up but carried out', ...about }, { key }),
    );
  }

  async function apply(item: Item, outcome: Outcome<ActResult>): Promise<void> {
    const act = acts[item.kind];
    switch (outcome.kind) {
      case 'done':
        await settle(item, (tx, now) => settleSucceeded(tx, act, item, outcome.value, now));
        return;
      case 'refused':
        // "Taken" or "already done" can be the echo of our own act: the tag tells.
        if (outcome.reason === 'taken' || outcome.reason === 'already-done')
          return afterEcho(item, outcome.text);
        await settle(item, (tx, now) => settleDeclined(tx, act, item, outcome.text, now));
        return;
      case 'pending':
        await settle(item, (tx, now) => {
          const pending = { registrarOrderId: outcome.orderId, nextCheckAt: later(item, now) };
          return settlePending(tx, act, item, pending, now);
        });
        return;
      case 'busy':
        if (item.attempt >= busyAttempts) {
          await settle(item, (tx, now) => settleDeclined(tx, act, item, outcome.text, now));
          return;
        }
        await settle(item, (tx, now) => settleBusy(tx, item, outcome.text, soon(item.attempt, now), now));
        return;
      case 'unknown':
        await settle(item, (tx, now) => settleUnknown(tx, item, outcome.text, soon(item.checks, now), now));
        return;
    }
  }

  async function afterEcho(item: Item, text: string): Promise<void> {
    const finding = await findOrNull(item);
    const seen = await load(item.organisationId, item.id);
    if (finding === null || !seen) {
      await settle(item, (tx, now) => settleUnknown(tx, item, text, soon(item.checks, now), now));
      return;
    }
    // A refused order may leave a draft under our tag that nobody will ever process: the refusal counts.
    if (finding.kind === 'absent' || finding.kind === 'pending') {
      await settle(item, (tx, now) => settleDeclined(tx, acts[item.kind], item, text, now));
      return;
    }
    await applyFinding({ ...item, seenAt: seen.seenAt }, finding);
  }

  /** A claim without a process: the call may or may not have been made. */
  async function abandonClaim(item: SeenItem): Promise<void> {
    const sentMs = item.seenAt.getTime() - (item.sentAt ?? item.updatedAt).getTime();
    if (sentMs < times.callMs + times.claimMarginMs) return;
    const note = 'The portal was interrupted while the order was being sent.';
    const moved = await inTime(item.organisationId, (tx, now) => settleUnknown(tx, item, note, now, now));
    if (moved) await advance(item.organisationId, item.id);
  }

  async function ask(item: SeenItem): Promise<void> {
    const finding = await findOrNull(item);
    if (finding === null) return postpone(item);
    await applyFinding(item, finding);
  }

  /** null: the registrar did not answer. */
  async function findOrNull(item: Item): Promise<Finding | null> {
    try {
      return await withFairnessKey(item.organisationId, () => acts[item.kind].find(item));
    } catch (error) {
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) {
        logger.warn({ itemId: item.id, reason: error.message }, 'could not ask about an item');
        return null;
      }
      throw error;
    }
  }

  async function applyFinding(item: SeenItem, finding: Finding): Promise<void> {
    const act = acts[item.kind];
    switch (finding.kind) {
      case 'done':
        await settle(item, (tx, now) => settleSucceeded(tx, act, item, finding.result, now));
        return;
      case 'declined':
        await settle(item, (tx, now) => settleDeclined(tx, act, item, finding.text, now));
        return;
      case 'contradictory':
        await settle(item, (tx, now) => settleReview(tx, item, finding.text, now));
        return;
      case 'pending':
        if (isOverdue(item)) {
          const note = 'The registrar has had this order pending for too long.';
          await settle(item, (tx, now) => settleReview(tx, item, note, now));
          return;
        }
        await settle(item, (tx, now) => {
          const { registrarOrderId } = finding;
          return settlePending(tx, act, item, { registrarOrderId, nextCheckAt: later(item, now) }, now);
        });
        return;
      case 'absent':
        return absent(item);
    }
  }

  /** No trace at the registrar. Before W that says nothing: the call may still arrive there. */
  async function absent(item: SeenItem): Promise<void> {
    if (item.state === 'pending') return postpone(item);
    // Counted to before the registrar was asked.
    const sinceMs = item.seenAt.getTime() - (item.unknownSince ?? item.updatedAt).getTime();
    if (sinceMs < times.releaseAfterMs) return postpone(item);
    const text = 'The registry did not receive this order. You were not charged.';
    await settle(item, (tx, now) => settleDeclined(tx, acts[item.kind], item, text, now));
  }

  async function postpone(item: SeenItem): Promise<void> {
    if (item.state === 'pending') {
      await settle(item, (tx, now) => {
        const pending = { registrarOrderId: null, nextCheckAt: later(item, now) };
        return settlePending(tx, acts[item.kind], item, pending, now);
      });
      return;
    }
    const sinceMs = item.seenAt.getTime() - (item.unknownSince ?? item.seenAt).getTime();
    if (sinceMs >= times.reviewAfterMs) {
      const note = 'The registrar has not said what became of this.';
      await settle(item, (tx, now) => settleReview(tx, item, note, now));
      return;
    }
    await settle(item, (tx, now) =>
      settleUnknown(tx, item, item.outcomeNote ?? '', soon(item.checks, now), now),
    );
  }

  /** Whether the item moved. */
  async function settle(item: Item, run: (tx: Tx, now: Date) => Promise<boolean>): Promise<boolean> {
    failpoint('item.settling');
    let moved: boolean;
    try {
      moved = await inTime(item.organisationId, run);
    } catch (error) {
      if (!isUniqueViolation(error, 'domains_living')) throw error;
      // The registrar gave us a name that another organisation of this portal still has on its list.
      const note = 'The name is listed for another organization of this portal.';
      moved = await inTime(item.organisationId, (tx, now) => settleReview(tx, item, note, now));
    }
    failpoint('item.settled');
    if (!moved) logger.warn({ itemId: item.id, state: item.state }, 'an item had moved on already');
    return moved;
  }

  function secretsOf(item: Item): ItemSecrets {
    if (!item.secretsSealed) return {};
    return JSON.parse(
      seal.open(item.secretsSealed, secretsContext(item.organisationId, item.id)),
    ) as ItemSecrets;
  }

  /** Registries answer within hours; a transfer has the losing side's five days, and a margin. */
  function isOverdue(item: SeenItem): boolean {
    const limitMs = item.kind === 'transfer' ? transferLimitMs : times.reviewAfterMs;
    return item.seenAt.getTime() - item.createdAt.getTime() > limitMs;
  }

  /** 2 s, 4 s, 8 s … at most 5 minutes. */
  function soon(step: number, now: Date): Date {
    return new Date(now.getTime() + Math.min(300_000, 2_000 * 2 ** Math.min(step, 10)));
  }

  /** Things that take long are asked about ever less often: a minute, two, … at most half an hour. */
  function later(item: Item, now: Date): Date {
    return new Date(now.getTime() + Math.min(1_800_000, 15_000 * 2 ** Math.min(item.checks, 10)));
  }

  async function sweep(limit = 50): Promise<number> {
    // Taking = pushing the next look away, so that two sweepers do not ask about the same item at once.
    const due = await systemTransaction(systemDb, async (tx) => {
      const now = await readSharedNow(tx, clock);
      const rows = await tx
        .selectFrom('order_items')
        .select(['id', 'organisation_id'])
        .where('state', 'in', ['queued', 'sending', 'pending', 'unknown'])
        .where('next_check_at', '<=', now)
        .orderBy('next_check_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .execute();
      if (rows.length > 0) {
        await tx
          .updateTable('order_items')
          .set({ next_check_at: new Date(now.getTime() + 60_000) })
          .where(
            'id',
            'in',
            rows.map((row) => row.id),
          )
          .execute();
      }
      return rows;
    });
    await Promise.all(
      due.map((row) =>
        advance(row.organisation_id, row.id).catch((error: unknown) => {
          logger.error({ err: error, itemId: row.id }, 'could not advance an item');
        }),
      ),
    );
    return due.length;
  }

  return { advance, lookAgain, sweep };
}
