import { AppError } from '#contracts/errors.ts';
import type { ReplyOf } from '#contracts/operation.ts';
import type { getRecovery } from '#contracts/operations/recovery.ts';
import type { RecoveryStep } from '#contracts/values/recovery-steps.ts';
import { type Clock, pause } from '#kernel/clock.ts';
import { isConnectionLoss } from '#kernel/db/connection-loss.ts';
import { type Db, systemTransaction } from '#kernel/db/database.ts';
import { changeOf, type Gate } from '#kernel/db/place.ts';
import type { Logger } from '#kernel/logger.ts';
import { type ComparingDeps, createComparing } from './comparing.ts';
import { NotMine } from './progress.ts';
import {
  beginAsked,
  beginRecovery,
  closeRecovery,
  confirmPlace,
  findingsOf,
  newestRecovery,
  noteHindrance,
  notePlace,
  settleFinding,
  takeRecovery,
  undecided,
} from './recovery.repo.ts';
import { stateAfter } from './recovery.rules.ts';

export interface RecoveryDeps extends ComparingDeps {
  systemDb: Db;
  gate: Gate;
  clock: Clock;
  logger: Logger;
  newId: (nowMs?: number) => string;
  losslessPromotions: boolean;
}

export type RecoveryApi = ReturnType<typeof createRecovery>;

const lookEveryMs = 1_000;
/** A backup is at most this much older than it could say. */
const confirmEverySeconds = 10;
/** A process that died is waited for this long. */
export const heldSeconds = 10;
const afterHindranceMs = 5_000;

/**
 * A database that knows less than its processes once did, after a restore or a failover, is brought up to what registrar and
 * payment provider know before anything is sent again (docs/decisions/0251).
 */
export function createRecovery(deps: RecoveryDeps) {
  const { systemDb, gate, clock, logger } = deps;
  const holder = deps.newId();
  const compare = createComparing(deps);

  /** One look at which database this is; begins a recovery where it is not the one that was noted. */
  async function look(): Promise<boolean> {
    const { found, noted, held } = await gate.look();
    if (!noted) await systemTransaction(systemDb, (tx) => notePlace(tx, found));
    else {
      const reason = changeOf({ found, noted }, deps);
      if (reason) {
        const id = deps.newId();
        const begun = await systemTransaction(systemDb, (tx) =>
          beginRecovery(tx, { id, reason, noted, found }),
        );
        if (begun)
          logger.warn({ reason, noted, found }, 'this is not the database that was noted: recovery begins');
        await gate.look();
      } else if (!held) {
        await systemTransaction(systemDb, (tx) => confirmPlace(tx, found, confirmEverySeconds));
      }
    }
    return gate.isHeld();
  }

  /** Looks again and again until the signal ends it. */
  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        // While the database is away nothing can be done anyway.
        if (!isConnectionLoss(error)) logger.warn({ err: error }, 'could not see which database this is');
      });
      await pause(lookEveryMs, signal);
    }
  }

  /** Compares as long as a recovery is open, in one process at a time. Returns when everything may be sent again. */
  async function complete(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const open = await isOpen().catch(() => true);
      if (!open) return;
      const mine = await systemTransaction(systemDb, (tx) => takeRecovery(tx, holder, heldSeconds)).catch(
        () => null,
      );
      if (mine) await once(mine);
      else await pause(lookEveryMs, signal);
    }
  }

  async function isOpen(): Promise<boolean> {
    await gate.look();
    return gate.isHeld();
  }

  async function once(mine: { id: string; since: Date; step: RecoveryStep }): Promise<void> {
    const { id } = mine;
    try {
      await compare({ ...mine, holder });
      const state = await systemTransaction(systemDb, async (tx) => {
        const to = stateAfter(await undecided(tx, id));
        return (await closeRecovery(tx, { id, from: 'running', state: to, holder })) ? to : null;
      });
      if (state === 'waiting') logger.warn('recovery has compared everything; a person must decide the rest');
      if (state === 'ended') logger.info('recovery has ended: everything is sent again');
    } catch (error) {
      if (error instanceof NotMine) return;
      const text = error instanceof Error ? error.message : String(error);
      logger.warn({ err: error }, 'recovery cannot go on at the moment; it tries again');
      await systemTransaction(systemDb, (tx) => noteHindrance(tx, id, text)).catch(() => undefined);
      await pause(afterHindranceMs);
    }
  }

  async function read(): Promise<ReplyOf<typeof getRecovery>> {
    return systemTransaction(systemDb, async (tx) => {
      const row = await newestRecovery(tx);
      if (!row) return { recovery: null, findings: [] };
      const findings = await findingsOf(tx, row.id);
      return {
        recovery: {
          ...{ id: row.id, reason: row.reason, state: row.state, step: row.step, done: row.done },
          ...{ total: row.total, hindrance: row.hindrance, since: row.since.toISOString() },
          ...{ startedAt: row.started_at.toISOString(), endedAt: row.ended_at?.toISOString() ?? null },
        },
        findings: findings.map((one) => ({
          ...{ id: one.id, kind: one.kind, subject: one.subject, organizationId: one.organisation_id },
          ...{ text: one.text, needsPerson: one.needs_person },
          settledAt: one.settled_at?.toISOString() ?? null,
        })),
      };
    });
  }

  async function settle(id: string): Promise<void> {
    const state = await systemTransaction(systemDb, async (tx) => {
      const recoveryId = await settleFinding(tx, id, clock.now());
      if (!recoveryId) throw new AppError('not_found');
      const to = stateAfter(await undecided(tx, recoveryId));
      if (to === 'ended') await closeRecovery(tx, { id: recoveryId, from: 'waiting', state: to });
      return to;
    });
    if (state === 'ended') await gate.look();
  }

  async function begin(since: Date): Promise<void> {
    if (since > clock.now()) {
      const message = 'Please give a time in the past';
      throw new AppError('validation_failed', { message, details: [{ path: 'since', message }] });
    }
    await systemTransaction(systemDb, (tx) => beginAsked(tx, { id: deps.newId(), since }));
    await gate.look();
  }

  return { look, watch, complete, read, settle, begin };
}
