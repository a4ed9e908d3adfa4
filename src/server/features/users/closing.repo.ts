import { openCertificateStates } from '#contracts/values/certificate-life.ts';
import { openItemStates } from '#contracts/values/order-states.ts';
import { hourMs } from '#contracts/values/time.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { lockToClose } from '#kernel/db/open-organisation.ts';
import type { Scope } from '#kernel/scope.ts';
import type { ClosingCounts } from './closing.rules.ts';
import { lockPeople } from './users.repo.ts';

/** So long a top-up may be at the provider without a payment. Nobody can pay an older one: nobody was given its secret. */
const unansweredMs = hourMs;

/**
 * From here on nothing slips past. Everybody who invites, makes a customer, orders or tops up has asked `requireOpen` first,
 * and holds the organisation open until their transaction ends: this waits for them, and the next statement counts what they
 * wrote. Those who ask later wait for this transaction, and are refused once it has closed the organisation. Roles do not
 * change meanwhile either.
 */
export async function lockForClosing(tx: Tx, scope: Scope): Promise<void> {
  await lockToClose(tx, scope);
  await lockPeople(tx, scope);
}

/**
 * A payment that a person was given to pay, and can pay: a declined one too, with another card. Nobody was given an automatic one.
 */
const isPayable = sql<boolean>`(payment_intent IS NOT NULL AND (state IN ('requested', 'requires_action')
  OR (state = 'failed' AND kind <> 'auto')))`;

/**
 * Everything that may stand against closing, in one statement. What a deleted customer had is counted as long as it has not ended.
 * A certificate that came to nothing after it was paid is a refund, until its price is back (`orders.refund-certificate`).
 */
export async function countForClosing(tx: Tx, scope: Scope, now: Date): Promise<ClosingCounts> {
  const { organisationId } = scope;
  const unanswered = new Date(now.getTime() - unansweredMs);
  const { rows } = await sql<ClosingCounts>`SELECT
    (SELECT count(*)::int FROM users WHERE organisation_id = ${organisationId} AND removed_at IS NULL AND id <> ${scope.userId}) AS users,
    (SELECT count(*)::int FROM invites WHERE organisation_id = ${organisationId} AND accepted_at IS NULL AND cancelled_at IS NULL) AS invitations,
    (SELECT count(*)::int FROM customers WHERE organisation_id = ${organisationId} AND deleted_at IS NULL) AS customers,
    (SELECT count(*)::int FROM imports WHERE organisation_id = ${organisationId} AND state = 'importing') AS imports,
    (SELECT count(*)::int FROM domains WHERE organisation_id = ${organisationId} AND status <> 'ended') AS domains,
    (SELECT count(DISTINCT order_id)::int FROM order_items
      WHERE organisation_id = ${organisationId} AND state = ANY (${[...openItemStates]}::text[])) AS orders,
    (SELECT count(*)::int FROM certificates c
      WHERE organisation_id = ${organisationId} AND (state = ANY (${[...openCertificateStates]}::text[])
      OR (state = 'completed' AND coalesce(valid_to > ${now}, true))
      OR EXISTS (SELECT FROM certificate_reissues r WHERE r.certificate_id = c.id AND r.state IN ('sending', 'unknown', 'running'))))
      AS certificates,
    coalesce((SELECT posted_cents FROM wallets WHERE organisation_id = ${organisationId}), 0) AS balance,
    coalesce((SELECT held_cents FROM wallets WHERE organisation_id = ${organisationId}), 0) AS reserved,
    coalesce((SELECT pending_cents FROM wallets WHERE organisation_id = ${organisationId}), 0) AS pending,
    (SELECT count(*)::int FROM topups
      WHERE organisation_id = ${organisationId} AND (${isPayable} OR (state IN ('requested', 'requires_action', 'processing')
      AND (payment_intent IS NOT NULL OR kind = 'auto' OR created_at > ${unanswered})))) AS topups,
    (SELECT count(*)::int FROM direct_charges
      WHERE organisation_id = ${organisationId} AND state IN ('collecting', 'sending', 'processing', 'failed')) AS charges,
    (SELECT count(*)::int FROM direct_refunds
      WHERE organisation_id = ${organisationId} AND state IN ('wanted', 'sending'))
    + (SELECT count(*)::int FROM order_items i JOIN certificates c ON c.order_item_id = i.id
      WHERE i.organisation_id = ${organisationId} AND i.kind = 'certificate' AND i.state = 'succeeded' AND i.price_cents > 0
      AND c.state IN ('cancelled', 'declined')
      AND NOT EXISTS (SELECT FROM journal j WHERE j.order_item_id = i.id AND j.kind = 'refund')) AS refunds`.execute(
    tx,
  );
  const [counts] = rows;
  if (!counts) throw new Error('a count without a row');
  return counts;
}

/** Closes an open organisation; its name, or undefined when it is closed already. */
export async function markClosed(tx: Tx, scope: Scope, now: Date): Promise<string | undefined> {
  const row = await tx
    .updateTable('organisations')
    .set({ closed_at: now })
    .where('id', '=', scope.organisationId)
    .where('closed_at', 'is', null)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

/** Top-ups that a person can cancel: their payment was begun, and nothing is on its way. */
export async function cancellableTopups(tx: Tx, scope: Scope): Promise<string[]> {
  const rows = await tx
    .selectFrom('topups')
    .select('id')
    .where('organisation_id', '=', scope.organisationId)
    .where(isPayable)
    .orderBy('created_at')
    .orderBy('id')
    .limit(mostCancellable)
    .execute();
  return rows.map(({ id }) => id);
}

const mostCancellable = 20;
