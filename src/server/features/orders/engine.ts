import type { Clock } from '#kernel/clock.ts';
import {
  type Db,
  inOneGo,
  inReading,
  inTransaction,
  isUniqueViolation,
  systemTransaction,
  type Tx,
} from '#kernel/db/database.ts';
import type { OrderItemKind, OrderItemState } from '#kernel/db/schema.ts';
import { readSharedNow } from '#kernel/db/time.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { createFairQueue, withFairnessKey } from '#kernel/fairness.ts';
import { createFence } from '#kernel/fence.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Logger } from '#kernel/logger.ts';
import type { Seal } from '#kernel/seal.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import { enqueueSyncElsewhere, NotListed } from '../domains/index.ts';
import { type Act, type ActResult, type Finding, sendWhenAbsent } from './act.ts';
import {
  differsFromLedger,
  type EngineTimes,
  heldBack,
  interruptedNote,
  stepOf,
  type Verdict,
  verdictInReview,
  verdictOnAnswer,
  verdictOnEcho,
  verdictOnFinding,
  verdictOnLateAnswer,
  verdictOnSilence,
  verdictUnlisted,
} from './engine.rules.ts';
import { type Item, type ItemSecrets, secretsContext } from './item.ts';
import {
  type ClaimedItem,
  claimItem,
  claimLeftMs,
  findItem,
  momentOf,
  type SeenItem,
  takeDueItems,
} from './items.repo.ts';
import { reopen, settle } from './settle.ts';

export interface EngineDeps {
  db: Db;
  systemDb: Db;
  acts: Record<OrderItemKind, Act>;
  seal: Seal;
  clock: Clock;
  logger: Logger;
  times: EngineTimes;
  /** Items of all orders that are being sent at once. */
  parallelItems: number;
}

/**
 * Takes items from wherever they are one step on: loads, asks the rules, calls the registrar outside any transaction,
 * and settles. What is decided is in `engine.rules.ts`.
 */
export class Engine {
  private readonly deps: EngineDeps;
  // A claim is made when its call can follow at once: one that waits in line would look like a crash.
  private readonly sending: ReturnType<typeof createFairQueue>;

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.sending = createFairQueue(deps.parallelItems);
  }

  /** Sends an item that was ordered a moment ago. Somebody else may have been faster. */
  begin(organisationId: string, itemId: string): Promise<void> {
    return this.inTurn({ organisationId, id: itemId });
  }

  /** Takes an item one step on. Safe to call at any time, from any process. */
  async advance(organisationId: string, itemId: string): Promise<void> {
    const item = await this.load(organisationId, itemId);
    if (!item) return;
    switch (stepOf(item, item.seenAt, this.deps.times)) {
      case 'send':
        return this.inTurn(item);
      case 'give up the claim':
        return this.giveUpClaim(item);
      case 'ask':
        return this.ask(item);
      case null:
        return;
    }
  }

  /**
   * A person asks about an item in review: the registrar is asked once more, and the item goes where its answer leads.
   * Nothing is sent. Returns the state it is in then; null for an item that does not exist.
   */
  async lookAgain(organisationId: string, itemId: string): Promise<OrderItemState | null> {
    const item = await this.load(organisationId, itemId);
    if (!item) return null;
    if (item.state === 'review') {
      await this.inTime(organisationId, (tx, now) => reopen(tx, item, now));
    }
    await this.advance(organisationId, itemId);
    return (await this.load(organisationId, itemId))?.state ?? null;
  }

  /**
   * The registrar has said that something ended, or that an order has changed: takes the item to its end, though it waits for a person.
   * Without an answer it throws: the job comes again.
   */
  async seekEnd(organisationId: string, itemId: string): Promise<void> {
    const item = await this.load(organisationId, itemId);
    if (item?.state !== 'review') return this.advance(organisationId, itemId);
    const finding = await withFairnessKey(organisationId, () => this.deps.acts[item.kind].find(item));
    const verdict = verdictInReview(finding);
    if (verdict) await this.settle(item, verdict);
  }

  /** Finds items whose time has come, of all organisations, and advances them. Returns how many it took. */
  async sweep(limit = 50): Promise<number> {
    const { systemDb, clock, logger } = this.deps;
    const due = await systemTransaction(systemDb, (tx) => takeDueItems(tx, clock, limit));
    await Promise.all(
      due.map(({ id, organisationId }) =>
        this.advance(organisationId, id).catch((error: unknown) => {
          logger.error({ err: error, itemId: id }, 'could not advance an item');
        }),
      ),
    );
    return due.length;
  }

  private inTurn(item: Pick<Item, 'organisationId' | 'id'>): Promise<void> {
    return withFairnessKey(item.organisationId, () => this.sending(() => this.send(item)));
  }

  private async send(queued: Pick<Item, 'organisationId' | 'id'>): Promise<void> {
    const { acts, logger, times } = this.deps;
    let item: ClaimedItem | null = null;
    const fence = createFence({ limitMs: times.callMs, leftMs: () => this.claimLeftMs(item) });
    item = await this.claim(queued);
    if (!item) return;
    failpoint('item.claimed');
    let answer: Outcome<ActResult>;
    try {
      answer = await ((await this.mustHoldBack(item))
        ? this.holdBack(item)
        : acts[item.kind].send(item, this.secretsOf(item), fence));
    } catch (error) {
      // An adapter must not throw for what the network does; if it does, nobody knows what happened.
      logger.error({ err: error, itemId: item.id }, 'act threw');
      answer = { kind: 'unknown', text: 'The call ended without an answer.' };
    }
    failpoint('item.answered');
    if (!(await this.answered(item, answer))) await this.answeredTooLate(item, answer);
  }

  /** Claim and intent are committed before the call: after a crash the item is known to have been sent. */
  private claim({ organisationId, id }: Pick<Item, 'organisationId' | 'id'>): Promise<ClaimedItem | null> {
    const { db, clock, times } = this.deps;
    const limitMs = times.callMs + times.claimMarginMs;
    return inOneGo(db, { organisationId }, (tx) => claimItem(tx, clock, id, limitMs));
  }

  /**
   * Whether the registrar would take an order that cannot be delivered here: another organisation lists the name. What it refuses, it
   * refuses as to anybody. Without its answer nothing is sent.
   */
  private async mustHoldBack(item: ClaimedItem): Promise<boolean> {
    if (!item.listedElsewhere) return false;
    try {
      return !(await this.deps.acts[item.kind].refuses?.(item));
    } catch (error) {
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) return true;
      throw error;
    }
  }

  /**
   * Nothing is sent (decision 276). The list that is in the way may be behind: the name is read for it. After a restore the order may have
   * been sent before; then the registrar knows it.
   */
  private async holdBack(item: Item): Promise<Outcome<ActResult>> {
    const { acts, systemDb } = this.deps;
    await systemTransaction(systemDb, (tx) => enqueueSyncElsewhere(tx, item));
    const find: Act['find'] = (one) => acts[item.kind].find(one);
    return sendWhenAbsent(item, find, async () => heldBack(item.address));
  }

  private async claimLeftMs(item: Item | null): Promise<number> {
    if (!item) return 0;
    const { db, clock, times } = this.deps;
    const { organisationId } = item;
    const left = await inReading(db, { organisationId }, (tx) => claimLeftMs(tx, clock, item, times.callMs));
    return Math.max(0, left);
  }

  /** Writes the answer down while the claim holds; false when it does not any more. */
  private async answered(item: Item, answer: Outcome<ActResult>): Promise<boolean> {
    const verdict = verdictOnAnswer(item, answer);
    if (verdict !== 'echo') return (await this.settle(item, verdict, { underClaim: true })) !== 'too late';
    if ((await this.claimLeftMs(item)) <= 0) return false;
    const finding = await this.findOrNull(item);
    const seen = await this.load(item.organisationId, item.id);
    const refusal = { text: answer.kind === 'refused' ? answer.text : '', finding: seen && finding };
    await this.settle(item, verdictOnEcho(item, seen?.seenAt ?? item.updatedAt, refusal, this.deps.times));
    return true;
  }

  /** This process was paused, and its claim was lost meanwhile. */
  private async answeredTooLate(item: Item, answer: Outcome<ActResult>): Promise<void> {
    const { logger } = this.deps;
    logger.warn({ itemId: item.id, answer: answer.kind }, 'an answer came after its claim was lost');
    const moved = await this.settle(item, verdictOnLateAnswer(item, answer));
    if (answer.kind === 'busy') return;
    if (moved === 'moved') return this.advance(item.organisationId, item.id);
    if (answer.kind !== 'refused') await this.reportDifference(item);
  }

  /** An item that another process has ended: a person has to know if the registrar carried it out all the same. */
  private async reportDifference(item: Item): Promise<void> {
    const now = await this.load(item.organisationId, item.id);
    if (now?.state !== 'declined') return;
    if (!differsFromLedger(now.state, await this.findOrNull(item))) return;
    const { organisationId, id: itemId } = item;
    const text = `${item.address} was given up and paid back, and the registrar carried it out all the same.`;
    const alert = { kind: 'given up but carried out', organisationId, itemId, text };
    await inTransaction(this.deps.db, { organisationId }, (tx) =>
      enqueueJob(tx, 'operator.alert', alert, { key: `difference:${itemId}` }),
    );
  }

  /** A claim without a process: the call may or may not have been made. */
  private async giveUpClaim(item: SeenItem): Promise<void> {
    const verdict: Verdict = { to: 'unknown', note: interruptedNote, afterMs: 0 };
    const moved = await this.inTime(item.organisationId, (tx, now) =>
      settle(tx, this.deps.acts[item.kind], item, verdict, now),
    );
    if (moved) await this.advance(item.organisationId, item.id);
  }

  private async ask(item: SeenItem): Promise<void> {
    const finding = await this.findOrNull(item);
    const { times } = this.deps;
    const verdict = finding
      ? verdictOnFinding(item, item.seenAt, finding, times)
      : verdictOnSilence(item, item.seenAt, times);
    await this.settle(item, verdict);
  }

  /** null: the registrar did not answer. */
  private async findOrNull(item: Item): Promise<Finding | null> {
    try {
      return await withFairnessKey(item.organisationId, () => this.deps.acts[item.kind].find(item));
    } catch (error) {
      if (error instanceof UpstreamUnavailable || error instanceof UpstreamRefused) {
        this.deps.logger.warn({ itemId: item.id, reason: error.message }, 'could not ask about an item');
        return null;
      }
      throw error;
    }
  }

  /** Whether the item moved. Under a claim nothing is written when that is lost. */
  private async settle(
    item: Item,
    verdict: Verdict,
    { underClaim = false } = {},
  ): Promise<'moved' | 'not moved' | 'too late'> {
    const { db, systemDb, clock, acts, logger, times } = this.deps;
    const carryOut = (what: Verdict) =>
      inTransaction(db, item, async (tx) => {
        const { now, leftMs } = await momentOf(tx, clock, item, times.callMs);
        if (underClaim && leftMs <= 0) return 'too late';
        return (await settle(tx, acts[item.kind], item, what, now)) ? 'moved' : 'not moved';
      });
    failpoint('item.settling');
    let end: 'moved' | 'not moved' | 'too late';
    try {
      end = await carryOut(verdict);
    } catch (error) {
      if (!(error instanceof NotListed) && !isUniqueViolation(error, 'domains_living')) throw error;
      end = await carryOut(verdictUnlisted(verdict));
      await systemTransaction(systemDb, (tx) => enqueueSyncElsewhere(tx, item));
    }
    failpoint('item.settled');
    if (end === 'not moved')
      logger.warn({ itemId: item.id, state: item.state }, 'an item had moved on already');
    return end;
  }

  private secretsOf(item: Item): ItemSecrets {
    if (!item.secretsSealed) return {};
    const context = secretsContext(item.organisationId, item.id);
    return JSON.parse(this.deps.seal.open(item.secretsSealed, context)) as ItemSecrets;
  }

  private load(organisationId: string, itemId: string): Promise<SeenItem | null> {
    const { db, clock } = this.deps;
    return inReading(db, { organisationId }, (tx) => findItem(tx, clock, itemId));
  }

  /** With the database's time: claims and W are compared between processes. */
  private inTime<T>(organisationId: string, run: (tx: Tx, now: Date) => Promise<T>): Promise<T> {
    const { db, clock } = this.deps;
    return inTransaction(db, { organisationId }, async (tx) => run(tx, await readSharedNow(tx, clock)));
  }
}
