import { openItemStates } from '#contracts/values/order-states.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';

export interface KnownAccount {
  balanceCents: number;
  heldCents: number;
  readAt: Date;
  alarmedAt: Date | null;
  alarmedLevel: 'low' | 'short' | null;
}

/** null: never read. */
export async function readAccount(db: Db | Tx): Promise<KnownAccount | null> {
  const row = await db.selectFrom('registrar_account').selectAll().executeTakeFirst();
  if (!row) return null;
  return {
    balanceCents: row.balance_cents,
    heldCents: row.held_cents,
    readAt: row.read_at,
    alarmedAt: row.alarmed_at,
    alarmedLevel: row.alarmed_level,
  };
}

export async function storeAccount(
  tx: Tx,
  read: { balanceCents: number; heldCents: number },
  now: Date,
): Promise<void> {
  const set = { balance_cents: read.balanceCents, held_cents: read.heldCents, read_at: now };
  await tx
    .insertInto('registrar_account')
    .values({ id: true, ...set, alarmed_at: null, alarmed_level: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(set))
    .execute();
}

export async function storeAlarm(tx: Tx, level: 'low' | 'short' | null, at: Date | null): Promise<void> {
  await tx.updateTable('registrar_account').set({ alarmed_level: level, alarmed_at: at }).execute();
}

const openCost = sql<number>`(SELECT coalesce(sum(cost_cents), 0)::bigint FROM order_items
  WHERE state = ANY(${sql.val(`{${openItemStates.join(',')}}`)}::text[]))`;

/** Our cost of every item whose outcome is open, over all organisations. */
export async function openCostCents(db: Db | Tx): Promise<number> {
  const { rows } = await sql<{ cents: number }>`SELECT ${openCost} AS cents`.execute(db);
  return rows[0]?.cents ?? 0;
}

/** Both at once, as every purchase asks for them; null: never read. */
export async function readAccountWithOpen(
  db: Db,
): Promise<(Pick<KnownAccount, 'balanceCents' | 'heldCents' | 'readAt'> & { openCents: number }) | null> {
  const row = await db
    .selectFrom('registrar_account')
    .select(['balance_cents', 'held_cents', 'read_at', openCost.as('open_cents')])
    .executeTakeFirst();
  if (!row) return null;
  const { balance_cents: balanceCents, held_cents: heldCents, read_at: readAt } = row;
  return { balanceCents, heldCents, readAt, openCents: row.open_cents };
}
