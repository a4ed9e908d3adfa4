import { readCsr } from '../src/server/features/certificates/index.ts';
import { createOrders } from '../src/server/features/orders/index.ts';
import { systemClock } from '../src/server/kernel/clock.ts';
import { withSeal } from '../src/server/kernel/db/bound-seal.ts';
import { createDatabase, inTransaction } from '../src/server/kernel/db/database.ts';
import { newId } from '../src/server/kernel/ids.ts';
import { createLogger } from '../src/server/kernel/logger.ts';
import type { Scope } from '../src/server/kernel/scope.ts';

/** Who buys, and for which customer. */
type Buyer = Scope & { customerId: string };

import { createSeal } from '../src/server/kernel/seal.ts';
import { checkLedger } from '../src/server/ledger/check.ts';
import { adjust, openWallet } from '../src/server/ledger/ledger.ts';
import type { Registrar } from '../src/server/ports/registrar.ts';

export const priceCents = 1_200;
const costCents = 1_000;
/** As the portal's own defaults (`src/server/kernel/config.ts`). */
export const parallelItems = 10;
const databaseConnections = 20;
const plenty = 100_000_000;

const contact = {
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

/** Orders as the portal composes them, on a real database and a registrar of the measurement's own. */
export interface Shop extends AsyncDisposable {
  /** An organisation with money for whatever is measured. */
  open(): Promise<Buyer>;
  /** Buys so many new names in one order; resolves when the reply is complete, throws unless all were bought. */
  buy(scope: Buyer, items: number): Promise<void>;
  /** Throws unless every cent is explained. */
  requireSoundLedger(): Promise<void>;
}

export function openShop(urls: { tenants: string; system: string }, registrar: Registrar): Shop {
  const seal = createSeal([{ number: 1, secret: 'benchmark' }]);
  const db = withSeal(createDatabase({ url: urls.tenants, maxConnections: databaseConnections }), seal);
  const systemDb = withSeal(createDatabase({ url: urls.system, maxConnections: 2 }), seal);
  const orders = createOrders({
    readCsr,
    requireRegistrarFunds: async () => undefined,
    ...{ db, systemDb, registrar, seal },
    clock: systemClock,
    logger: createLogger({ level: 'error' }),
    // Prices were quoted when the cart was filled; the order itself asks nobody.
    pricing: {
      domains: {
        price: async (_address, _kind, years) => ({
          ...{ priceCents: priceCents * years, costCents: costCents * years },
          premium: false,
        }),
        standardPriceCents: async () => priceCents,
        premiumPriceCents: (cents) => cents,
      },
      certificates: {
        price: async () => ({ priceCents, costCents }),
        known: async () => ({ priceCents, costCents }),
        list: async () => [],
      },
    },
    customers: { contactsForOrder: async () => ({ owner: contact, admin: contact, billing: contact }) },
    pendingLimitCents: 0,
    times: { callMs: 45_000, claimMarginMs: 30_000, releaseAfterMs: 600_000, reviewAfterMs: 86_400_000 },
    replyWaitMs: 55_000,
    parallelItems,
  });
  let names = 0;

  async function open(): Promise<Buyer> {
    const [organisationId, userId, customerId] = [newId(), newId(), newId()];
    await inTransaction(db, { organisationId }, async (tx) => {
      await tx.insertInto('organisations').values({ id: organisationId, name: 'Benchmark' }).execute();
      const json = JSON.stringify(contact);
      await tx
        .insertInto('customers')
        .values({
          ...{ id: customerId, organisation_id: organisationId },
          ...{ owner: json, admin: json, billing_contact: json, markups: '{}' },
        })
        .execute();
      await openWallet(tx, organisationId);
      const text = 'for the benchmark';
      await adjust(tx, { organisationId, cents: plenty, ref: organisationId, actor: 'bench', text });
    });
    return {
      ...{ organisationId, userId, customerId, role: 'MSP_ADMIN' },
      ...{ reach: { kind: 'organisation' }, rights: { kind: 'role' } },
      ...{ email: 'a@example.com', ip: null, requestId: 'bench' },
    };
  }

  async function buy(scope: Buyer, items: number): Promise<void> {
    const domains = Array.from({ length: items }, () => {
      names += 1;
      return {
        ...{ address: `bench-${process.pid}-${newId()}-${names}.com`, customerId: scope.customerId },
        ...{ period: 1 as const, whois: false, autoRenew: false },
      };
    });
    const result = await orders.purchase(
      scope,
      {
        ...{ domains, domainRenewals: [], domainTransfers: [], certificates: [] },
        price: (items * priceCents) / 100,
      },
      newId(),
    );
    if (result.domains.success.length !== items) {
      throw new Error(`not all was bought: ${JSON.stringify(result)}`);
    }
  }

  return {
    open,
    buy,
    async requireSoundLedger() {
      const faults = await checkLedger(systemDb);
      if (faults.length > 0) throw new Error(`the ledger is not sound: ${JSON.stringify(faults)}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([db.destroy(), systemDb.destroy()]);
    },
  };
}
