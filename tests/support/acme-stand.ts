import { randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { systemTransaction } from '../../src/server/kernel/db/database.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { createSeal } from '../../src/server/kernel/seal.ts';
import { type Account, cartOf, openAccount, purchase } from './account.ts';
import { type Stack, startStack } from './stack.ts';

/** What a client is given: the directory, and the two parts of its external account binding. */
export interface Access {
  id: string;
  keyId: string;
  /** Base64url. */
  key: string;
}

export interface AcmeStand extends AsyncDisposable {
  stack: Stack;
  account: Account;
  directory: string;
  /** The authority's root, in PEM. */
  root: string;
  access(change?: AccessChange, account?: Account): Promise<Access>;
  /** A new domain of the account's customer, with its DNS at the portal. */
  domain(word: string, account?: Account): Promise<string>;
}

export interface AccessChange {
  hosts?: string[] | null;
  product?: string;
  /** Null: it never buys. */
  limits?: { orders: number; cents: number } | null;
  revoked?: boolean;
  expiresAt?: Date;
}

/** As the configuration has it where none is set. */
const seal = createSeal([{ number: 1, secret: 'development-sealing-key' }]);

/** The portal as a process, with an authority that is quick, a customer, and money. */
export async function startAcmeStand({
  cents = 5_000_00,
  env = {},
}: {
  cents?: number;
  env?: Record<string, string>;
} = {}): Promise<AcmeStand> {
  const stack = await startStack();
  await stack.startServer(env);
  await stack.control('registrar', 'knobs', {
    ...{ certificateCheckMs: 100, certificateIssueMs: 100, certificateReissueDays: 0 },
  });
  const { root } = await stack.control<{ root: string }>('registrar', 'certificates/root');
  const account = await openAccount(stack, cents);
  return {
    ...{ stack, account, root, directory: `${stack.url}/acme/directory` },
    access: (change = {}, of = account) => makeAccess(stack, of, change),
    domain: (word, of = account) => buyDomain(stack, of, word),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

/** As the portal makes them: a command line would read a leading hyphen as an option. */
export function newHmacKey(): string {
  const key = randomBytes(32).toString('base64url');
  return key.startsWith('-') ? newHmacKey() : key;
}

async function makeAccess(stack: Stack, account: Account, change: AccessChange): Promise<Access> {
  const id = newId();
  const [keyId, key] = [`nwe_${randomBytes(11).toString('hex')}`, newHmacKey()];
  const { hosts = null, product = 'rapidssl', limits = { orders: 100, cents: 1_000_00 } } = change;
  const { organisationId, customerId } = account;
  await systemTransaction(stack.database.systemDb, async (tx) => {
    const user = await tx
      .selectFrom('users')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('acme_accesses')
      .values({
        ...{
          id,
          organisation_id: organisationId,
          customer_id: customerId,
          name: 'web servers',
          key_id: keyId,
        },
        ...{
          hmac_sealed: seal.seal(key, `acme-access:${organisationId}:${id}`),
          hosts,
          product_type: product,
        },
        ...{ orders_per_month: limits?.orders ?? null, cents_per_month: limits?.cents ?? null },
        ...{ made_by: user.id, by_customer: false, expires_at: change.expiresAt ?? null },
        ...{ last_used_at: null, revoked_at: change.revoked ? new Date() : null },
      })
      .execute();
  });
  return { id, keyId, key };
}

async function buyDomain(stack: Stack, account: Account, word: string): Promise<string> {
  const name = `${word}-${randomBytes(4).toString('hex')}.com`;
  const bought = await purchase(stack, account, await cartOf(stack, account, [name]), newId());
  if (bought.status !== 200) throw new Error(JSON.stringify(bought.body));
  await vi.waitFor(
    async () => {
      const row = await stack.database.systemDb
        .selectFrom('domains')
        .select('nameservers')
        .where('address', '=', name)
        .executeTakeFirst();
      if (!row?.nameservers.length) throw new Error(`${name} has no nameservers yet\n${stack.log()}`);
    },
    { timeout: 120_000, interval: 100 },
  );
  return name;
}
