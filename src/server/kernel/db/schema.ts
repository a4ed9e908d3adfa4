import type { BillingAddressesTable, DirectTakingsTable, ReceiptsTable } from './schema/accounting.ts';
import type { AcmeAccessesTable, AcmeAccessLogTable, AcmeAllowancesTable } from './schema/acme.ts';
import type {
  AcmeAccountsTable,
  AcmeCompromisedKeysTable,
  AcmeNoncesTable,
  AcmeOrdersTable,
} from './schema/acme-protocol.ts';
import type { AttentionDigestsTable, AttentionItemsTable, AttentionMarksTable } from './schema/attention.ts';
import type {
  AuditHeadsTable,
  AuditLogTable,
  LegalHoldsTable,
  RateWindowsTable,
  SubjectKeysTable,
} from './schema/audit.ts';
import type {
  BillingProfilesTable,
  DirectChargeItemsTable,
  DirectChargesTable,
  DirectRefundsTable,
  PaymentSetupLinksTable,
  PaymentSweepsTable,
  TopupsTable,
  WebhookEventsTable,
} from './schema/billing.ts';
import type {
  CertificateIssuesTable,
  CertificateNoticesTable,
  CertificateProductsTable,
  CertificateReissuesTable,
  CertificatesTable,
} from './schema/certificates.ts';
import type { ChangeItemsTable, ChangesTable } from './schema/changes.ts';
import type {
  CustomersTable,
  ImportMappingsTable,
  ImportRowsTable,
  ImportsTable,
  KeptCountsTable,
} from './schema/customers.ts';
import type {
  DnsTemplatesTable,
  DnsTemplateUsesTable,
  DnsTemplateVersionsTable,
  ZoneCopiesTable,
  ZoneLeasesTable,
  ZoneVersionsTable,
} from './schema/dns.ts';
import type {
  AutoRenewalsTable,
  DomainsTable,
  RenewalRemindersTable,
  TransfersTable,
} from './schema/domains.ts';
import type { HealthChecksTable, HealthFindingsTable, WatchedNamesTable } from './schema/health.ts';
import type { HoldsTable, JournalTable, PostingsTable, WalletsTable } from './schema/ledger.ts';
import type { MoveLinesTable, MovesTable } from './schema/moves.ts';
import type {
  CorrectionsTable,
  OperatorActsTable,
  OperatorsTable,
  ReconciliationDifferencesTable,
  ReconciliationsTable,
} from './schema/operator.ts';
import type {
  CostQuotesTable,
  IdempotencyKeysTable,
  OrderItemsTable,
  OrdersTable,
  PriceEntriesTable,
  PriceVersionsTable,
  RequestKeysTable,
} from './schema/orders.ts';
import type { ApiTokensTable, InvitesTable, OrganisationsTable, UsersTable } from './schema/people.ts';
import type { DatabasePlaceTable, RecoveriesTable, RecoveryFindingsTable } from './schema/recovery.ts';
import type { RegistrarAccountTable, RegistrarEventsTable } from './schema/registrar.ts';
import type { SavedViewsTable } from './schema/views.ts';

export type * from './schema/accounting.ts';
export type * from './schema/acme.ts';
export type * from './schema/acme-protocol.ts';
export type * from './schema/attention.ts';
export type * from './schema/audit.ts';
export type * from './schema/billing.ts';
export type * from './schema/certificates.ts';
export type * from './schema/changes.ts';
export type * from './schema/customers.ts';
export type * from './schema/dns.ts';
export type * from './schema/domains.ts';
export type * from './schema/health.ts';
export type * from './schema/ledger.ts';
export type * from './schema/moves.ts';
export type * from './schema/operator.ts';
export type * from './schema/orders.ts';
export type * from './schema/people.ts';
export type * from './schema/recovery.ts';
export type * from './schema/registrar.ts';

/** Rows as the database holds them; one interface a table, by area in `schema/`. */
export interface Database {
  registrar_events: RegistrarEventsTable;
  registrar_account: RegistrarAccountTable;
  organisations: OrganisationsTable;
  users: UsersTable;
  invites: InvitesTable;
  customers: CustomersTable;
  imports: ImportsTable;
  import_mappings: ImportMappingsTable;
  import_rows: ImportRowsTable;
  domains: DomainsTable;
  certificates: CertificatesTable;
  certificate_reissues: CertificateReissuesTable;
  certificate_issues: CertificateIssuesTable;
  certificate_notices: CertificateNoticesTable;
  price_entries: PriceEntriesTable;
  certificate_products: CertificateProductsTable;
  cost_quotes: CostQuotesTable;
  wallets: WalletsTable;
  journal: JournalTable;
  postings: PostingsTable;
  holds: HoldsTable;
  kept_counts: KeptCountsTable;
  orders: OrdersTable;
  order_items: OrderItemsTable;
  idempotency_keys: IdempotencyKeysTable;
  request_keys: RequestKeysTable;
  billing_profiles: BillingProfilesTable;
  topups: TopupsTable;
  webhook_events: WebhookEventsTable;
  payment_sweeps: PaymentSweepsTable;
  price_versions: PriceVersionsTable;
  reconciliations: ReconciliationsTable;
  database_place: DatabasePlaceTable;
  recoveries: RecoveriesTable;
  recovery_findings: RecoveryFindingsTable;
  reconciliation_differences: ReconciliationDifferencesTable;
  operators: OperatorsTable;
  operator_acts: OperatorActsTable;
  corrections: CorrectionsTable;
  audit_log: AuditLogTable;
  audit_heads: AuditHeadsTable;
  subject_keys: SubjectKeysTable;
  legal_holds: LegalHoldsTable;
  api_tokens: ApiTokensTable;
  rate_windows: RateWindowsTable;
  auto_renewals: AutoRenewalsTable;
  transfers: TransfersTable;
  renewal_reminders: RenewalRemindersTable;
  zone_versions: ZoneVersionsTable;
  zone_leases: ZoneLeasesTable;
  dns_templates: DnsTemplatesTable;
  dns_template_versions: DnsTemplateVersionsTable;
  dns_template_uses: DnsTemplateUsesTable;
  saved_views: SavedViewsTable;
  zone_copies: ZoneCopiesTable;
  payment_setup_links: PaymentSetupLinksTable;
  direct_charges: DirectChargesTable;
  direct_charge_items: DirectChargeItemsTable;
  direct_refunds: DirectRefundsTable;
  receipts: ReceiptsTable;
  billing_addresses: BillingAddressesTable;
  direct_takings: DirectTakingsTable;
  acme_accesses: AcmeAccessesTable;
  acme_access_log: AcmeAccessLogTable;
  acme_allowances: AcmeAllowancesTable;
  acme_nonces: AcmeNoncesTable;
  acme_accounts: AcmeAccountsTable;
  acme_orders: AcmeOrdersTable;
  acme_compromised_keys: AcmeCompromisedKeysTable;
  attention_items: AttentionItemsTable;
  attention_marks: AttentionMarksTable;
  attention_digests: AttentionDigestsTable;
  health_checks: HealthChecksTable;
  health_findings: HealthFindingsTable;
  watched_names: WatchedNamesTable;
  changes: ChangesTable;
  change_items: ChangeItemsTable;
  moves: MovesTable;
  move_lines: MoveLinesTable;
}
