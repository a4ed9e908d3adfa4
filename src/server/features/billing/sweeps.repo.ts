import { sql, type Tx } from '#kernel/db/database.ts';

/** When the last whole sweep of an account began, or null. Our own account has the id ''. */
export async function reachedAt(tx: Tx, account: string): Promise<Date | null> {
  const row = await tx
    .selectFrom('payment_sweeps')
    .select('reached_at')
    .where('account', '=', account)
    .executeTakeFirst();
  return row?.reached_at ?? null;
}

/** A sweep of an account that began at `at` has come to its end. Two at once: the later one counts. */
export async function noteReached(tx: Tx, account: string, at: Date): Promise<void> {
  await tx
    .insertInto('payment_sweeps')
    .values({ account, reached_at: at })
    .onConflict((conflict) =>
      conflict
        .column('account')
        .doUpdateSet({ reached_at: sql<Date>`greatest(payment_sweeps.reached_at, excluded.reached_at)` }),
    )
    .execute();
}
