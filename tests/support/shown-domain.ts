import type { DomainDetails, RegistryContact } from '../../src/contracts/operations/domain-settings.ts';
import { type Call, uuid } from './screen.tsx';

/** One domain as the portal shows it, for tests of screens. */

export interface ShownDomain extends Omit<DomainDetails, 'ext_results'> {
  locked: boolean;
  autoRenew: boolean;
}

/** `acme.com` of the customer Acme: active, locked, renewed by the portal, on its owner's nameservers. */
export function detailsOf({ locked = true, autoRenew = true, ...more }: Partial<ShownDomain> = {}) {
  const domain = more.domain ?? 'acme.com';
  const details: DomainDetails = {
    ...{ domain, customerId: uuid(21), customer: 'Acme', status: 'active', missing: false },
    ...{ registry_createdate: '2020-03-01T12:00:00Z', registry_expiredate: '2036-03-01T12:00:00Z' },
    nameserver_list: [{ name: 'ns1.acme.net' }, { name: 'ns2.acme.net' }],
    ...{ managed_dns: false, contact_set: {}, domain_auth_info: null },
    ext_results: [{ [domain]: { lock_state: locked ? 1 : 0, auto_renew: autoRenew ? 1 : 0 } }],
    ...{ restorable_until: null, privacy: false, verification: null },
    ...{ live: true, syncedAt: '2026-11-20T12:00:00Z', registrant_lock_days: 60, stations: [] },
    ...more,
  };
  return details;
}

/** A person as the registrar has them. */
export function registrantOf(more: Partial<RegistryContact> = {}): RegistryContact {
  return {
    ...{ first_name: 'Zoe', last_name: 'Quinn', org_name: 'Acme Inc', address1: '1 Main St' },
    ...{ address2: '', address3: '', city: 'Troy', state: 'NY', postal_code: '12180', country: 'US' },
    ...{ email: 'zoe@acme.example', phone: '+1.5185550100', ...more },
  };
}

/** Answers each reading of a domain with what it is now; the auth password to the one call that asks for it. */
export function readingOf(now: () => Partial<ShownDomain>, password: string | null = null) {
  return ({ query }: Call): DomainDetails => {
    const known = detailsOf(now());
    if (query.type === 'domain_auth_info') return { ...known, domain_auth_info: password };
    return query.type === 'all_info' ? known : { ...known, live: false };
  };
}
