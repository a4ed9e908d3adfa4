import { comparableIn } from '#kernel/db/comparable.ts';
import { type Selectable, sql, type Tx } from '#kernel/db/database.ts';
import type { CustomersTable, StoredContact } from '#kernel/db/schema.ts';
import type { Scope } from '#kernel/scope.ts';
import { type Signs, tellingSigns, wordsOf } from './erasure.rules.ts';

type Tenant = Pick<Scope, 'organisationId'>;

/** A customer, deleted or not, that nobody changes before this transaction ends; orders for it wait, and then see it. */
export function lockForErasure(
  tx: Tx,
  scope: Tenant,
  id: string,
): Promise<Selectable<CustomersTable> | undefined> {
  return tx
    .selectFrom('customers')
    .selectAll()
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Puts nobody in place of the persons of a customer, which is deleted with it. Its number stays: orders name it. */
export async function eraseCustomerRow(tx: Tx, scope: Tenant, id: string, now: Date): Promise<void> {
  const nobody = JSON.stringify(erasedContact(id));
  await tx
    .updateTable('customers')
    .set((eb) => ({
      owner: nobody,
      admin: nobody,
      billing_contact: nobody,
      bill_directly: false,
      billing_email: '',
      payment_customer_id: null,
      payment_method_set: false,
      payment_method_id: null,
      payment_method_revoked: null,
      external_id: null,
      version: eb('version', '+', 1),
      deleted_at: eb.fn.coalesce('deleted_at', eb.val(now)),
      updated_at: now,
    }))
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .execute();
}

/** Of these words, in lower case, those by which other customers, or users who are still there, are known as well. */
async function wordsOfOthers(
  tx: Tx,
  scope: Tenant,
  customerId: string,
  words: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ word: string }>`
    SELECT DISTINCT k.word FROM customers c,
      LATERAL (VALUES (c.owner), (c.admin), (c.billing_contact)) p(person),
      LATERAL (VALUES (${comparableIn(sql`person ->> 'email'`)}), (${comparableIn(sql`person ->> 'organization'`)}),
        (${comparableIn(sql`c.billing_email`)}),
        (${comparableIn(sql`person ->> 'firstName'`)} || ' ' || ${comparableIn(sql`person ->> 'lastName'`)})) k(word)
    WHERE c.organisation_id = ${scope.organisationId} AND c.id <> ${customerId} AND k.word = ANY (${words}::text[])
    UNION SELECT ${comparableIn(sql`email`)} FROM users
    WHERE organisation_id = ${scope.organisationId} AND removed_at IS NULL
      AND ${comparableIn(sql`email`)} = ANY (${words}::text[])`.execute(tx);
  return new Set(rows.map(({ word }) => word));
}

/** What a file that waits for a person says when rows have gone from it. */
const takenOut =
  'Rows about a customer whose data was erased were taken out of this file. Please review it again before you import it.';

/**
 * Removes a customer, or everyone who is known by such signs, from customer files. Rows of another customer stay, even if they name the
 * same people. Rows of no customer go by their signs: they could not be read, or importing them would bring the person back. The other
 * rows of a file that waits for a person stay: they are a colleague's work, and are looked at again. A file without rows is discarded.
 */
export async function eraseFromImports(
  tx: Tx,
  scope: Tenant,
  who: { customerId: string; signs: Signs },
  now: Date,
): Promise<void> {
  const others = await wordsOfOthers(tx, scope, who.customerId, wordsOf(who.signs));
  const { alone, together, organizations, names } = tellingSigns(who.signs, others);
  const tells = sql`SELECT FROM (SELECT array_agg(${comparableIn(sql`cell`)}) AS said FROM unnest(r.cells) cell) c
    WHERE said && ${alone}::text[] OR (said && ${together}::text[] AND (said && ${organizations}::text[]
      OR EXISTS (SELECT FROM jsonb_array_elements(${JSON.stringify(names)}::jsonb) n
        WHERE said @> ARRAY[n ->> 0, n ->> 1])))`;
  const mentions = sql`(r.customer_id = ${who.customerId} OR (EXISTS (${tells})
    AND NOT EXISTS (SELECT FROM customers c WHERE c.organisation_id = r.organisation_id AND c.id = r.customer_id)))`;
  const { rows } = await sql<{ id: string }>`SELECT i.id FROM imports i
    WHERE i.organisation_id = ${scope.organisationId} AND i.state <> 'importing'
      AND EXISTS (SELECT FROM import_rows r WHERE r.import_id = i.id AND ${mentions})
    ORDER BY i.id FOR UPDATE`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await sql`DELETE FROM import_rows r WHERE r.organisation_id = ${scope.organisationId}
    AND r.import_id = ANY (${ids}::uuid[]) AND ${mentions}`.execute(tx);
  await sql`UPDATE imports SET file_name = 'customers.csv', notice = ''
    WHERE organisation_id = ${scope.organisationId} AND id = ANY (${ids}::uuid[])`.execute(tx);
  await recount(tx, scope, ids, now);
}

/** Of these files, those that wait for a person say what is left of them, and what was shown before is started no more. */
async function recount(tx: Tx, scope: Tenant, ids: readonly string[], now: Date): Promise<void> {
  const count = (kind: string) => sql`(count(*) FILTER (WHERE r.kind = ${sql.lit(kind)}))::int`;
  await sql`UPDATE imports i SET new_rows = k.new, changed_rows = k.changed, same_rows = k.same, faulty_rows = k.faulty,
      suggested_rows = k.suggested, judged = i.judged + 1,
      notice = CASE WHEN k.rows > 0 THEN ${takenOut} ELSE '' END,
      state = CASE WHEN k.rows > 0 THEN i.state ELSE 'discarded' END,
      ended_at = CASE WHEN k.rows > 0 THEN i.ended_at ELSE ${now}::timestamptz END
    FROM (SELECT f.id, count(r.number)::int AS rows, ${count('new')} AS new, ${count('changed')} AS changed,
        ${count('same')} AS same, ${count('faulty')} AS faulty, (count(*) FILTER (WHERE r.kind = 'faulty'
          AND r.notes @? '$[*] ? (@.suggestion != null)'))::int AS suggested
      FROM imports f LEFT JOIN import_rows r ON r.import_id = f.id WHERE f.id = ANY (${ids}::uuid[]) GROUP BY f.id) k
    WHERE i.id = k.id AND i.organisation_id = ${scope.organisationId} AND i.state = 'ready'`.execute(tx);
}

/** Who started an import, where the person is to be forgotten; one that runs needs its person until it has ended. */
export async function eraseImporters(tx: Tx, scope: Tenant, userIds: readonly string[]): Promise<void> {
  await sql`UPDATE imports SET actor = 'Erased user', actor_ip = NULL
    WHERE organisation_id = ${scope.organisationId} AND actor_id = ANY (${userIds}::uuid[])`.execute(tx);
}

/** Every required part is there, so that lists and receipts show something in its place. */
function erasedContact(id: string): StoredContact {
  return {
    organization: `Erased customer ${id.slice(-6)}`,
    ...{ firstName: '', lastName: '', address1: '', city: '', state: '', postalCode: '', country: '' },
    ...{ email: '', phone: '' },
  };
}
