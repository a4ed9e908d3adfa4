import type { ErasureBlocker } from '#contracts/operations/privacy.ts';
import { inPlainWords } from '#contracts/values/kept-words.ts';
import { comparable } from '#kernel/comparable.rules.ts';
import { type Db, type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import { pageOffset } from '#kernel/db/page.ts';
import type { CustomersTable, LegalHoldsTable, StoredContact } from '#kernel/db/schema.ts';
import { containsWords, patternOf, searchPatterns } from '#kernel/db/search.ts';
import type { Scope } from '#kernel/scope.ts';
import { openValues } from '#kernel/subject-keys.ts';
import { cellsWithoutMarkups, isForCustomer, withoutBusiness } from './business.rules.ts';
import { dataMap, hiddenColumns, type Subject } from './data-map.ts';

type Tenant = Pick<Scope, 'organisationId'>;

export interface Section {
  title: string;
  rows: Record<string, unknown>[];
}

/** All rows about a subject, table by table; what the log has sealed for it is opened. */
export async function collect(tx: Tx, subject: Subject): Promise<Section[]> {
  const sections: Section[] = [];
  for (const [table, place] of Object.entries(dataMap)) {
    if (typeof place === 'string') continue;
    const where = place[subject.kind];
    if (!where || (place.staffOnly && subject.onlyCustomer !== null)) continue;
    const hidden = [...hiddenColumns, ...(subject.kind === 'user' ? (place.ofOthers ?? []) : [])];
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      SELECT to_jsonb(t) - ${hidden}::text[] AS row FROM ${sql.table(table)} t
      WHERE t.organisation_id = ${subject.organisationId} AND ${where(subject)}`
      .execute(tx)
      .catch((error: unknown) => {
        throw new Error(`export of ${table}`, { cause: error });
      });
    const found = rows.map(({ row }) => row).filter((row) => isTold(subject, row));
    if (table === 'audit_log') await openEntries(tx, subject, found);
    if (table === 'import_rows') await leaveMarkups(tx, subject, found);
    const told = isForCustomer(subject) ? found.map(withoutBusiness) : found;
    if (told.length > 0) sections.push({ title: place.title, rows: told });
  }
  return sections;
}

/** A customer's own user sees no other customer, even if they once worked for the MSP. */
function isTold({ onlyCustomer }: Subject, row: Record<string, unknown>): boolean {
  const of = row.customer_id ?? null;
  return onlyCustomer === null || of === null || of === onlyCustomer;
}

/** Cells have no names of their own: which of them are the MSP's markups, the columns of their file say. */
async function leaveMarkups(tx: Tx, subject: Subject, rows: Record<string, unknown>[]): Promise<void> {
  const { rows: files } = await sql<{ id: string; columns: string[] }>`SELECT id, columns FROM imports
    WHERE organisation_id = ${subject.organisationId} AND id = ANY (${rows.map((row) => row.import_id)}::uuid[])`.execute(
    tx,
  );
  const columns = new Map(files.map((file) => [file.id, file.columns]));
  for (const row of rows) {
    row.cells = cellsWithoutMarkups(columns.get(String(row.import_id)) ?? [], row.cells as string[]);
  }
}

/** What a user did to others is told without what those are like. */
async function openEntries(tx: Tx, subject: Subject, entries: Record<string, unknown>[]): Promise<void> {
  const isIts = (entry: Record<string, unknown>) =>
    subject.kind === 'customer' || entry.object === subject.id;
  const values = entries.flatMap((entry) => (isIts(entry) ? [entry.before, entry.after] : [null, null]));
  const opened = await openValues(tx, subject.organisationId, values);
  entries.forEach((entry, index) => {
    // Where others act from is not this person's to know, on the screen neither.
    const ip = entry.actor_id === subject.id ? entry.ip : null;
    const [before, after] = opened.slice(index * 2, index * 2 + 2).map(inPlainWords);
    Object.assign(entry, { ip, before, after });
  });
}

/** A customer of the organisation, deleted or not. */
export function findCustomerRow(tx: Tx, scope: Tenant, id: string) {
  return tx
    .selectFrom('customers')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A user of the organisation, removed or not. */
export function findUserRow(tx: Tx, scope: Tenant, id: string) {
  return tx
    .selectFrom('users')
    .select(['id', 'role', 'email', 'customer_id'])
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** What of a customer is still under way, most urgent first. */
export async function findBlockers(
  tx: Tx,
  scope: Tenant,
  customerId: string,
  now: Date,
): Promise<Pick<ErasureBlocker, 'kind' | 'subject'>[]> {
  const { rows } = await sql<Pick<ErasureBlocker, 'kind' | 'subject'>>`
    SELECT 'domain' AS kind, d.address AS subject FROM domains d
      WHERE d.organisation_id = ${scope.organisationId} AND d.customer_id = ${customerId} AND d.status <> 'ended'
    UNION ALL SELECT 'order', i.address FROM order_items i
      WHERE i.organisation_id = ${scope.organisationId} AND i.customer_id = ${customerId}
        AND i.state NOT IN ('succeeded', 'declined')
    UNION ALL SELECT 'transfer', t.address FROM transfers t
      WHERE t.organisation_id = ${scope.organisationId} AND t.customer_id = ${customerId}
        AND t.completed_at IS NULL AND t.failed_at IS NULL
    UNION ALL SELECT 'certificate', s.address FROM certificates s
      WHERE s.organisation_id = ${scope.organisationId} AND s.customer_id = ${customerId}
        AND s.state NOT IN ('declined', 'cancelled', 'revoked', 'expired')
        AND (s.valid_to IS NULL OR s.valid_to > ${now})
    UNION ALL SELECT 'charge', c.order_id::text FROM direct_charges c
      WHERE c.organisation_id = ${scope.organisationId} AND c.customer_id = ${customerId}
        AND c.state NOT IN ('succeeded', 'waived')
    UNION ALL SELECT 'refund', i.address FROM direct_refunds r
        JOIN order_items i ON i.id = r.item_id AND i.organisation_id = r.organisation_id
      WHERE r.organisation_id = ${scope.organisationId} AND i.customer_id = ${customerId}
        AND r.state IN ('wanted', 'sending')
    UNION ALL SELECT 'import', m.file_name FROM imports m
      WHERE m.organisation_id = ${scope.organisationId} AND m.state = 'importing'
    LIMIT 100`.execute(tx);
  return rows;
}

export interface EndedRegistration {
  address: string;
  registered_at: Date | null;
  ended_at: Date;
  /** Contacts of each order for the name, as they stood. */
  ordered: unknown[] | null;
}

/** A customer's registrations that ended after this day. */
export async function endedSince(
  tx: Tx,
  scope: Tenant,
  customerId: string,
  since: Date,
): Promise<EndedRegistration[]> {
  const ended = sql`coalesce(d.ended_at, d.expires_at, d.created_at)`;
  const { rows } = await sql<EndedRegistration>`
    SELECT d.address, d.registered_at, ${ended} AS ended_at,
      (SELECT jsonb_agg(i.details -> 'contacts' ORDER BY i.created_at) FROM order_items i
       WHERE i.organisation_id = d.organisation_id AND i.address = d.address AND i.customer_id = d.customer_id
         AND i.details ? 'contacts') AS ordered
    FROM domains d
    WHERE d.organisation_id = ${scope.organisationId} AND d.customer_id = ${customerId} AND d.status = 'ended'
      AND ${ended} > ${since}
    ORDER BY d.address`.execute(tx);
  return rows;
}

export async function countKept(tx: Tx, scope: Tenant, customerId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(DISTINCT order_id)::int AS n FROM order_items
    WHERE organisation_id = ${scope.organisationId} AND customer_id = ${customerId}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** What a hold is sealed for. */
export const holdContext = (organisationId: string, id: string) => `legal-hold:${organisationId}:${id}`;

/** Holds once for each registration, however often the same customer is erased. */
export async function insertHold(
  tx: Tx,
  hold: Omit<Selectable<LegalHoldsTable>, 'created_at'>,
): Promise<void> {
  await tx
    .insertInto('legal_holds')
    .values(hold)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function findHolds(tx: Tx, scope: Tenant, by: { address: string } | { customerId: string }) {
  const select = tx.selectFrom('legal_holds').selectAll().where('organisation_id', '=', scope.organisationId);
  return (
    'address' in by
      ? select.where('address', '=', by.address)
      : select.where('customer_id', '=', by.customerId)
  )
    .orderBy('ended_at', 'desc')
    .execute();
}

/** Across tenants: what need not be kept any longer. */
export async function deleteDueHolds(systemDb: Db, now: Date): Promise<number> {
  const result = await systemDb.deleteFrom('legal_holds').where('delete_after', '<=', now).executeTakeFirst();
  return Number(result.numDeletedRows);
}

type PersonColumns = Pick<
  Selectable<CustomersTable>,
  'owner' | 'admin' | 'billing_contact' | 'billing_email'
>;

/** By what a waiting letter would be known to speak of these persons. */
export function wordsAbout(customer: PersonColumns): string[] {
  const contacts: StoredContact[] = [customer.owner, customer.admin, customer.billing_contact];
  const words = contacts.flatMap(({ email, phone, firstName, lastName }) => [
    ...[email, phone],
    firstName && lastName ? `${firstName} ${lastName}` : '',
  ]);
  return [...new Set([...words, customer.billing_email])].filter((word) => word !== '');
}

/** The address of a customer's owner, as it is compared. Admin and billing may be a desk that many customers have. */
export function ownerEmailOf({ owner }: Pick<PersonColumns, 'owner'>): string[] {
  const email = comparable(owner.email);
  // An empty one would be found in every empty cell.
  return email === '' ? [] : [email];
}

/** Addresses of a customer's persons, in lower case. */
export function emailsOf(customer: PersonColumns): string[] {
  const { owner, admin, billing_contact, billing_email } = customer;
  const all = [owner.email, admin.email, billing_contact.email, billing_email];
  return [...new Set(all.map((email) => email.toLowerCase()))].filter((email) => email !== '');
}

/** A page of those who are gone: latest first, unless it says otherwise. */
export interface FormerQuery {
  /** From 1. */
  page: number;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
}

const directionOf = ({ sort = '-' }: FormerQuery) => (sort.startsWith('-') ? 'desc' : 'asc');

/** Deleted customers whose people are still known, found by words of their contacts. An erased customer has no address. */
export async function formerCustomers(
  tx: Tx,
  scope: Tenant,
  query: FormerQuery,
): Promise<{ rows: { id: string; organization: string; at: Date }[]; total: number }> {
  const words = query.search?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const known = containsWords('search_text', searchPatterns(words).patterns).reduce(
    (select, condition) => select.where(condition),
    tx
      .selectFrom('customers')
      .where('organisation_id', '=', scope.organisationId)
      .where('deleted_at', 'is not', null)
      .where(sql<boolean>`owner ->> 'email' <> ''`),
  );
  const [{ total }, rows] = await Promise.all([
    known.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    known
      .select(['id', 'organization', sql<Date>`deleted_at`.as('at')])
      .orderBy('deleted_at', directionOf(query))
      .orderBy('id', directionOf(query))
      .limit(query.pageSize)
      .offset(pageOffset(query))
      .execute(),
  ]);
  return { rows, total: Number(total) };
}

/** Removed users who are still known, found by a part of their address. */
export async function formerUsers(
  tx: Tx,
  scope: Tenant,
  query: FormerQuery,
): Promise<{ rows: { id: string; email: string; at: Date }[]; total: number }> {
  const pattern = patternOf(query.search);
  const known = tx
    .selectFrom('users')
    .where('organisation_id', '=', scope.organisationId)
    .where('removed_at', 'is not', null)
    .where('identity_issuer', '<>', 'erased')
    .$if(pattern !== null, (select) => select.where(sql<boolean>`lower(email) LIKE ${pattern}`));
  const [{ total }, rows] = await Promise.all([
    known.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    known
      .select(['id', 'email', sql<Date>`removed_at`.as('at')])
      .orderBy('removed_at', directionOf(query))
      .orderBy('id', directionOf(query))
      .limit(query.pageSize)
      .offset(pageOffset(query))
      .execute(),
  ]);
  return { rows, total: Number(total) };
}
