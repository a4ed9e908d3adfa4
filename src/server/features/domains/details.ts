import type { DomainDetails, RegistryContact } from '#contracts/operations/domain-settings.ts';
import { type LifePeriods, stationsOf } from '#contracts/values/domain-life.ts';
import type { Contact, RegistrarDomain } from '../../ports/registrar.ts';
import { restorableUntil } from './redemption.rules.ts';
import type { DomainRecord } from './settings.repo.ts';

/** What the operator's configuration says about the registrar and the registry. */
export interface RegistrarFacts {
  /** Hosts of the registrar's DNS: a delegation to these is managed DNS. */
  nameservers: readonly string[];
  periods: LifePeriods;
}

/** Row and registrar's word to the shape of P2 §3. `read` null: the portal's own copy. */
export function detailsOf(
  row: DomainRecord,
  read: RegistrarDomain | null,
  extra: { authCode?: string | null; readAt: Date; facts: RegistrarFacts },
): DomainDetails {
  const registeredAt = read?.registeredAt ?? row.registered_at;
  const expiresAt = row.status === 'transferring' ? null : (read?.expiresAt ?? row.expires_at);
  const nameservers = read?.nameservers ?? row.nameservers;
  const locked = read?.locked ?? row.locked ?? true;
  const syncedAt = read ? extra.readAt : row.synced_at;
  return {
    domain: row.address,
    customerId: row.customer_id,
    customer: row.customer,
    status: statusOf(row.status, expiresAt, extra.readAt),
    missing: row.missing_since !== null,
    registry_createdate: registeredAt?.toISOString() ?? null,
    registry_expiredate: expiresAt?.toISOString() ?? null,
    nameserver_list: nameservers.map((name) => ({ name })),
    managed_dns: nameservers.length === 0 ? null : isManaged(nameservers, extra.facts.nameservers),
    contact_set: contactsOf(read),
    domain_auth_info: extra.authCode ?? null,
    // The portal's own switch decides over automatic renewal (decisions no. 25).
    ext_results: [{ [row.address]: { lock_state: locked ? 1 : 0, auto_renew: row.auto_renew ? 1 : 0 } }],
    restorable_until: restorableUntil(row, extra.readAt)?.toISOString() ?? null,
    privacy: row.status === 'transferring' ? null : read ? read.privacy : row.privacy,
    verification: verificationOf(row),
    live: read !== null,
    syncedAt: syncedAt?.toISOString() ?? null,
    registrant_lock_days: extra.facts.periods.registrantLockDays,
    stations: stationsOf(
      {
        registeredAt,
        transferredAt: read?.transferredAt ?? row.transferred_at,
        renewedAt: row.renewed_at,
        expiresAt,
        restorableUntil: restorableUntil(row, extra.readAt),
      },
      extra.facts.periods,
    ),
  };
}

function verificationOf(row: DomainRecord): DomainDetails['verification'] {
  // During a transfer the registrant is the former registrar's business.
  if (!row.verification || row.status === 'transferring') return null;
  return {
    state: row.verification,
    deadline: row.verification_deadline?.toISOString() ?? null,
    bounced: row.verification_bounced,
    sentAt: row.verification_sent_at?.toISOString() ?? null,
  };
}

function statusOf(stored: DomainRecord['status'], expiresAt: Date | null, now: Date) {
  if (stored === 'active' && expiresAt && expiresAt < now) return 'expired';
  return stored;
}

function contactsOf(read: RegistrarDomain | null): DomainDetails['contact_set'] {
  const set: DomainDetails['contact_set'] = {};
  for (const type of ['tech', 'billing', 'owner', 'admin'] as const) {
    const contact = read?.contacts[type];
    if (contact) set[type] = toRegistry(contact);
  }
  return set;
}

function toRegistry(contact: Contact): RegistryContact {
  return {
    first_name: contact.firstName,
    last_name: contact.lastName,
    org_name: contact.organization,
    address1: contact.address1,
    address2: contact.address2 ?? '',
    address3: contact.address3 ?? '',
    city: contact.city,
    state: contact.state,
    postal_code: contact.postalCode,
    country: contact.country,
    email: contact.email,
    phone: contact.phone,
  };
}

/** Whether every name of a delegation is one of the provider's. */
export function isManaged(delegation: readonly string[], provider: readonly string[]): boolean {
  return delegation.length > 0 && delegation.every((name) => provider.includes(name));
}
