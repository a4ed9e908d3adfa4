import { ask, type Db, later, sql, type Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import {
  correction,
  LedgerViolation,
  laterFee,
  postingsOf,
  purchase,
  refund,
  reversal,
  type Transfer,
  topUp,
  walletChange,
} from './ledger.rules.ts';

export { LedgerViolation, owedCents, spendableCents } from './ledger.rules.ts';

/**
 * The only code that moves money. Amounts are integer US cents. Every function runs inside the caller's
 * transaction, so that money moves with the state change that justifies it, and every entry carries a `ref` that
 * exists once: a repeat of the same act is refused by the database whatever the caller believes.
 *
 * An entry is made of transfers from one account to another (`ledger.rules.ts`), and the wallet's row changes by the
 * postings that they make: the two cannot differ, and no sum can be written backwards.
 */

export interface Balances {
  /** Posted, less holds. */
  balanceCents: number;
  /** Top-ups in processing. */
  pendingCents: number;
  heldCents: number;
}

interface Entry {
  organisationId: string;
  kind: string;
  ref: string;
  actor: string;
  text: string;
  orderItemId?: string | null;
  topupId?: string | null;
  transfers: readonly Transfer[];
}

/** Changes of the wallet that are no postings: nothing has arrived or left. */
interface Reserved {
  heldCents?: number;
  pendingCents?: number;
}

/** Opens the wallet of a new organisation, empty. */
export async function openWallet(tx: Tx, organisationId: string): Promise<void> {
  await tx.insertInto('wallets').values({ organisation_id: organisationId }).execute();
}

/**
 * Reserves money for the items of an order in one conditional statement on the wallet's row.
 * `pendingLimitCents`: how much of the top-ups in processing may be spent (decisions no. 23).
 * Returns false, and changes nothing, when the spendable sum does not suffice.
 */
export async function hold(
  tx: Tx,
  input: {
    organisationId: string;
    items: readonly { itemId: string; cents: number }[];
    pendingLimitCents: number;
  },
): Promise<boolean> {
  const totalCents = input.items.reduce((sum, item) => sum + item.cents, 0);
  const held = await ask(
    tx,
    tx
      .updateTable('wallets')
      .set((eb) => ({ held_cents: eb('held_cents', '+', totalCents) }))
      .where('organisation_id', '=', input.organisationId)
      .where(
        sql<boolean>`posted_cents - held_cents + least(pending_cents, ${input.pendingLimitCents}) >= ${totalCents}`,
      ),
  );
  if (held.numAffectedRows !== 1n) return false;
  if (input.items.length > 0) {
    await later(
      tx,
      tx.insertInto('holds').values(
        input.items.map((item) => ({
          item_id: item.itemId,
          organisation_id: input.organisationId,
          cents: item.cents,
          state: 'open' as const,
          ended_at: null,
        })),
      ),
    );
  }
  return true;
}

/** What is asked, and locked, in the same round trip as the wallet's row and right before it; the function it is given to returns what it says. */
type BeforeWallet<T> = () => Promise<T>;

/**
 * Turns a hold into a payment for an item that the registrar completed.
 * `costCents` is what the registrar takes from the operator; the rest is revenue.
 * Throws `LedgerViolation` when the hold is not open.
 */
export async function capture<T>(
  tx: Tx,
  input: { organisationId: string; itemId: string; costCents: number; actor: string; text: string },
  before?: BeforeWallet<T>,
): Promise<T | undefined> {
  const priceCents = await endHold(tx, input.organisationId, input.itemId, 'captured');
  const { organisationId, itemId, actor, text } = input;
  const entry = {
    ...{ organisationId, actor, text, orderItemId: itemId },
    ...{ kind: 'purchase', ref: `item:${itemId}:capture` },
    transfers: purchase(priceCents, input.costCents),
  };
  const [said] = await Promise.all([before?.(), book(tx, entry, { heldCents: -priceCents })]);
  await numberReceipt(tx, input);
  return said;
}

/**
 * The order's first charge gives its receipt the organisation's next number. The wallet's row is locked by this
 * transaction, so nobody else takes the same number, and none is lost when the charge is rolled back.
 */
async function numberReceipt(tx: Tx, of: { organisationId: string; itemId: string }): Promise<void> {
  await later(
    tx,
    sql`INSERT INTO receipts (organisation_id, order_id, number)
      SELECT i.organisation_id, i.order_id,
        (SELECT coalesce(max(r.number), 0) + 1 FROM receipts r WHERE r.organisation_id = ${of.organisationId})
      FROM order_items i WHERE i.id = ${of.itemId} AND i.organisation_id = ${of.organisationId}
        AND NOT EXISTS (SELECT FROM receipts present WHERE present.order_id = i.order_id)
      ON CONFLICT (order_id) DO NOTHING`,
  );
}

/** Gives a hold back for an item that did not and will not happen. Throws `LedgerViolation` when it is not open. */
export async function release<T>(
  tx: Tx,
  input: { organisationId: string; itemId: string; actor: string; text: string },
  before?: BeforeWallet<T>,
): Promise<T | undefined> {
  const heldCents = await endHold(tx, input.organisationId, input.itemId, 'released');
  const { organisationId, itemId, actor, text } = input;
  const entry = {
    ...{ organisationId, actor, text, orderItemId: itemId },
    ...{ kind: 'release', ref: `item:${itemId}:release` },
    transfers: [],
  };
  const [said] = await Promise.all([before?.(), book(tx, entry, { heldCents: -heldCents })]);
  return said;
}

/** A top-up is being processed: it counts as pending from now on. No posting, since nothing has arrived. */
export async function expectTopUp(tx: Tx, input: { organisationId: string; cents: number }): Promise<void> {
  await changeWallet(tx, input.organisationId, 0, { pendingCents: input.cents });
}

/** A top-up that was pending will not arrive. */
export async function dropTopUp(
  tx: Tx,
  input: { organisationId: string; pendingCents: number },
): Promise<void> {
  await changeWallet(tx, input.organisationId, 0, { pendingCents: -input.pendingCents });
}

/**
 * A top-up arrived: credits the wallet, once per top-up. `pendingCents` is what was pending for it,
 * `feeCents` what the provider kept, which the operator bears.
 */
export async function creditTopUp(
  tx: Tx,
  input: {
    organisationId: string;
    topupId: string;
    cents: number;
    pendingCents: number;
    feeCents: number;
    actor: string;
    text: string;
  },
): Promise<void> {
  const { organisationId, topupId, actor, text } = input;
  await book(
    tx,
    {
      ...{ organisationId, actor, text, topupId },
      ...{ kind: 'topup', ref: `topup:${topupId}:succeeded` },
      transfers: topUp(input.cents, input.feeCents),
    },
    { pendingCents: -input.pendingCents },
  );
}

/**
 * Takes back money of a top-up that was disputed, returned or refunded. The only act that may take a wallet below
 * zero. `sequence` tells several reversals of one top-up apart.
 */
export async function reverseTopUp(
  tx: Tx,
  input: {
    organisationId: string;
    topupId: string;
    cents: number;
    sequence: string;
    actor: string;
    text: string;
  },
): Promise<void> {
  const { organisationId, topupId, actor, text } = input;
  await book(tx, {
    ...{ organisationId, actor, text, topupId },
    kind: input.cents >= 0 ? 'reversal' : 'reversal_returned',
    ref: `topup:${topupId}:reversed:${input.sequence}`,
    transfers: reversal(input.cents),
  });
}

/** The provider said what it kept of a top-up after that was credited: the difference. `sequence` tells several apart. */
export async function bookTopUpFee(
  tx: Tx,
  input: {
    organisationId: string;
    topupId: string;
    cents: number;
    sequence: string;
    actor: string;
    text: string;
  },
): Promise<void> {
  const { organisationId, topupId, actor, text } = input;
  await book(tx, {
    ...{ organisationId, actor, text, topupId },
    ...{ kind: 'topup_fee', ref: `topup:${topupId}:fee:${input.sequence}` },
    transfers: laterFee(input.cents),
  });
}

/** Gives an item's price back that was captured and then came to nothing, once an item. */
export async function refundItem(
  tx: Tx,
  input: { organisationId: string; itemId: string; cents: number; actor: string; text: string },
): Promise<void> {
  const { organisationId, itemId, actor, text } = input;
  await book(tx, {
    ...{ organisationId, actor, text, orderItemId: itemId },
    ...{ kind: 'refund', ref: `item:${itemId}:refund` },
    transfers: refund(input.cents),
  });
}

/** The operator's correction, positive or negative, with a reason. `ref` must be new to the organisation. */
export async function adjust(
  tx: Tx,
  input: { organisationId: string; cents: number; ref: string; actor: string; text: string },
): Promise<void> {
  const { organisationId, actor, text } = input;
  await book(tx, {
    ...{ organisationId, actor, text },
    ...{ kind: 'adjustment', ref: `adjust:${organisationId}:${input.ref}` },
    transfers: correction(input.cents),
  });
}

/** The three figures of an organisation. */
export async function balances(db: Db | Tx, organisationId: string): Promise<Balances> {
  const row = await db
    .selectFrom('wallets')
    .select(['posted_cents', 'held_cents', 'pending_cents'])
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  if (!row) return { balanceCents: 0, pendingCents: 0, heldCents: 0 };
  return {
    balanceCents: row.posted_cents - row.held_cents,
    pendingCents: row.pending_cents,
    heldCents: row.held_cents,
  };
}

/** Writes an entry, and changes the wallet by what it posts. */
async function book(tx: Tx, entry: Entry, reserved: Reserved = {}): Promise<void> {
  const postings = postingsOf(entry.transfers);
  await changeWallet(tx, entry.organisationId, walletChange(postings), reserved);
  const id = newId();
  await later(
    tx,
    tx.insertInto('journal').values({
      id,
      organisation_id: entry.organisationId,
      kind: entry.kind,
      ref: entry.ref,
      actor: entry.actor,
      text: entry.text,
      order_item_id: entry.orderItemId ?? null,
      topup_id: entry.topupId ?? null,
    }),
  );
  if (postings.length === 0) return;
  const common = { journal_id: id, organisation_id: entry.organisationId };
  await later(tx, tx.insertInto('postings').values(postings.map((posting) => ({ ...common, ...posting }))));
}

async function changeWallet(
  tx: Tx,
  organisationId: string,
  postedCents: number,
  { heldCents = 0, pendingCents = 0 }: Reserved,
): Promise<void> {
  const result = await tx
    .updateTable('wallets')
    .set((eb) => ({
      posted_cents: eb('posted_cents', '+', postedCents),
      held_cents: eb('held_cents', '+', heldCents),
      pending_cents: eb('pending_cents', '+', pendingCents),
    }))
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  if (result.numUpdatedRows !== 1n) throw new LedgerViolation(`no wallet for ${organisationId}`);
}

/** Ends an open hold; returns its cents. Throws when it is not open: then somebody else has ended it. */
async function endHold(
  tx: Tx,
  organisationId: string,
  itemId: string,
  state: 'captured' | 'released',
): Promise<number> {
  const ended = await tx
    .updateTable('holds')
    .set({ state, ended_at: sql<Date>`now()` })
    .where('item_id', '=', itemId)
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'open')
    .returning('cents')
    .executeTakeFirst();
  if (!ended) throw new LedgerViolation(`hold of item ${itemId} is not open`);
  return ended.cents;
}
