import { inTransaction } from '../../src/server/kernel/db/database.ts';
import type { Scope } from '../../src/server/kernel/scope.ts';
import type { BillingStand } from './billing-stand.ts';

export const card = 'pm_card_visa';

export interface Started {
  topupId: string;
  paymentId: string;
}

export type Paying = ReturnType<typeof createPaying>;

/** Top-ups, and the persons who pay them in their browsers. */
export function createPaying(stand: BillingStand) {
  const control = (route: string, body: unknown) => stand.sandbox.control(route, body);

  async function start(scope: Scope, amountUsd = 100, key: string | null = null): Promise<Started> {
    const { topupId, intentSecret } = await stand.billing.topups.start(scope, amountUsd, key);
    return { topupId, paymentId: intentSecret.split('_secret')[0] ?? '' };
  }

  async function pay(scope: Scope, paymentMethod: string, amountUsd = 100): Promise<Started> {
    const started = await start(scope, amountUsd);
    await control('pay', { paymentIntent: started.paymentId, paymentMethod }).catch(() => 'declined');
    return started;
  }

  /** An organisation that has paid its first $100. */
  async function funded(): Promise<Scope> {
    const scope = await stand.organisation();
    await pay(scope, card);
    await stand.settle();
    return scope;
  }

  /** How many top-ups were credited. */
  async function credits(scope: Scope): Promise<number> {
    const rows = await inTransaction(stand.database.db, scope, (tx) =>
      tx.selectFrom('journal').select('kind').where('kind', '=', 'topup').execute(),
    );
    return rows.length;
  }

  async function stateOf(scope: Scope, { topupId }: Started) {
    return (await stand.billing.topups.status(scope, topupId)).state;
  }

  return { control, start, pay, funded, credits, stateOf };
}
