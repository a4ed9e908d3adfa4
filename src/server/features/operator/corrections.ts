import { AppError } from '#contracts/errors.ts';
import type {
  CorrectionBody,
  CorrectionReply,
  OperatorOrganization,
} from '#contracts/operations/operator.ts';
import type { CorrectionRow } from '#contracts/operations/operators.ts';
import { moneyText } from '#contracts/values/format.ts';
import { centsToUsd, usdToCents } from '#contracts/values/money.ts';
import { needsSecondPerson } from '#contracts/values/second-person.ts';
import { audit } from '#kernel/audit.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, isUniqueViolation, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { keepAsItIs, requireOpen } from '#kernel/db/open-organisation.ts';
import { newId } from '#kernel/ids.ts';
import { type Operator, operatorActor } from '#kernel/operator.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import { adjust, balances, owedCents } from '../../ledger/ledger.ts';
import * as repo from './corrections.repo.ts';
import { readOrganisation, requireName, transactionInOpen } from './named-organisation.ts';
import { aloneLeft } from './second-person.rules.ts';

export interface CorrectionsDeps {
  systemDb: Db;
  clock: Clock;
  /** What one operator may enter alone within a day, for one organisation and in all. */
  aloneLimitCents: number;
  /** Tells the operators' mailbox. */
  tell: (subject: string, lines: readonly string[]) => Promise<void>;
}

/** What is owed back, or was given by mistake, is put right by an entry of its own: nothing that was written is changed. */
export function createCorrections({ systemDb, clock, aloneLimitCents, tell }: CorrectionsDeps) {
  async function correct(operator: Operator, body: CorrectionBody): Promise<CorrectionReply> {
    const askedBy = personOf(operator);
    const now = clock.now();
    const correction = {
      ...{ id: newId(now.getTime()), organisationId: body.organizationId, cents: usdToCents(body.amount) },
      ...{ reason: body.reason, reference: body.reference },
    };
    const reply = await onceAReference(body.reference, () =>
      transactionInOpen(systemDb, giftRefused, (tx) =>
        correctIn(tx, operator, { ...correction, organization: body.organization, askedBy, now }),
      ),
    );
    if (reply.state === 'waiting') {
      await tell('A correction is waiting for a second person', [
        `${operator.name} asks to change the balance of ${body.organization} by ${moneyText(correction.cents)}.`,
        `Reason: ${body.reason} (${body.reference})`,
      ]);
    }
    return reply;
  }

  async function correctIn(
    tx: Tx,
    operator: Operator,
    asked: repo.Correction & { organization: string; askedBy: string; now: Date },
  ): Promise<CorrectionReply> {
    const { id, organisationId, cents, askedBy, now } = asked;
    await requireName(tx, organisationId, asked.organization);
    await requireOpenToGive(tx, asked);
    await repo.lockCorrections(tx, organisationId, askedBy);
    const today = await repo.enteredAlone(tx, organisationId, askedBy, now);
    const isWaiting = needsSecondPerson(cents, aloneLeft(today, aloneLimitCents));
    const state = isWaiting ? 'waiting' : 'entered';
    await repo.insertCorrection(tx, { ...asked, state });
    if (state === 'waiting') return { id, state, balance: null };
    return { id, state, balance: await enter(tx, operator, asked, null) };
  }

  /** The second person: never the one who asked. */
  async function confirm(operator: Operator, id: string): Promise<CorrectionRow> {
    const by = personOf(operator);
    return transactionInOpen(systemDb, confirmationRefused, async (tx) => {
      const waiting = await repo.findCorrection(tx, id);
      if (!waiting) throw new AppError('not_found');
      if (waiting.asked_by === by) {
        throw new AppError('forbidden', {
          message: 'You requested this correction, so another operator must confirm it.',
        });
      }
      const correction = {
        ...{ id, organisationId: waiting.organisation_id, cents: Number(waiting.cents) },
        ...{ reason: waiting.reason, reference: waiting.reference },
      };
      // One that was decided before says so, whatever became of its organization.
      if (waiting.state === 'waiting') await requireOpenToGive(tx, correction);
      await decide(tx, id, 'entered', by);
      const [asked] = await repo.listCorrections(tx, id);
      await enter(tx, operator, correction, asked?.askedBy?.name ?? null);
      return rowOf(tx, id);
    });
  }

  /** The operator who requested it withdraws it, and others decline it: every list calls the act by the same name. */
  const decline = (operator: Operator, id: string) => drop(operator, id, false);
  const withdraw = (operator: Operator, id: string) => drop(operator, id, true);

  async function drop(operator: Operator, id: string, isWithdrawal: boolean): Promise<CorrectionRow> {
    const by = personOf(operator);
    return systemTransaction(systemDb, async (tx) => {
      const waiting = await repo.findCorrection(tx, id);
      if (!waiting) throw new AppError('not_found');
      if ((waiting.asked_by === by) !== isWithdrawal) throw otherAct(isWithdrawal);
      await decide(tx, id, 'declined', by);
      return rowOf(tx, id);
    });
  }

  async function decide(tx: Tx, id: string, state: 'entered' | 'declined', by: string): Promise<void> {
    if (await repo.decideCorrection(tx, id, { state, by, now: clock.now() })) return;
    throw new AppError('conflict', { message: 'Someone has already decided this.' });
  }

  /** The entry itself, with both people in the organisation's log where there were two. */
  async function enter(
    tx: Tx,
    operator: Operator,
    correction: repo.Correction,
    askedBy: string | null,
  ): Promise<number> {
    const { organisationId, cents, reason, reference } = correction;
    const actor = operatorActor(operator);
    await adjust(tx, { organisationId, cents, ref: reference, actor: actor.email, text: reason });
    if (cents < 0) await considerTopUp(tx, organisationId);
    const { balanceCents, pendingCents } = await balances(tx, organisationId);
    // Asked of what has been written: of two that cover the same debt, the second is refused.
    if (cents > 0 && balanceCents + pendingCents > 0) await requireOpen(tx, { organisationId });
    const after = { amount: centsToUsd(cents), reason, balance: balanceCents };
    await audit(
      tx,
      { organisationId, ...actor },
      {
        at: clock.now(),
        action: 'operator.correct',
        objectKind: 'balance',
        object: reference,
        customerId: null,
        before: { balance: balanceCents - cents },
        after: askedBy === null ? after : { ...after, askedBy: `operator ${askedBy}` },
      },
    );
    return balanceCents;
  }

  const list = () => systemTransaction(systemDb, (tx) => repo.listCorrections(tx));

  return { correct, confirm, decline, withdraw, list };
}

/** What an operator sees of an organization before they act on it. */
export async function organisationFor(
  { systemDb, clock, aloneLimitCents }: Omit<CorrectionsDeps, 'tell'>,
  operator: Operator,
  id: string,
): Promise<OperatorOrganization> {
  const by = personOf(operator);
  return systemTransaction(systemDb, async (tx) => {
    const found = await readOrganisation(tx, id);
    const today = await repo.enteredAlone(tx, id, by, clock.now());
    return { ...found, aloneLeft: aloneLeft(today, aloneLimitCents) };
  });
}

function otherAct(isWithdrawal: boolean): AppError {
  const message = isWithdrawal
    ? 'Another operator requested this correction. Decline it instead.'
    : 'You requested this correction. Withdraw it instead.';
  return new AppError('forbidden', { message });
}

/** Sent twice, by a lost answer or by mistake, it is there once. */
async function onceAReference<T>(reference: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('conflict', {
      message: `An entry with the reference "${reference}" already exists.`,
    });
  }
}

/** The edge lets nobody without a key of their own in; were it to, nothing would be entered in nobody's name. */
function personOf(operator: Operator): string {
  if (operator.id === null) throw new AppError('forbidden');
  return operator.id;
}

/**
 * Nobody there could spend what a correction gives. What takes money from a closed organization is entered (docs/decisions/0289), and what covers
 * no more than it owes (docs/decisions/0337).
 */
async function requireOpenToGive(
  tx: Tx,
  { organisationId, cents }: Pick<repo.Correction, 'organisationId' | 'cents'>,
): Promise<void> {
  if (cents <= 0) return;
  // Before the wallet is locked: whether it is open may be asked once more after the entry.
  await keepAsItIs(tx, { organisationId });
  if (cents > owedCents(await balances(tx, organisationId))) await requireOpen(tx, { organisationId });
}

const closedText = 'This organization was closed, and nobody there could spend the money.';

function giftRefused(cause: Error): AppError {
  const message = `${closedText} Pay the person back instead.`;
  return new AppError('unprocessable', { message, details: [{ path: 'organization', message }], cause });
}

/** It was closed while the correction waited. */
function confirmationRefused(cause: Error): AppError {
  const message = `${closedText} Decline the correction and pay the person back.`;
  return new AppError('conflict', { message, cause });
}

async function rowOf(tx: Tx, id: string): Promise<CorrectionRow> {
  const [row] = await repo.listCorrections(tx, id);
  if (!row) throw new Error(`correction ${id} is gone within its own transaction`);
  return row;
}
