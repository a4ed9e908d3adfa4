import { moneyText } from '#contracts/values/format.ts';
import type { Tx } from '#kernel/db/database.ts';
import { hashOf } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { tellManagers } from '#kernel/letters.ts';
import { considerTopUp } from '../../ledger/auto-balance.ts';
import {
  balances,
  bookTopUpFee,
  creditTopUp,
  dropTopUp,
  expectTopUp,
  owedCents,
  reverseTopUp,
} from '../../ledger/ledger.ts';
import type { Payment } from '../../ports/payments.ts';
import { organisationName } from '../users/index.ts';
import { forgetDeclines } from './auto-topup.repo.ts';
import { outcomeOf, wantsPerson } from './auto-topup.rules.ts';
import { noteDecline, noteReversal, type OutcomeDeps } from './auto-topup-outcome.ts';
import { notArrivedLetter, takenBackLetter } from './billing.letters.ts';
import { storeFirstPayment } from './profile.repo.ts';
import { insertSecondPayment, isInitialFeePaid, lockTopup, storeAlarm, storePayment } from './topups.repo.ts';
import { type TopupVerdict, verdictOn } from './topups.rules.ts';

type LockedTopup = NonNullable<Awaited<ReturnType<typeof lockTopup>>>;
type Change = Extract<TopupVerdict, { kind: 'change' }>;

/**
 * Writes what a payment is, as it was read from the provider just now, into its top-up and the wallet. The only
 * way by which a payment becomes money here; safe to repeat in any order. Returns whether anything changed.
 * `readAt`: the top-up's version before the payment was read; when it has moved, the reading may be older than what
 * is written already, nothing is changed, and the answer is `stale`. It also is for a second payment under one top-up,
 * which has a top-up of its own from now on: read again, it goes there.
 */
export async function applyPayment(
  deps: OutcomeDeps,
  tx: Tx,
  topupId: string,
  payment: Payment,
  readAt?: number,
): Promise<boolean | 'stale'> {
  const topup = await lockTopup(tx, topupId);
  if (!topup) return false;
  if (readAt !== undefined && topup.version !== readAt) return 'stale';
  const verdict = verdictOn(topup, payment);
  switch (verdict.kind) {
    case 'nothing':
      return false;
    case 'alert':
      await storeAlarm(tx, topup.id, verdict.text);
      await alert(tx, topup, verdict.text);
      return false;
    case 'second': {
      const { organisation_id: organisationId, user_id: userId } = topup;
      if (await insertSecondPayment(tx, { organisationId, userId, payment })) {
        await alert(tx, topup, `${payment.id} is a second payment; it is a top-up of its own`);
      }
      return 'stale';
    }
    case 'change':
      await moveMoney(tx, topup, payment, verdict);
      if (topup.organisation_closed_at !== null) await alertOfLate(tx, topup, payment, verdict);
      else if (verdict.takeBackCents > 0 || verdict.dropCents > 0) await tellGone(deps, tx, topup, verdict);
      await storePayment(tx, topup, {
        payment,
        state: verdict.state,
        pendingCents: verdict.pendingCents,
        now: deps.clock.now(),
      });
      await updateProfile(tx, topup.organisation_id, payment);
      await tellAutoBalance(deps, tx, topup, payment, verdict);
      return verdict.isNews;
  }
}

async function moveMoney(tx: Tx, topup: LockedTopup, payment: Payment, change: Change): Promise<void> {
  const { organisation_id: organisationId, id: topupId, cents } = topup;
  const common = { organisationId, topupId, actor: 'payments' };
  // The row is locked: of two who tell the same, the second sees the sums that the first has written.
  const sequence = String(topup.version);
  if (change.expectCents > 0) await expectTopUp(tx, { organisationId, cents: change.expectCents });
  if (change.dropCents > 0) await dropTopUp(tx, { organisationId, pendingCents: change.dropCents });
  if (change.arrives) {
    const { pendingCents } = change.arrives;
    const text = `Top-up by ${payment.method === 'us_bank_account' ? 'bank transfer' : 'card'}`;
    await creditTopUp(tx, { ...common, cents, pendingCents, feeCents: change.feeCents, text });
  } else if (change.feeCents !== 0) {
    await bookTopUpFee(tx, {
      ...common,
      cents: change.feeCents,
      sequence,
      text: 'Fee of the payment provider',
    });
  }
  if (change.takeBackCents === 0) return;
  const text = change.takeBackCents > 0 ? 'Payment returned or disputed' : 'Returned payment won back';
  await reverseTopUp(tx, { ...common, cents: change.takeBackCents, sequence, text });
}

/**
 * What moves for an organization that is closed is booked where it was paid to (docs/decisions/0289). Nobody there can spend it, and
 * nobody there pays what is missing.
 */
async function alertOfLate(tx: Tx, topup: LockedTopup, { id }: Payment, change: Change): Promise<void> {
  const { organisation_id: organisationId, cents } = topup;
  const where = `by payment ${id} for organization ${organisationId}, which is closed`;
  const back = change.takeBackCents;
  const moved = [
    change.arrives ? `${moneyText(cents)} arrived ${where}; pay it back` : null,
    back < 0 ? `${moneyText(-back)} of a dispute came back ${where}; pay it back` : null,
    back > 0 ? `${moneyText(back)} was returned or disputed ${where}; its wallet is short of it` : null,
  ].filter((text) => text !== null);
  // One alert of a top-up waits at a time.
  if (moved.length > 0) await alert(tx, topup, moved.join('. '));
}

/** Money of a top-up went back, or what was to arrive will not. */
async function tellGone(
  { publicUrl }: OutcomeDeps,
  tx: Tx,
  topup: LockedTopup,
  { takeBackCents: backCents, dropCents }: Change,
): Promise<void> {
  const { id, organisation_id: organisationId, cents, created_at: madeAt } = topup;
  const left = await balances(tx, organisationId);
  if (backCents > 0) {
    // Also of one that a person paid: the balance that renewals count on has shrunk while nobody was there (decision 316).
    const letter = takenBackLetter({ topUpCents: cents, backCents, madeAt, ...left }, publicUrl);
    await tellManagers(tx, { organisationId, notice: `topup-taken-back.${id}`, letter });
  }
  const owed = owedCents(left);
  if (owed === 0) return;
  if (dropCents > 0) {
    const letter = notArrivedLetter({ topUpCents: cents, madeAt, ...left }, publicUrl);
    await tellManagers(tx, { organisationId, notice: `topup-not-arrived.${id}`, letter });
  }
  // What was bought with it is paid at the registrar, by the operator (decision 329).
  const gone =
    backCents > 0
      ? `${moneyText(backCents)} was returned or disputed`
      : `${moneyText(dropCents)} did not arrive`;
  const name = await organisationName(tx, organisationId);
  const text = `${gone} of top-up ${id}. ${name} (${organisationId}) now owes ${moneyText(owed)}: it can buy nothing until it has topped up`;
  await alert(tx, topup, text);
}

async function updateProfile(tx: Tx, organisationId: string, payment: Payment): Promise<void> {
  const stores = payment.state === 'succeeded' && payment.paymentMethod !== null;
  await storeFirstPayment(tx, organisationId, {
    initialFeePaid: await isInitialFeePaid(tx, organisationId),
    ...(stores ? { paymentMethod: payment.paymentMethod } : {}),
  });
}

/** Less can be spent now, or an automatic top-up has come to its end. */
async function tellAutoBalance(
  deps: OutcomeDeps,
  tx: Tx,
  topup: LockedTopup,
  payment: Payment,
  { state, dropCents, takeBackCents }: Change,
): Promise<void> {
  const { organisation_id: organisationId } = topup;
  if (dropCents > 0 || takeBackCents > 0) await considerTopUp(tx, organisationId);
  const outcome = outcomeOf(topup.kind, topup.state, state, takeBackCents);
  if (outcome === 'arrived') await forgetDeclines(tx, organisationId);
  if (outcome === 'declined') {
    await noteDecline(deps, tx, organisationId, { wantsPerson: wantsPerson(payment) });
  }
  if (outcome === 'reversed') await noteReversal(deps, tx, organisationId);
}

async function alert(tx: Tx, topup: LockedTopup, text: string): Promise<void> {
  const { organisation_id: organisationId, id: topupId } = topup;
  // None takes the place of another one that waits: each is told once.
  const key = `alert:topup:${topupId}:${hashOf(text)}`;
  await enqueueJob(tx, 'operator.alert', { kind: 'payment', organisationId, topupId, text }, { key });
}
