import { comparableIn } from '#kernel/db/comparable.ts';
import { type RawBuilder, sql } from '#kernel/db/database.ts';
import type { Database } from '#kernel/db/schema.ts';

/** Whose data: a customer with the persons in its contacts, or somebody who signs in. */
export interface Subject {
  kind: 'customer' | 'user';
  organisationId: string;
  id: string;
  /** As they are compared (`comparable`): by which files and invitations know the person. Of a customer, the owner's. */
  emails: readonly string[];
  /** The one customer of an MSP_CUSTOMER, who learns nothing of others or of the MSP's money; null for everybody else. */
  onlyCustomer: string | null;
}

/** Which rows of the table `t` are about a subject. */
type Where = (subject: Subject) => RawBuilder<boolean>;

interface Place {
  title: string;
  customer?: Where;
  user?: Where;
  /** Columns that speak of others: left out of what is handed out about a user. */
  ofOthers?: readonly string[];
  /** The MSP's business: left out for a customer's own user. */
  staffOnly?: true;
}

const its: Where = ({ id }) => sql<boolean>`t.customer_id = ${id}`;
const byUser: Where = ({ id }) => sql<boolean>`t.user_id = ${id}`;
const itsCertificates: Where = ({ id, organisationId }) =>
  sql<boolean>`t.certificate_id IN (SELECT c.id FROM certificates c
    WHERE c.organisation_id = ${organisationId} AND c.customer_id = ${id})`;
const itsDomains: Where = ({ id, organisationId }) =>
  sql<boolean>`t.domain_id IN (SELECT d.id FROM domains d
    WHERE d.organisation_id = ${organisationId} AND d.customer_id = ${id})`;

const ofItsWatched: Where = ({ id, organisationId }) =>
  sql<boolean>`t.watched_id IN (SELECT w.id FROM watched_names w
    WHERE w.organisation_id = ${organisationId} AND w.customer_id = ${id})`;

const ofItsAccesses: Where = ({ id, organisationId }) =>
  sql<boolean>`t.access_id IN (SELECT a.id FROM acme_accesses a
    WHERE a.organisation_id = ${organisationId} AND a.customer_id = ${id})`;

/**
 * Every table: where a person's data stands in it, or why there is none. A table that is not in here does not compile,
 * so that no export forgets it.
 */
export const dataMap: Readonly<Record<keyof Database, Place | string>> = {
  customers: { title: 'Customer', customer: ({ id }) => sql<boolean>`t.id = ${id}` },
  users: {
    title: 'User',
    customer: ({ id }) => sql<boolean>`t.customer_id = ${id} AND t.role = 'MSP_CUSTOMER'`,
    user: ({ id }) => sql<boolean>`t.id = ${id}`,
  },
  invites: {
    title: 'Invitations',
    customer: its,
    user: ({ emails }) => sql<boolean>`${comparableIn(sql`t.email`)} = ANY (${emails}::text[])`,
  },
  domains: { title: 'Domains', customer: its },
  transfers: { title: 'Transfers', customer: its },
  auto_renewals: {
    title: 'Automatic renewals',
    customer: ({ id, organisationId }) =>
      sql<boolean>`t.address IN (SELECT d.address FROM domains d
        WHERE d.organisation_id = ${organisationId} AND d.customer_id = ${id})`,
  },
  zone_versions: {
    title: 'DNS history',
    // Of then, not of those whose the domain is now.
    customer: its,
    user: ({ id }) => sql<boolean>`t.author_id = ${id}`,
    ofOthers: ['records', 'changes', 'change_summary'],
  },
  zone_copies: { title: 'DNS copies', customer: itsDomains },
  certificates: { title: 'Certificates', customer: its },
  certificate_reissues: { title: 'Certificate reissues', customer: itsCertificates },
  certificate_issues: { title: 'Issued certificates', customer: itsCertificates },
  attention_items: {
    title: 'What needs attention',
    customer: its,
    user: ({ id }) => sql<boolean>`t.owner_id = ${id}`,
    ofOthers: ['facts'],
    staffOnly: true,
  },
  attention_digests: { title: 'Daily mail of what needs attention', user: byUser },
  moves: {
    title: 'Transfer lists',
    customer: its,
    user: ({ id }) => sql<boolean>`t.author_id = ${id}`,
    staffOnly: true,
  },
  move_lines: {
    title: 'Lines of transfer lists',
    customer: ({ id, organisationId }) =>
      sql<boolean>`t.move_id IN (SELECT m.id FROM moves m
        WHERE m.organisation_id = ${organisationId} AND m.customer_id = ${id})`,
    staffOnly: true,
  },
  health_checks: 'when domains are looked at',
  health_findings: {
    title: 'Findings about domains',
    customer: (subject) => sql<boolean>`(${itsDomains(subject)} OR ${ofItsWatched(subject)})`,
    user: ({ id }) => sql<boolean>`t.muted_by = ${id}`,
    ofOthers: ['detail', 'muted_reason'],
    staffOnly: true,
  },
  watched_names: {
    title: 'Watched domains',
    customer: its,
    user: ({ id }) => sql<boolean>`t.created_by = ${id}`,
    staffOnly: true,
  },
  changes: { title: 'Changes of many domains', user: byUser, staffOnly: true },
  change_items: { title: 'What changes of many domains did', customer: its },
  attention_marks: 'causes that changed, for seconds',
  kept_counts: 'how many rows lists have',
  orders: { title: 'Orders', user: byUser, staffOnly: true },
  order_items: { title: 'Ordered items', customer: its },
  idempotency_keys: {
    title: 'Stored replies',
    customer: ({ id }) => sql<boolean>`t.operation = 'customers.create' AND t.reply ->> 'customerId' = ${id}`,
    user: byUser,
    ofOthers: ['reply'],
    staffOnly: true,
  },
  request_keys: {
    title: 'Kept replies',
    user: ({ id }) => sql<boolean>`t.caller = ${`user:${id}`}`,
    staffOnly: true,
  },
  topups: { title: 'Top-ups', user: byUser, staffOnly: true },
  payment_setup_links: { title: 'Payment setup links', customer: its },
  direct_charges: { title: 'Direct charges', customer: its },
  imports: { title: 'Customer files', user: ({ id }) => sql<boolean>`t.actor_id = ${id}`, staffOnly: true },
  import_rows: {
    title: 'Rows of customer files',
    // A row that could not be read has no customer. A row of another customer is only theirs, even if it names the same people.
    customer: ({ id, emails }) =>
      sql<boolean>`(t.customer_id = ${id} OR (t.customer_id IS NULL AND EXISTS (SELECT FROM unnest(t.cells) cell
        WHERE ${comparableIn(sql`cell`)} = ANY (${emails}::text[]))))`,
  },
  api_tokens: { title: 'API tokens', customer: its, user: byUser },
  legal_holds: { title: 'Registrations held for disputes', customer: its },
  audit_log: {
    title: 'Audit log',
    customer: its,
    user: ({ id }) => sql<boolean>`(t.actor_id = ${id} OR (t.object_kind = 'user' AND t.object = ${id}))`,
  },
  organisations: 'the MSP itself: a business, not a person',
  subject_keys: 'keys, no data',
  import_mappings: 'names of columns',
  audit_heads: 'hashes',
  billing_profiles: 'the MSP’s own account',
  wallets: 'amounts',
  journal: 'amounts, with names of domains and of jobs',
  postings: 'amounts',
  holds: 'amounts',
  direct_charge_items: 'amounts of items that are listed',
  direct_refunds: {
    title: 'Refunds of direct charges',
    customer: ({ id, organisationId }) =>
      sql<boolean>`t.item_id IN (SELECT i.id FROM order_items i
        WHERE i.organisation_id = ${organisationId} AND i.customer_id = ${id})`,
  },
  receipts: 'numbers of orders',
  billing_addresses: 'the MSP’s own name, address and tax number',
  direct_takings: 'amounts of charges that are listed',
  certificate_notices: 'which letter was sent about which certificate',
  price_entries: 'the operator’s list',
  price_versions: 'the operator’s list',
  certificate_products: 'the operator’s list',
  cost_quotes: 'prices of names',
  webhook_events: 'ids at the payment provider',
  payment_sweeps: 'ids of accounts at the payment provider',
  registrar_events: 'names of domains and states, for 120 days',
  registrar_account: 'two amounts',
  reconciliations: 'counts',
  database_place: 'which database this is',
  recoveries: 'counts and times',
  recovery_findings: 'names of domains, ids, amounts',
  reconciliation_differences: 'names of domains, ids, amounts',
  operators: 'those who run the portal, not its users',
  operator_acts: 'what those who run the portal did',
  corrections: 'amounts and reasons of the operator',
  rate_windows: 'counters of minutes',
  renewal_reminders: 'names of domains, dates',
  zone_leases: 'names of domains, for seconds',
  dns_templates: 'records of mail and web providers',
  dns_template_versions: 'records of mail and web providers',
  dns_template_uses: { title: 'DNS templates in use', customer: itsDomains, ofOthers: ['previous'] },
  acme_accounts: {
    title: 'Accounts of ACME clients',
    customer: ofItsAccesses,
  },
  acme_orders: { title: 'Orders of ACME clients', customer: its },
  acme_nonces: 'numbers that were used once',
  acme_compromised_keys: 'hashes of keys',
  saved_views: { title: 'Saved views', user: byUser },
  acme_accesses: { title: 'ACME accesses', customer: its, user: ({ id }) => sql<boolean>`t.made_by = ${id}` },
  acme_access_log: { title: 'Use of ACME accesses', customer: ofItsAccesses },
  acme_allowances: 'limits of a customer, no words',
};

/** Never handed out: secrets, hashes, what the database derives, and what the operator pays. */
export const hiddenColumns: readonly string[] = [
  ...['organisation_id', 'token_hash', 'token_sealed', 'secrets_sealed', 'credentials_sealed', 'data_sealed'],
  ...['hmac_sealed', 'code_sealed', 'reply_sealed', 'cost_cents'],
  ...['previous_hash', 'hash', 'intent_hash', 'request_hash', 'match_key', 'search_text'],
];
