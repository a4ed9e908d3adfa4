import { noMarkups } from '#contracts/values/money.ts';
import { type AuditEntry, appendAll } from '#kernel/audit.ts';
import { JsonText, keysAhead, type SealedEntry, sealAll } from '#kernel/audit-sealing.ts';
import { changedParts } from '#kernel/changed-parts.rules.ts';
import { sql, type Tx } from '#kernel/db/database.ts';
import { failpoint } from '#kernel/failpoint.ts';
import { hasLeft, slices } from '#kernel/give-way.ts';
import type { CustomerState } from './customers.repo.ts';
import { type ImportRecord, rowsPerBatch } from './imports.repo.ts';

/** Writes what a checked file says, in the transaction of the caller: all of it, or nothing. */
export interface Writing {
  record: ImportRecord;
  now: Date;
  /** Told after each batch; outside the transaction, so that others can see it. */
  onProgress: (done: number) => Promise<void>;
}

/**
 * Whether what was shown is still so: every customer to be changed has the version that was compared, and none has
 * come meanwhile that a new row would make a second time. Customers to be changed are locked.
 */
export async function stillAsShown(tx: Tx, { id, organisation_id }: ImportRecord): Promise<boolean> {
  const { rows } = await sql<{ expected: number }>`SELECT count(*) AS expected FROM import_rows
    WHERE organisation_id = ${organisation_id} AND import_id = ${id} AND kind IN ('changed', 'same')`.execute(
    tx,
  );
  const locked = await sql`SELECT c.id FROM import_rows r JOIN customers c ON c.id = r.customer_id
    WHERE r.organisation_id = ${organisation_id} AND r.import_id = ${id} AND r.kind IN ('changed', 'same')
      AND c.organisation_id = ${organisation_id} AND c.version = r.version AND c.deleted_at IS NULL
    ORDER BY c.id FOR NO KEY UPDATE OF c`.execute(tx);
  if (locked.rows.length !== (rows[0]?.expected ?? 0)) return false;
  const twice =
    await sql`SELECT 1 FROM import_rows r JOIN customers c ON customer_match_key(c.owner) = r.match_key
    WHERE r.organisation_id = ${organisation_id} AND r.import_id = ${id} AND r.kind = 'new'
      AND c.organisation_id = ${organisation_id} AND c.deleted_at IS NULL LIMIT 1`.execute(tx);
  return twice.rows.length === 0;
}

/** Makes and changes the customers, and logs each; says how many. Rows that are faulty or say nothing new are left. */
export async function writeRows(tx: Tx, writing: Writing): Promise<number> {
  const { record } = writing;
  const actor = {
    organisationId: record.organisation_id,
    userId: record.actor_id,
    email: record.actor,
    ip: record.actor_ip,
    ...(record.token_id ? { tokenId: record.token_id } : {}),
  };
  const entries: SealedEntry[] = [];
  const giveWay = slices();
  let told: Promise<void> = Promise.resolve();
  try {
    // The database makes the customers of a batch while this process makes their keys and seals its entries, and has more to do by then.
    const ranges = await rangesOf(tx, record);
    let batch = ranges[0] && asked(tx, writing, ranges[0]);
    for (let at = 1; batch; at += 1) {
      const { said, created } = await batch.reading;
      const made = await keysAhead(tx, actor, created, giveWay);
      const sealing = sealAll(tx, actor, said, { made, giveWay });
      const next = ranges[at];
      const following = next && asked(tx, writing, next);
      // What goes wrong first is what is heard of; the rest follows from it.
      const [sealed] = await Promise.all([sealing, batch.making, following?.reading]);
      entries.push(...sealed);
      failpoint('import.batch');
      // That of the batch before: an import that can tell nothing ends.
      await told;
      told = writing.onProgress(entries.length);
      told.catch(() => undefined);
      batch = following;
    }
  } finally {
    // The end of the import, or another try, is written to the same row.
    await told.catch(() => undefined);
  }
  await told;
  await appendAll(tx, actor, entries);
  return entries.length;
}

interface Range {
  /** Rows behind `from` up to and with `to`. */
  from: number;
  to: number;
}

/** The batches of the rows that are written. */
async function rangesOf(tx: Tx, { id, organisation_id }: ImportRecord): Promise<Range[]> {
  const { rows } = await sql<{ to: number }>`SELECT max(number) AS to
    FROM (SELECT number, (row_number() OVER (ORDER BY number) - 1) / ${sql.lit(rowsPerBatch)} AS batch FROM import_rows
      WHERE organisation_id = ${organisation_id} AND import_id = ${id} AND kind IN ('new', 'changed')) AS r
    GROUP BY batch ORDER BY batch`.execute(tx);
  return rows.map(({ to }, at) => ({ from: rows[at - 1]?.to ?? 0, to }));
}

/** A batch whose rows are asked for. Its customers are made right behind, so that the database does not wait for what is done with the rows. */
function asked(tx: Tx, writing: Writing, range: Range) {
  const reading = readBatch(tx, writing, range);
  const making = hasLeft().then(() => makeCustomers(tx, writing, range));
  // Should one fail while the other is waited for.
  for (const part of [reading, making]) part.catch(() => undefined);
  return { reading, making };
}

/** What the log says of these rows, and of those that are to be made; those that change a customer have changed it. */
async function readBatch(tx: Tx, writing: Writing, range: Range) {
  const { record, now } = writing;
  // The log names the file that the change came from.
  const from = { import: record.id };
  const rows = await tx
    .selectFrom('import_rows')
    .select([
      sql<string>`customer_id`.as('customer'),
      sql<string | null>`CASE kind WHEN 'new' THEN state::text END`.as('created'),
      sql<unknown>`CASE kind WHEN 'changed' THEN state END`.as('changed'),
    ])
    .where('organisation_id', '=', record.organisation_id)
    .where('import_id', '=', record.id)
    .where('kind', 'in', ['new', 'changed'])
    .where('number', '>', range.from)
    .where('number', '<=', range.to)
    .orderBy('number')
    .execute();
  const isNew = rows.every(({ created }) => created !== null);
  const before = isNew ? new Map<string, CustomerState>() : await changeCustomers(tx, writing, range);
  const said = rows.map(({ customer, created, changed }): AuditEntry => {
    const object = { at: now, objectKind: 'customer', object: customer, customerId: customer };
    if (created !== null) {
      // The state is a JSON object that has fields. The file's id goes in before its last brace, so that nothing is parsed.
      const after = new JsonText(`${created.slice(0, -1)}, ${JSON.stringify(from).slice(1)}`);
      return { ...object, action: 'customers.create', after };
    }
    const parts = changedParts(before.get(customer), changed);
    const after = { ...((parts?.after ?? {}) as object), ...from };
    return { ...object, action: 'customers.update', before: parts?.before, after };
  });
  return { said, created: said.filter((_, at) => rows[at]?.created !== null) };
}

/** A new row keeps what the log says of the customer (`saidOf`); one that an earlier version checked keeps all of it. */
async function makeCustomers(tx: Tx, { record, now }: Writing, { from, to }: Range): Promise<void> {
  await sql`INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, bill_directly, billing_email,
      allow_change_billing, markups, allow_domain_settings, created_at, updated_at)
    SELECT id, organisation_id, owner, CASE jsonb_typeof(admin) WHEN 'object' THEN admin ELSE owner END,
      CASE jsonb_typeof(billing_contact) WHEN 'object' THEN billing_contact ELSE owner END,
      (billing -> 'billDirectly')::boolean, billing ->> 'email', (billing -> 'allowChangeBilling')::boolean,
      CASE jsonb_typeof(markups) WHEN 'object' THEN markups ELSE ${noMarkups}::jsonb END,
      allow_domain_settings, ${now}, ${now}
    FROM (
      SELECT customer_id AS id, organisation_id, state #> '{contacts,owner}' AS owner,
        state #> '{contacts,admin}' AS admin, state #> '{contacts,billing}' AS billing_contact,
        state -> 'billing' AS billing, state -> 'markups' AS markups,
        (state -> 'allowDomainSettings')::boolean AS allow_domain_settings
      FROM import_rows WHERE organisation_id = ${record.organisation_id} AND import_id = ${record.id} AND kind = 'new'
        AND number > ${from} AND number <= ${to} OFFSET 0) AS r`.execute(tx);
}

/** The states before, by customer. */
async function changeCustomers(
  tx: Tx,
  { record, now }: Writing,
  { from, to }: Range,
): Promise<Map<string, CustomerState>> {
  const { rows } = await sql<{ id: string; before: CustomerState }>`
    WITH wanted AS MATERIALIZED (
      SELECT r.customer_id AS id, r.state, jsonb_build_object(
        'contacts', jsonb_build_object('owner', c.owner, 'admin', c.admin, 'billing', c.billing_contact),
        'billing', jsonb_build_object('billDirectly', c.bill_directly, 'email', c.billing_email,
          'allowChangeBilling', c.allow_change_billing),
        'markups', c.markups, 'allowDomainSettings', c.allow_domain_settings) AS before
      FROM import_rows r JOIN customers c ON c.id = r.customer_id
      WHERE r.organisation_id = ${record.organisation_id} AND c.organisation_id = ${record.organisation_id}
        AND r.import_id = ${record.id} AND r.kind = 'changed' AND r.number > ${from} AND r.number <= ${to})
    UPDATE customers c SET owner = w.state #> '{contacts,owner}', admin = w.state #> '{contacts,admin}',
      billing_contact = w.state #> '{contacts,billing}',
      bill_directly = (w.state #>> '{billing,billDirectly}')::boolean, billing_email = w.state #>> '{billing,email}',
      allow_change_billing = (w.state #>> '{billing,allowChangeBilling}')::boolean, markups = w.state -> 'markups',
      allow_domain_settings = (w.state ->> 'allowDomainSettings')::boolean,
      version = c.version + 1, updated_at = ${now}
    FROM wanted w WHERE c.id = w.id AND c.organisation_id = ${record.organisation_id}
    RETURNING c.id, w.before`.execute(tx);
  return new Map(rows.map(({ id, before }) => [id, before]));
}
