import { randomBytes } from 'node:crypto';
import type { PurchaseResult } from '../../src/contracts/operations/orders.ts';
import { systemTransaction } from '../../src/server/kernel/db/database.ts';
import { adjust } from '../../src/server/ledger/ledger.ts';
import { setInitialFee } from './first-payment.ts';
import { patientCall } from './patient.ts';
import type { Stack } from './stack.ts';

/** An MSP with a person, a customer and money, made through the product's own doors. */
export interface Account {
  /** In the names of all that is this MSP's and nobody else's. */
  name: string;
  token: string;
  organisationId: string;
  customerId: string;
}

export const contact = {
  organization: 'Blue Fig Ltd',
  firstName: 'Ann',
  lastName: 'Smith',
  address1: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postalCode: '10001',
  country: 'US',
  email: 'ann@bluefig.example',
  phone: '+1.2125550100',
};

export async function openAccount(
  stack: Pick<Stack, 'control' | 'call' | 'database'>,
  balanceCents: number,
): Promise<Account> {
  const name = randomBytes(4).toString('hex');
  const email = `${name}@msp.example`;
  await stack.control('identity', 'users/add', {
    email,
    password: 'correct horse battery',
    verified: true,
    name,
  });
  // For runs of hours: nobody signs in again there.
  const exp = Math.floor(Date.now() / 1_000) + 86_400;
  const { token } = await stack.control<{ token: string }>('identity', 'tokens/mint', { email, exp });
  const { organizationId: organisationId } = await patientCall<{ organizationId: string }>(
    stack,
    token,
    'POST',
    'user',
    { username: `user${name}`, organization: `Org ${name}` },
  );
  await setInitialFee(stack.database.systemDb, organisationId);
  const { customerId } = await patientCall<{ customerId: string }>(stack, token, 'POST', 'customer', {
    contacts: { owner: contact, admin: contact, billing: contact },
  });
  await systemTransaction(stack.database.systemDb, (tx) =>
    adjust(tx, {
      organisationId,
      cents: balanceCents,
      ref: organisationId,
      actor: 'test',
      text: 'opening balance',
    }),
  );
  return { name, token, organisationId, customerId };
}

/** A cart of new names, with the price the portal itself quotes for them. */
export async function cartOf(stack: Stack, account: Account, names: readonly string[]) {
  const asked = names.map((address) => ({ address, period: 1, whois: false }));
  const prices = await patientCall<{ price: number }[]>(stack, account.token, 'POST', 'cart/prices', asked);
  const cents = prices.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
  return {
    domains: names.map((address) => ({ address, customerId: account.customerId, period: 1, whois: false })),
    price: cents / 100,
  };
}

export function purchase(stack: Stack, account: Account, body: unknown, key: string) {
  return stack.call<{ data: PurchaseResult; message?: string; code?: string }>(
    account.token,
    'POST',
    'cart/purchase',
    body,
    { 'idempotency-key': key },
  );
}
