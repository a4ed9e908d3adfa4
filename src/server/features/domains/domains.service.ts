import type { LookupResult, Suggestion } from '#contracts/operations/domains.ts';
import { dayMs } from '#contracts/values/time.ts';
import type { Clock } from '#kernel/clock.ts';
import { type Db, inReading } from '#kernel/db/database.ts';
import { withFairnessKey } from '#kernel/fairness.ts';
import type { Scope } from '#kernel/scope.ts';
import type { RegistrarNames, RegistrarOrders, RegistrarSettings } from '../../ports/registrar.ts';
import type { CustomersApi } from '../customers/index.ts';
import type { RegistrarFacts } from './details.ts';
import { type DomainListQuery, listDomains } from './domains.repo.ts';
import { createLookup } from './lookup.ts';
import type { DomainPricing } from './pricing.ts';
import { createDomainSettings } from './settings.service.ts';
import { createDomainSync } from './sync.ts';
import { createTransfers, type TransfersDeps } from './transfers.service.ts';
import { createVerification } from './verification.service.ts';

export interface DomainsDeps {
  db: Db;
  /** The jobs work across tenants. */
  systemDb: Db;
  registrar: RegistrarNames & RegistrarOrders & RegistrarSettings;
  pricing: DomainPricing;
  clock: Clock;
  facts: RegistrarFacts;
  customers: Pick<CustomersApi, 'requireVisible' | 'contactsForOrder'>;
  resolver: TransfersDeps['resolver'];
  zoneSource: TransfersDeps['zoneSource'];
  transferTimes: TransfersDeps['transferTimes'];
  publicUrl: string;
  leases: TransfersDeps['leases'];
}

export type DomainsApi = ReturnType<typeof createDomains>;

export function createDomains(deps: DomainsDeps) {
  const { db, clock } = deps;
  const search = createLookup(deps);
  const transfers = createTransfers(deps);
  const verification = createVerification(deps);
  return {
    settings: createDomainSettings(deps),
    /** Jobs of this feature, by name. */
    tasks: { ...createDomainSync(deps), ...transfers.tasks, ...verification.tasks },
    transfers,
    verification,
    lookupList: (scope: Scope, names: readonly string[]) =>
      withFairnessKey(scope.organisationId, () => search.lookupList(scope, names)),
    lookup: (scope: Scope, address: string, withSuggestions = true): Promise<LookupResult> =>
      withFairnessKey(scope.organisationId, () => search.lookup(scope, address, withSuggestions)),
    suggestions: (scope: Scope, address: string): Promise<Suggestion[]> =>
      withFairnessKey(scope.organisationId, () => search.suggestions(scope, address)),
    list: (
      scope: Scope,
      query: Omit<DomainListQuery, 'expiresBefore'> & { expiringWithinDays?: number | undefined },
    ) => {
      const days = query.expiringWithinDays;
      const expiresBefore = days === undefined ? undefined : new Date(clock.now().getTime() + days * dayMs);
      return inReading(db, scope, (tx) => listDomains(tx, scope, { ...query, expiresBefore }));
    },
    listForCustomer: (scope: Scope, customerId: string, query: DomainListQuery) =>
      inReading(db, scope, async (tx) => {
        const [found] = await Promise.all([
          listDomains(tx, scope, { ...query, customerId }),
          deps.customers.requireVisible(tx, scope, customerId),
        ]);
        return found;
      }),
  };
}
