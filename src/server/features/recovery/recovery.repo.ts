import type { RecoveryStep } from '#contracts/values/recovery-steps.ts';
import { type Db, sql, type Tx } from '#kernel/db/database.ts';
import type { Place } from '#kernel/db/place.ts';
import type { RecoveryReason } from '#kernel/db/schema.ts';

/** The first process of a new database notes it. */
export async function notePlace(tx: Tx, place: Place): Promise<void> {
  await sql`INSERT INTO database_place (database, timeline, seen_at)
    VALUES (${place.database}, ${place.timeline}, now()) ON CONFLICT DO NOTHING`.execute(tx);
}

/** What is committed until now is in this database, and nothing is being compared. At most once in so many seconds. */
export async function confirmPlace(tx: Tx, place: Place, everySeconds: number): Promise<void> {
  await sql`UPDATE database_place SET seen_at = now(), timeline = ${place.timeline}
    WHERE database = ${place.database}
      AND (seen_at < now() - ${everySeconds} * interval '1 second' OR timeline <> ${place.timeline})
      AND NOT EXISTS (SELECT FROM recoveries WHERE state <> 'ended')`.execute(tx);
}

/**
 * Begins a recovery of what was committed after the noted moment, once, whichever process sees it first. One that is open
 * begins again, from the earlier moment.
 */
export async function beginRecovery(
  tx: Tx,
  recovery: { id: string; reason: RecoveryReason; noted: Place; found: Place },
): Promise<boolean> {
  const { noted, found } = recovery;
  const { rows } = await sql`
    WITH before AS (
      SELECT seen_at FROM database_place
      WHERE database = ${noted.database} AND timeline = ${noted.timeline} FOR UPDATE
    ), moved AS (
      UPDATE database_place SET database = ${found.database}, timeline = ${found.timeline}, seen_at = now()
      WHERE EXISTS (SELECT FROM before)
    )
    INSERT INTO recoveries AS r (id, reason, since, state, started_at)
    SELECT ${recovery.id}::uuid, ${recovery.reason}, seen_at, 'running', now() FROM before
    ON CONFLICT ((true)) WHERE state <> 'ended' DO UPDATE
      SET since = least(r.since, excluded.since), state = 'running', step = 'payments', done = 0, total = NULL,
        holder = NULL, held_until = NULL
    RETURNING r.id`.execute(tx);
  return rows.length > 0;
}

/** A person knows of something that no process can see, such as a machine that was set back. */
export async function beginAsked(tx: Tx, recovery: { id: string; since: Date }): Promise<void> {
  await sql`INSERT INTO recoveries AS r (id, reason, since, state, started_at)
    VALUES (${recovery.id}, 'asked', ${recovery.since}, 'running', now())
    ON CONFLICT ((true)) WHERE state <> 'ended' DO UPDATE
      SET since = least(r.since, excluded.since), state = 'running', step = 'payments', done = 0, total = NULL,
        holder = NULL, held_until = NULL`.execute(tx);
}

export function newestRecovery(db: Db | Tx) {
  return db.selectFrom('recoveries').selectAll().orderBy('started_at', 'desc').limit(1).executeTakeFirst();
}

/** The recovery that is running, taken by this process for so long; null: there is none, or another compares. */
export async function takeRecovery(tx: Tx, holder: string, seconds: number) {
  const { rows } = await sql<{ id: string; since: Date; step: RecoveryStep }>`
    UPDATE recoveries SET holder = ${holder}, held_until = clock_timestamp() + ${seconds} * interval '1 second'
    WHERE state = 'running' AND (holder IS NULL OR holder = ${holder} OR held_until < clock_timestamp())
    RETURNING id, since, step`.execute(tx);
  return rows[0] ?? null;
}

const longestHindrance = 300;

/** Where it is; an unknown hindrance leaves what was noted. False: it is not this process's any more. */
export async function noteProgress(
  tx: Tx,
  of: {
    id: string;
    holder: string;
    step: RecoveryStep;
    done: number;
    total: number | null;
    hindrance: string | null | undefined;
    seconds: number;
  },
): Promise<boolean> {
  const { hindrance } = of;
  const { rows } = await sql`
    UPDATE recoveries SET step = ${of.step}, done = ${of.done}, total = ${of.total},
      hindrance = CASE WHEN ${hindrance !== undefined}::boolean THEN ${hindrance?.slice(0, longestHindrance) ?? null} ELSE hindrance END,
      held_until = clock_timestamp() + ${of.seconds} * interval '1 second'
    WHERE id = ${of.id} AND holder = ${of.holder} AND state = 'running' RETURNING id`.execute(tx);
  return rows.length > 0;
}

export async function noteHindrance(tx: Tx, id: string, text: string): Promise<void> {
  await tx
    .updateTable('recoveries')
    .set({ hindrance: text.slice(0, longestHindrance) })
    .where('id', '=', id)
    .execute();
}

export interface Finding {
  kind: string;
  subject: string;
  organisationId: string | null;
  text: string;
  needsPerson: boolean;
}

/** Each once: a step that is repeated after a crash finds the same. */
export async function insertFinding(
  tx: Tx,
  finding: Finding & { id: string; recoveryId: string; now: Date },
): Promise<void> {
  await tx
    .insertInto('recovery_findings')
    .values({
      id: finding.id,
      recovery_id: finding.recoveryId,
      kind: finding.kind,
      subject: finding.subject,
      organisation_id: finding.organisationId,
      text: finding.text,
      needs_person: finding.needsPerson,
      found_at: finding.now,
      settled_at: null,
    })
    .onConflict((conflict) => conflict.columns(['recovery_id', 'kind', 'subject']).doNothing())
    .execute();
}

/** Everything that was found, what waits for a person first. A name that has come on a list since is nobody's no more. */
export function findingsOf(tx: Tx, recoveryId: string) {
  return tx
    .selectFrom('recovery_findings as f')
    .select(['f.id', 'f.kind', 'f.subject', 'f.organisation_id', 'f.text', 'f.needs_person'])
    .select((eb) =>
      eb.fn
        .coalesce(
          'f.settled_at',
          eb
            .selectFrom('domains as d')
            .select((of) => of.fn.max('d.created_at').as('at'))
            .where('f.kind', '=', 'name-unknown')
            .whereRef('d.address', '=', 'f.subject')
            .where('d.status', '<>', 'ended'),
        )
        .as('settled_at'),
    )
    .where('recovery_id', '=', recoveryId)
    .orderBy(sql`needs_person AND settled_at IS NULL`, 'desc')
    .orderBy('id')
    .limit(1_000)
    .execute();
}

/**
 * How much waits for a person. Who counts keeps the recovery until they commit: two who decide the last two findings at once would
 * each count the other's as open, and the recovery would wait for nobody.
 */
export async function undecided(tx: Tx, recoveryId: string): Promise<number> {
  await tx.selectFrom('recoveries').select('id').where('id', '=', recoveryId).forUpdate().execute();
  const row = await tx
    .selectFrom('recovery_findings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('recovery_id', '=', recoveryId)
    .where('needs_person', '=', true)
    .where('settled_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** A person has decided. Null: there is no such finding that waits. */
export async function settleFinding(tx: Tx, id: string, now: Date): Promise<string | null> {
  const row = await tx
    .updateTable('recovery_findings')
    .set({ settled_at: now })
    .where('id', '=', id)
    .where('needs_person', '=', true)
    .where('settled_at', 'is', null)
    .returning('recovery_id')
    .executeTakeFirst();
  return row?.recovery_id ?? null;
}

/** After all names were compared: those that are still nobody's. The others have left the registrar's account, or are on a list. */
export async function settleOtherNames(
  tx: Tx,
  { unknown, before, now }: { unknown: readonly string[]; before: Date; now: Date },
): Promise<void> {
  await tx
    .updateTable('recovery_findings')
    .set({ settled_at: now })
    .where('kind', '=', 'name-unknown')
    .where('settled_at', 'is', null)
    .where('found_at', '<', before)
    .where(sql<boolean>`NOT lower(subject) = ANY (${[...unknown]}::text[])`)
    .execute();
}

/** The name has come on somebody's list. */
export async function settleUnknownName(tx: Tx, address: string, now: Date): Promise<void> {
  await tx
    .updateTable('recovery_findings')
    .set({ settled_at: now })
    .where('kind', '=', 'name-unknown')
    .where('subject', '=', address)
    .where('settled_at', 'is', null)
    .execute();
}

/** After the comparison, and after each decision of a person. */
export async function closeRecovery(
  tx: Tx,
  of: { id: string; from: 'running' | 'waiting'; state: 'waiting' | 'ended'; holder?: string },
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE recoveries SET state = ${of.state}, ended_at = CASE WHEN ${of.state} = 'ended' THEN now() END,
      holder = NULL, held_until = NULL, hindrance = NULL
    WHERE id = ${of.id} AND state = ${of.from}
      AND (${of.holder ?? null}::uuid IS NULL OR holder = ${of.holder ?? null}::uuid) RETURNING id`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Across tenants: every name that somebody has on their list, or this one. */
export function listedNames(tx: Tx, address?: string) {
  return tx
    .selectFrom('domains')
    .select(['id', 'address', 'nameservers', 'organisation_id', 'expires_at', 'status'])
    .where('status', '<>', 'ended')
    .$if(address !== undefined, (select) => select.where('address', '=', address ?? ''))
    .execute();
}

/** Host names for which certificates were ordered. */
export async function certificateHosts(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT address FROM certificates
    UNION SELECT address FROM order_items WHERE kind = 'certificate'`.execute(tx);
  return rows.map(({ address }) => address);
}

/** Which of these ids and numbers there are, and the items of which nobody knows what became of them. */
export async function knownAmong(
  tx: Tx,
  asked: { items: readonly string[]; registrarOrders: readonly string[]; organisations: readonly string[] },
) {
  const { rows } = await sql<{ what: 'item' | 'order' | 'organisation'; id: string }>`
    SELECT 'item' AS what, id::text AS id FROM order_items WHERE id::text = ANY (${[...asked.items]}::text[])
    UNION ALL SELECT 'item', id::text FROM certificate_reissues WHERE id::text = ANY (${[...asked.items]}::text[])
    UNION ALL SELECT 'order', registrar_order_id FROM order_items
      WHERE registrar_order_id = ANY (${[...asked.registrarOrders]}::text[])
    UNION ALL SELECT 'order', registrar_order_id FROM certificates
      WHERE registrar_order_id = ANY (${[...asked.registrarOrders]}::text[])
    UNION ALL SELECT 'organisation', id::text FROM organisations
      WHERE id::text = ANY (${[...asked.organisations]}::text[])`.execute(tx);
  const of = (what: string) => new Set(rows.filter((row) => row.what === what).map(({ id }) => id));
  const { rows: open } = await sql<{ id: string; organisationId: string }>`
    SELECT id, organisation_id AS "organisationId" FROM order_items
    WHERE id::text = ANY (${[...asked.items]}::text[]) AND state = 'unknown' ORDER BY created_at, id`.execute(
    tx,
  );
  return { items: of('item'), registrarOrders: of('order'), organisations: of('organisation'), open };
}

export async function organisationExists(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('organisations').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Who issues a product, and what it is called. */
export async function providerOf(tx: Tx, productType: string): Promise<string> {
  const row = await tx
    .selectFrom('certificate_products')
    .select('provider')
    .where('product_type', '=', productType)
    .executeTakeFirst();
  return row?.provider ?? productType;
}
