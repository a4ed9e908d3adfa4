import type { ColumnType, Generated } from 'kysely';

/** Rows as the database holds them; one interface a table, in the order of the migrations. */

/** Set by the database unless given. */
type At = ColumnType<Date, Date | undefined, Date>;
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
/** Kept by the database: never written. */
type Computed<T> = ColumnType<T, never, never>;

export interface Database {
  organisations: OrganisationsTable;
  users: UsersTable;
  invites: InvitesTable;
  customers: CustomersTable;
  imports: ImportsTable;
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
  orders: OrdersTable;
  order_items: OrderItemsTable;
  idempotency_keys: IdempotencyKeysTable;
  billing_profiles: BillingProfilesTable;
  topups: TopupsTable;
  webhook_events: WebhookEventsTable;
  price_versions: PriceVersionsTable;
  reconciliations: ReconciliationsTable;
  reconciliation_differences: ReconciliationDifferencesTable;
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
  zone_copies: ZoneCopiesTable;
  payment_setup_links: PaymentSetupLinksTable;
  direct_charges: DirectChargesTable;
  direct_charge_items: DirectChargeItemsTable;
  direct_refunds: DirectRefundsTable;
}

export interface OrganisationsTable {
  id: string;
  name: string;
  logo_key: string | null;
  default_auto_renew: Generated<boolean>;
  closed_at: Date | null;
  created_at: At;
}

export type UserRole = 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER';

export interface UsersTable {
  id: string;
  organisation_id: string | null;
  identity_issuer: string;
  identity_subject: string;
  email: string;
  email_verified: Generated<boolean>;
  username: Generated<string>;
  role: UserRole;
  customer_id: string | null;
  first_name: Generated<string>;
  last_name: Generated<string>;
  daily_limit_cents: number | null;
  disabled_at: Date | null;
  removed_at: Date | null;
  last_seen_at: Date | null;
  created_at: At;
}

export interface InvitesTable {
  id: string;
  organisation_id: string;
  email: string;
  role: UserRole;
  customer_id: string | null;
  token_hash: Buffer;
  token_sealed: Buffer;
  invited_by: string;
  expires_at: Date;
  accepted_at: Date | null;
  cancelled_at: Date | null;
  created_at: At;
}

export interface StoredContact {
  organization: string;
  firstName: string;
  lastName: string;
  address1: string;
  address2?: string | undefined;
  address3?: string | undefined;
  city: string;
  state: string;
  postalCode: string;
  country: string;
  email: string;
  phone: string;
}

export interface StoredMarkup {
  type: 'percentage' | 'fixed';
  value: number;
}
export interface StoredMarkups {
  domain: { purchase: StoredMarkup; renewal: StoredMarkup };
  certificate: { purchase: StoredMarkup; renewal: StoredMarkup };
}

export interface CustomersTable {
  id: string;
  organisation_id: string;
  owner: Json<StoredContact>;
  admin: Json<StoredContact>;
  billing_contact: Json<StoredContact>;
  bill_directly: Generated<boolean>;
  billing_email: Generated<string>;
  allow_change_billing: Generated<boolean>;
  markups: Json<StoredMarkups>;
  payment_customer_id: string | null;
  payment_method_set: Generated<boolean>;
  payment_method_id: ColumnType<string | null, string | null | undefined, string | null>;
  payment_method_revoked: ColumnType<string | null, string | null | undefined, string | null>;
  allow_domain_settings: Generated<boolean>;
  external_id: string | null;
  version: Generated<number>;
  deleted_at: Date | null;
  created_at: At;
  updated_at: At;
  organization: Computed<string>;
  contact_name: Computed<string>;
  location: Computed<string>;
  search_text: Computed<string>;
}

export interface ImportsTable {
  id: string;
  organisation_id: string;
  upload_key: string;
  file_name: string;
  columns: string[];
  state: 'ready' | 'importing' | 'done' | 'discarded';
  mode: 'all' | 'good' | null;
  notice: Generated<string>;
  new_rows: number;
  changed_rows: number;
  same_rows: number;
  faulty_rows: number;
  rows_done: Generated<number>;
  actor_id: string;
  actor: string;
  actor_ip: string | null;
  actor_role: UserRole;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

export interface ImportRowsTable {
  import_id: string;
  organisation_id: string;
  number: number;
  cells: string[];
  kind: 'new' | 'changed' | 'same' | 'faulty';
  organization: string;
  customer_id: string | null;
  version: number | null;
  match_key: string;
  state: Json<unknown>;
  notes: Json<unknown>;
}

export interface DomainsTable {
  id: string;
  organisation_id: string;
  customer_id: string | null;
  address: string;
  status: 'active' | 'transferring' | 'expired' | 'ended';
  registered_at: Date | null;
  expires_at: Date | null;
  auto_renew: Generated<boolean>;
  locked: boolean | null;
  privacy: boolean | null;
  nameservers: Generated<string[]>;
  credentials_sealed: Buffer | null;
  synced_at: Date | null;
  ended_at: Date | null;
  end_reason: string | null;
  created_at: At;
  renewed_at: Date | null;
  transferred_at: Date | null;
}

export interface CertificatesTable {
  id: string;
  organisation_id: string;
  customer_id: string | null;
  address: string;
  provider: string;
  product_type: string;
  state: string;
  registrar_order_id: string | null;
  registrar_product_id: string | null;
  csr: string;
  validation_method: Generated<string>;
  ordered_at: At;
  term_ends_at: Date | null;
  valid_from: Date | null;
  valid_to: Date | null;
  serial: string | null;
  certificate_pem: string | null;
  chain_pem: string | null;
  order_item_id: string | null;
  synced_at: Date | null;
  proof: OptionalJson<StoredProof>;
  proof_state: 'set' | 'present' | 'missing' | 'waiting' | null;
  proof_checked_at: Date | null;
  approver_email: string | null;
  remark: string | null;
  host_names: Generated<string[]>;
  contacts: OptionalJson<Record<string, unknown>>;
  auto_reissue: Generated<boolean>;
  issued_order_id: string | null;
  downloaded_at: Date | null;
  revoked_at: Date | null;
  next_sync_at: Date | null;
  sync_failures: Generated<number>;
}

/** What the authority wants to see, as the registrar said it last. */
export interface StoredProof {
  method: 'DNS' | 'File' | 'Email';
  dnsName: string | null;
  dnsType: 'TXT' | 'CNAME' | null;
  dnsValue: string | null;
  filePath: string | null;
  fileContent: string | null;
}

export interface CertificateReissuesTable {
  id: string;
  organisation_id: string;
  certificate_id: string;
  csr: string;
  state: 'sending' | 'unknown' | 'running' | 'completed' | 'declined';
  registrar_order_id: string | null;
  automatic: boolean;
  remark: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export interface CertificateIssuesTable {
  organisation_id: string;
  certificate_id: string;
  serial: string;
  valid_from: Date;
  valid_to: Date;
  certificate_pem: string;
  recorded_at: Date;
}

export interface CertificateNoticesTable {
  organisation_id: string;
  certificate_id: string;
  serial: string;
  kind: string;
  sent_at: Date;
}

export interface PriceEntriesTable {
  id: Generated<number>;
  version: number;
  product: string;
  name: string;
  kind: 'new' | 'renewal' | 'transfer';
  /** null: cost plus the default margin again. */
  price_cents: number | null;
  valid_from: At;
}

export interface CertificateProductsTable {
  product_type: string;
  provider: string;
  name: string;
  cost_cents: number;
  business_validated: boolean;
  wildcard: boolean;
  sort: Generated<number>;
  active: Generated<boolean>;
}

export interface CostQuotesTable {
  address: string;
  kind: 'new' | 'renewal' | 'transfer';
  years: number;
  cost_cents: number;
  premium: boolean;
  quoted_at: Date;
}

export interface WalletsTable {
  organisation_id: string;
  posted_cents: Generated<number>;
  held_cents: Generated<number>;
  pending_cents: Generated<number>;
}

export interface JournalTable {
  id: string;
  organisation_id: string;
  kind: string;
  ref: string;
  actor: string;
  text: Generated<string>;
  order_item_id: string | null;
  topup_id: string | null;
  at: At;
}

export type LedgerAccount =
  | 'wallet'
  | 'pending_topups'
  | 'receivable'
  | 'payments_clearing'
  | 'payment_fees'
  | 'registrar_cost'
  | 'revenue'
  | 'disputes'
  | 'adjustments';

export interface PostingsTable {
  id: Generated<number>;
  journal_id: string;
  organisation_id: string;
  account: LedgerAccount;
  cents: number;
}

export interface HoldsTable {
  item_id: string;
  organisation_id: string;
  cents: number;
  state: 'open' | 'captured' | 'released';
  created_at: At;
  ended_at: Date | null;
}

export interface OrdersTable {
  id: string;
  organisation_id: string;
  user_id: string | null;
  source: 'cart' | 'auto_renew' | 'api';
  state: 'held' | 'running' | 'settled' | 'partial' | 'failed';
  total_cents: number;
  attached: Generated<string[]>;
  created_at: At;
  ended_at: Date | null;
}

export type OrderItemKind = 'domain' | 'renewal' | 'transfer' | 'certificate';
export type OrderItemState =
  | 'queued'
  | 'sending'
  | 'pending'
  | 'unknown'
  | 'review'
  | 'succeeded'
  | 'declined';

export interface OrderItemsTable {
  id: string;
  organisation_id: string;
  order_id: string;
  position: number;
  kind: OrderItemKind;
  address: string;
  customer_id: string | null;
  years: number;
  price_cents: number;
  cost_cents: number;
  details: Json<Record<string, unknown>>;
  secrets_sealed: Buffer | null;
  state: OrderItemState;
  attempt: Generated<number>;
  intent_hash: string | null;
  sent_at: Date | null;
  unknown_since: Date | null;
  next_check_at: Date | null;
  checks: Generated<number>;
  registrar_order_id: string | null;
  expiry_year: number | null;
  public_error: string | null;
  outcome_note: string | null;
  created_at: At;
  updated_at: At;
}

export interface IdempotencyKeysTable {
  organisation_id: string;
  user_id: string;
  key: string;
  operation: string;
  request_hash: string;
  status: number | null;
  reply: ColumnType<unknown, string | null, string | null>;
  order_id: string | null;
  created_at: At;
}

export interface BillingProfilesTable {
  organisation_id: string;
  payment_customer_id: string | null;
  payment_method_id: string | null;
  payment_account_id: string | null;
  payment_account_ready: Generated<boolean>;
  initial_fee_paid: Generated<boolean>;
  auto_topup: Generated<boolean>;
  auto_topup_cents: Generated<number>;
  auto_topup_mark_cents: Generated<number>;
  auto_topup_paused_until: Date | null;
  auto_topup_declines: Generated<number>;
  updated_at: At;
}

export type TopupState =
  | 'requested'
  | 'requires_action'
  | 'processing'
  | 'failed'
  | 'cancelled'
  | 'succeeded'
  | 'reversed';

export interface TopupsTable {
  id: string;
  organisation_id: string;
  user_id: string | null;
  kind: 'manual' | 'initial' | 'auto';
  cents: number;
  payment_intent: string | null;
  state: TopupState;
  rank: Generated<number>;
  pending_cents: Generated<number>;
  reversed_cents: Generated<number>;
  fee_cents: Generated<number>;
  method: string | null;
  failure: string | null;
  created_at: At;
  version: Generated<number>;
  updated_at: At;
}

export interface WebhookEventsTable {
  id: string;
  type: string;
  account: string | null;
  object_id: string | null;
  payload: Json<unknown>;
  received_at: At;
  applied_at: Date | null;
  attempts: Generated<number>;
  last_error: string | null;
}

export interface AuditLogTable {
  organisation_id: string;
  sequence: number;
  at: At;
  actor_id: string | null;
  actor: string;
  ip: string | null;
  action: string;
  object_kind: string;
  object: string;
  customer_id: string | null;
  before: ColumnType<unknown, string | null, never>;
  after: ColumnType<unknown, string | null, never>;
  previous_hash: Buffer;
  hash: Buffer;
}

export interface AuditHeadsTable {
  organisation_id: string;
  rows: number;
  head_sealed: Buffer;
  at: Date;
}

/** What the log says of a person is sealed with that person's key. */
export interface SubjectKeysTable {
  organisation_id: string;
  subject_id: string;
  key: Buffer;
  created_at: At;
}

/** What must be kept of an erased person, and until when. */
export interface LegalHoldsTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  address: string;
  data_sealed: Buffer;
  ended_at: Date;
  delete_after: Date;
  created_at: At;
}

export interface ApiTokensTable {
  id: string;
  organisation_id: string;
  user_id: string;
  name: string;
  token_hash: Buffer;
  permissions: string[];
  customer_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: At;
}

export interface RateWindowsTable {
  key: string;
  window_start: Date;
  hits: number;
}

export interface StoredZone {
  A: { subdomain: string; ip_address: string }[];
  AAAA: { subdomain: string; ipv6_address: string }[];
  CNAME: { subdomain: string; hostname: string }[];
  MX: { subdomain: string; hostname: string; priority: number }[];
  TXT: { subdomain: string; text: string }[];
  SRV: { subdomain: string; hostname: string; priority: number; weight: number; port: number }[];
}

export interface ZoneVersionsTable {
  id: string;
  sequence: Generated<number>;
  organisation_id: string;
  domain_id: string;
  records: Json<StoredZone>;
  record_count: number;
  hash: string;
  state: 'writing' | 'applied' | 'refused' | 'unknown' | 'found' | 'staged';
  author_id: string | null;
  author: string;
  reason: string;
  created_at: Date;
}

export interface ZoneLeasesTable {
  organisation_id: string;
  address: string;
  holder: string;
  expires_at: Date;
}

export interface DnsTemplatesTable {
  id: string;
  organisation_id: string;
  name: string;
  records: Json<StoredZone>;
  created_at: At;
}
export interface PaymentSetupLinksTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  token_hash: Buffer;
  email: string;
  expires_at: Date;
  created_at: At;
}

export type DirectChargeState = 'collecting' | 'sending' | 'processing' | 'succeeded' | 'failed' | 'waived';

export interface DirectChargesTable {
  id: string;
  organisation_id: string;
  customer_id: string;
  order_id: string;
  part: number;
  cents: number;
  state: DirectChargeState;
  attempt: Generated<number>;
  payment_intent: string | null;
  refunded_cents: Generated<number>;
  returned_cents: Generated<number>;
  failure: string | null;
  next_try_at: Date | null;
  note: string | null;
  created_at: At;
  updated_at: At;
  sent_at: Date | null;
}

export interface DirectChargeItemsTable {
  item_id: string;
  organisation_id: string;
  charge_id: string;
  price_cents: number;
  markup_cents: number;
}

export interface DirectRefundsTable {
  item_id: string;
  organisation_id: string;
  charge_id: string | null;
  cents: Generated<number>;
  state: 'wanted' | 'sending' | 'done' | 'failed' | 'none';
  refund_id: string | null;
  failure: string | null;
  reason: Generated<string>;
  created_at: At;
  updated_at: At;
}

export interface AutoRenewalsTable {
  organisation_id: string;
  address: string;
  expiry_year: number;
  expires_at: Date;
  state: 'intended' | 'ordered' | 'unable' | 'done' | 'dropped';
  attempt: Generated<number>;
  price_cents: number;
  order_id: string | null;
  reason_kind: 'funds' | 'refused' | null;
  reason: string | null;
  next_try_at: Date | null;
  told_at: Date | null;
  updated_at: Date;
}

export interface RenewalRemindersTable {
  organisation_id: string;
  address: string;
  expiry_year: number;
  days: number;
  sent_at: Date;
}

export interface TransfersTable {
  id: string;
  organisation_id: string;
  address: string;
  customer_id: string | null;
  requested_at: Date;
  registrar_status: string | null;
  status_since: Date | null;
  asked_at: Date | null;
  nameservers_before: string[] | null;
  nameservers_after: string[] | null;
  compared_at: Date | null;
  completed_at: Date | null;
  failed_at: Date | null;
  reason: string | null;
}
/** One row a change of the price list; the entries stand under the same number. */
export interface PriceVersionsTable {
  version: number;
  valid_from: Date;
  note: Generated<string>;
  created_at: At;
}

export interface ReconciliationsTable {
  id: string;
  started_at: Date;
  ended_at: Date | null;
  since: Date;
  items: Generated<number>;
  registrar_orders: Generated<number>;
  payments: Generated<number>;
  differences: Generated<number>;
  incomplete: string | null;
}

export interface ReconciliationDifferencesTable {
  id: string;
  kind: DifferenceKind;
  subject: string;
  organisation_id: string | null;
  text: string;
  first_seen_at: Date;
  last_seen_at: Date;
  settled_at: Date | null;
}

export type DifferenceKind =
  | 'ledger'
  | 'charged-without-order'
  | 'order-without-charge'
  | 'order-twice'
  | 'order-unknown'
  | 'cost-differs'
  | 'payment-without-credit'
  | 'credit-without-payment'
  | 'payment-differs'
  | 'payment-unknown'
  | 'name-missing'
  | 'name-unknown';

export interface ZoneCopiesTable {
  domain_id: string;
  organisation_id: string;
  nameservers: string[];
  body: string;
  checked_at: Date;
}
