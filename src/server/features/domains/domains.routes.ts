import { setDomainContacts } from '#contracts/operations/domain-contacts.ts';
import {
  getDomainDetails,
  lockDomain,
  resendVerification,
  setAutoRenew,
  setPrivacy,
  unlockDomain,
  updateNameservers,
} from '#contracts/operations/domain-settings.ts';
import {
  type DomainRow,
  listCustomerDomains,
  listDomains,
  lookupDomain,
  lookupDomains,
  suggestDomains,
} from '#contracts/operations/domains.ts';
import { cancelTransfer, checkTransfer, getTransfer } from '#contracts/operations/transfers.ts';
import { type Binding, bind, type WrittenPage, writtenPage } from '#kernel/binding.ts';
import type { DomainsApi } from './domains.service.ts';

export function domainRoutes(domains: DomainsApi): Binding[] {
  const { settings, transfers, verification } = domains;
  return [
    bind(listDomains, async ({ scope, query }) => pageOf(await domains.list(scope, query), query)),
    bind(listCustomerDomains, async ({ scope, params, query }) =>
      pageOf(await domains.listForCustomer(scope, params.customerId, query), query),
    ),
    bind(lookupDomain, ({ scope, params, query }) =>
      domains.lookup(scope, params.address, query.suggestions !== 'none'),
    ),
    bind(lookupDomains, ({ scope, body }) => domains.lookupList(scope, body.names)),
    bind(suggestDomains, ({ scope, params }) => domains.suggestions(scope, params.address)),
    bind(getDomainDetails, ({ scope, params, query, requireFreshSignIn }) =>
      settings.details(scope, params.domain, query.type, requireFreshSignIn),
    ),
    bind(lockDomain, ({ scope, body }) => settings.setLock(scope, body.domain, true)),
    bind(unlockDomain, ({ scope, body }) => settings.setLock(scope, body.domain, false)),
    bind(setPrivacy, ({ scope, body }) => settings.setPrivacy(scope, body.domain, body.enabled)),
    bind(resendVerification, ({ scope, body }) => verification.resend(scope, body.domain)),
    bind(checkTransfer, ({ scope, body }) => transfers.check(scope, body.domain)),
    bind(getTransfer, ({ scope, params }) => transfers.status(scope, params.domain)),
    bind(cancelTransfer, ({ scope, body }) => transfers.cancel(scope, body.domain)),
    bind(setAutoRenew, ({ scope, body }) => settings.setAutoRenew(scope, body.domain, body.enabled)),
    bind(setDomainContacts, ({ scope, params, body }) => settings.setContacts(scope, params.domain, body)),
    bind(updateNameservers, ({ scope, params, body }) => settings.setNameservers(scope, params.domain, body)),
  ];
}

/** Each row was made field by field of the contract. Checking them once more takes as long as writing them. */
function pageOf(
  { rows, total }: { rows: readonly DomainRow[]; total: number },
  query: { page?: number | undefined; pageSize: number },
): WrittenPage {
  return writtenPage(JSON.stringify(rows), total, query);
}
