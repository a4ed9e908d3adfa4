import type { OperationSpec } from './operation.ts';
import * as acme from './operations/acme.ts';
import * as attention from './operations/attention.ts';
import * as audit from './operations/audit.ts';
import * as billing from './operations/billing.ts';
import * as certificates from './operations/certificates.ts';
import * as changes from './operations/changes.ts';
import * as customerImport from './operations/customer-import.ts';
import * as customers from './operations/customers.ts';
import * as directBilling from './operations/direct-billing.ts';
import * as dns from './operations/dns.ts';
import * as dnsRecords from './operations/dns-records.ts';
import * as dnsTemplates from './operations/dns-templates.ts';
import * as domainContacts from './operations/domain-contacts.ts';
import * as domainSettings from './operations/domain-settings.ts';
import * as domains from './operations/domains.ts';
import * as earnings from './operations/earnings.ts';
import * as health from './operations/health.ts';
import * as moves from './operations/moves.ts';
import * as operator from './operations/operator.ts';
import * as operators from './operations/operators.ts';
import * as orders from './operations/orders.ts';
import * as overview from './operations/overview.ts';
import * as paymentLink from './operations/payment-link.ts';
import * as privacy from './operations/privacy.ts';
import * as recovery from './operations/recovery.ts';
import * as renewals from './operations/renewals.ts';
import * as statement from './operations/statement.ts';
import * as system from './operations/system.ts';
import * as tokens from './operations/tokens.ts';
import * as transfers from './operations/transfers.ts';
import * as users from './operations/users.ts';
import * as views from './operations/views.ts';

/** Whatever an operations file exports besides operations (schemas, texts) is left out. */
function operationsIn(module: Record<string, unknown>): OperationSpec[] {
  return Object.values(module).filter(
    (value): value is OperationSpec =>
      typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'path' in value,
  );
}

/** Every operation of the API. A feature's file is added here once. */
export const operations: readonly OperationSpec[] = [
  system,
  users,
  attention,
  audit,
  tokens,
  customers,
  customerImport,
  domains,
  domainSettings,
  domainContacts,
  health,
  dns,
  dnsRecords,
  dnsTemplates,
  changes,
  orders,
  moves,
  certificates,
  acme,
  billing,
  directBilling,
  paymentLink,
  statement,
  earnings,
  overview,
  renewals,
  transfers,
  operator,
  operators,
  recovery,
  privacy,
  views,
].flatMap((module) => operationsIn(module));
