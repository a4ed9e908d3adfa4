import type { CertificateBand, CertificateRow } from '#contracts/operations/certificates.ts';
import { later, type RawBuilder, sql, type Tx } from '#kernel/db/database.ts';
import { patternOf } from '#kernel/db/search.ts';
import { newId } from '#kernel/ids.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import { isLimited, type Scope, withinReach } from '#kernel/scope.ts';
import { bandOf, flagged, reissueState, renewalOrderedAt, renewed } from './bands.repo.ts';
import type { Installer } from './by-machine.ts';
import { type CertificateRecord, type Surroundings, toRow } from './rows.ts';
import { termEndOf } from './term.rules.ts';

/** What the order engine writes when a certificate order was accepted and paid. */
export interface NewCertificate {
  organisationId: string;
  customerId: string | null;
  address: string;
  provider: string;
  productType: string;
  csr: string;
  validation: string;
  approverEmail: string | null;
  contacts: object;
  registrarOrderId: string;
  state: string;
  years: number;
  orderItemId: string;
  /** At the registrar, the order that it renews. */
  renewsOrderId: string | null;
  /** The access whose machine ordered it; null: a person did. */
  acmeAccessId: string | null;
  now: Date;
}

/** If the ACME server died meanwhile. */
const machineFirstLookMs = 4_000;

/** Writes the certificate, and starts what brings it to its end: a sync that repeats itself. */
export async function recordCertificateOrder(tx: Tx, order: NewCertificate): Promise<void> {
  const termEndsAt = termEndOf(order, await renewedTerm(tx, order));
  const id = newId(order.now.getTime());
  // The ACME server looks at what it has bought by itself, at once.
  const lookAt = new Date(order.now.getTime() + (order.acmeAccessId === null ? 0 : machineFirstLookMs));
  await later(
    tx,
    tx.insertInto('certificates').values({
      id,
      organisation_id: order.organisationId,
      customer_id: order.customerId,
      address: order.address,
      provider: order.provider,
      product_type: order.productType,
      state: order.state,
      registrar_order_id: order.registrarOrderId,
      issued_order_id: order.registrarOrderId,
      csr: order.csr,
      validation_method: order.validation,
      approver_email: order.approverEmail,
      contacts: JSON.stringify(order.contacts),
      ordered_at: order.now,
      term_ends_at: termEndsAt,
      order_item_id: order.orderItemId,
      acme_access_id: order.acmeAccessId,
      // Its machine asks for the next one, with a key that only it has.
      auto_reissue: order.acmeAccessId === null,
      next_sync_at: lookAt,
    }),
  );
  await enqueueSync(tx, { organisationId: order.organisationId, certificateId: id }, lookAt);
}

async function renewedTerm(
  tx: Tx,
  { organisationId, renewsOrderId }: Pick<NewCertificate, 'organisationId' | 'renewsOrderId'>,
): Promise<{ termEndsAt: Date | null } | null> {
  if (renewsOrderId === null) return null;
  const renewed = await tx
    .selectFrom('certificates')
    .select('term_ends_at as termEndsAt')
    .where('organisation_id', '=', organisationId)
    .where('registrar_order_id', '=', renewsOrderId)
    .executeTakeFirst();
  return renewed ?? null;
}

export interface CertificatePlace {
  organisationId: string;
  certificateId: string;
}

export function enqueueSync(tx: Tx, place: CertificatePlace, runAt: Date): Promise<void> {
  const key = `certificate:${place.certificateId}`;
  return enqueueJob(tx, 'certificates.sync', { ...place }, { key, runAt, maxAttempts: 5 });
}

export interface CertificateListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  customerId?: string | undefined;
  flagged?: 'true' | 'false' | undefined;
  band?: CertificateBand | undefined;
}

const sortColumns = {
  address: 's.address',
  state: 's.state',
  validTo: 's.valid_to',
  termEndsAt: 's.term_ends_at',
  orderedAt: 's.ordered_at',
} as const;

/** The access that it came by, with when that was used and what happened with it last. */
const installer = sql<Installer | null>`(SELECT json_build_object('accessId', a.id, 'name', a.name,
    'lastUsedAt', a.last_used_at, 'revokedAt', a.revoked_at, 'expiresAt', a.expires_at,
    'issuedId', (SELECT o.issued_id FROM acme_orders o
      WHERE o.organisation_id = s.organisation_id AND o.access_id = a.id AND o.certificate_id = s.id
        AND o.issued_id IS NOT NULL ORDER BY o.id DESC LIMIT 1),
    'newest', (SELECT json_build_object('outcome', l.outcome, 'detail', l.detail, 'advice', l.advice)
      FROM acme_access_log l
      WHERE l.organisation_id = s.organisation_id AND l.access_id = a.id
        AND cardinality(l.identifiers) > 0 AND l.identifiers <@ s.host_names ORDER BY l.id DESC LIMIT 1))
  FROM acme_accesses a WHERE a.organisation_id = s.organisation_id AND a.id = s.acme_access_id)`;

function select(tx: Tx, organisationId: string) {
  return tx
    .selectFrom('certificates as s')
    .leftJoin('customers as c', 'c.id', 's.customer_id')
    .where('s.organisation_id', '=', organisationId);
}

/** How many certificates in reach are in each band. */
export async function countBands(tx: Tx, scope: Scope, now: Date): Promise<Record<CertificateBand, number>> {
  const found = await select(tx, scope.organisationId)
    .where(withinReach(scope, 's.customer_id'))
    .select((eb) => [bandOf(now).as('band'), eb.fn.countAll<number>().as('count')])
    .groupBy('band')
    .execute();
  const counts = { attention: 0, valid: 0, open: 0, ended: 0 };
  for (const { band, count } of found) counts[band] = Number(count);
  return counts;
}

/** Certificates in reach, newest first unless sorted otherwise. */
export async function listCertificates(
  tx: Tx,
  scope: Scope,
  query: CertificateListQuery,
  now: Date,
): Promise<{ rows: CertificateRow[]; total: number }> {
  let limited = select(tx, scope.organisationId).where(withinReach(scope, 's.customer_id'));
  if (query.customerId) limited = limited.where('s.customer_id', '=', query.customerId);
  if (query.flagged === 'true') limited = limited.where(bandOf(now), '=', 'attention');
  if (query.band) limited = limited.where(bandOf(now), '=', query.band);
  const pattern = patternOf(query.search);
  if (pattern) {
    limited = limited.where((eb) =>
      eb.or([eb('s.address', 'like', pattern), eb('s.serial', 'like', pattern)]),
    );
  }
  const descending = query.sort?.startsWith('-') ?? true;
  const name = (query.sort?.replace('-', '') ?? 'orderedAt') as keyof typeof sortColumns;
  let page = limited
    .selectAll('s')
    .select([
      sql<string>`coalesce(c.organization, '')`.as('customer'),
      reissueState.as('reissueState'),
      renewed.as('renewed'),
      renewalOrderedAt.as('renewalOrderedAt'),
      installer.as('installer'),
    ])
    .orderBy(sortColumns[name] ?? 's.ordered_at', (order) =>
      (descending ? order.desc() : order.asc()).nullsLast(),
    )
    .orderBy('s.id', 'desc');
  if (query.page) page = page.limit(query.pageSize).offset((query.page - 1) * query.pageSize);
  const [{ total }, rows] = await Promise.all([
    limited.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    page.execute(),
  ]);
  return { total, rows: rows.map((row) => toRow(row, row, { limited: isLimited(scope), now })) };
}

/** Across tenants, as `which` says: those that call for a person. */
export function flaggedCertificates(tx: Tx, which: RawBuilder<boolean>, now: Date) {
  const found = tx
    .selectFrom('certificates as s')
    .leftJoin('customers as c', 'c.id', 's.customer_id')
    .where(which)
    .where(flagged(now));
  return withSurroundings(found).execute();
}

export type FoundCertificate = CertificateRecord & Surroundings;

/** One certificate in reach by its order at the registrar. */
export async function findByOrder(
  tx: Tx,
  scope: Scope,
  orderId: string,
): Promise<FoundCertificate | undefined> {
  const found = select(tx, scope.organisationId)
    .where('s.registrar_order_id', '=', orderId)
    .where(withinReach(scope, 's.customer_id'));
  return withSurroundings(found).executeTakeFirst();
}

export function findById(tx: Tx, place: CertificatePlace): Promise<FoundCertificate | undefined> {
  return withSurroundings(
    select(tx, place.organisationId).where('s.id', '=', place.certificateId),
  ).executeTakeFirst();
}

function withSurroundings(found: ReturnType<typeof select>) {
  return found
    .selectAll('s')
    .select([
      sql<string>`coalesce(c.organization, '')`.as('customer'),
      reissueState.as('reissueState'),
      renewed.as('renewed'),
      renewalOrderedAt.as('renewalOrderedAt'),
      installer.as('installer'),
    ]);
}

/**
 * The certificate of an address that a renewal follows; null: none. Certificates of one address may be for different hosts, and the
 * registrar carries on the one that it is told: first the one that has all hosts of the new request, then one that shares
 * any, of its product where there is one, then the newest.
 */
export async function findRenewable(
  tx: Tx,
  scope: Scope,
  wanted: { address: string; productType: string; hostNames: readonly string[] },
): Promise<string | null> {
  const { address, productType } = wanted;
  const hosts = sql`${[...wanted.hostNames]}::text[]`;
  const row = await tx
    .selectFrom('certificates')
    .select('registrar_order_id')
    .where('organisation_id', '=', scope.organisationId)
    .where('address', '=', address)
    .where('state', 'in', ['completed', 'expired'])
    .orderBy(sql`host_names @> ${hosts}`, 'desc')
    .orderBy(sql`host_names && ${hosts}`, 'desc')
    .orderBy((eb) => eb('product_type', '=', productType), 'desc')
    .orderBy('ordered_at', 'desc')
    .executeTakeFirst();
  return row?.registrar_order_id ?? null;
}

export function issuesOf(tx: Tx, certificateId: string) {
  return tx
    .selectFrom('certificate_issues')
    .select(['serial', 'valid_from', 'valid_to'])
    .where('certificate_id', '=', certificateId)
    .orderBy('valid_to', 'desc')
    .execute();
}

/** Written with what the transaction asks next. `running`: only while this is the certificate in use. */
export function updateCertificate(
  tx: Tx,
  place: CertificatePlace,
  set: Partial<Omit<CertificateRecord, 'id' | 'organisation_id' | 'proof' | 'contacts'>> & { proof?: string },
  running?: { serial: string | null },
): Promise<void> {
  let update = tx
    .updateTable('certificates')
    .set(set)
    .where('organisation_id', '=', place.organisationId)
    .where('id', '=', place.certificateId);
  if (running) update = update.where('serial', 'is not distinct from', running.serial);
  return later(tx, update);
}

/** Across tenants: marks what has run out. */
export async function expireCertificates(tx: Tx, now: Date): Promise<void> {
  await tx
    .updateTable('certificates')
    .set({ state: 'expired' })
    .where('state', '=', 'completed')
    .where('valid_to', '<=', now)
    .execute();
}

const places = (rows: readonly { id: string; organisation_id: string }[]): CertificatePlace[] =>
  rows.map((row) => ({ organisationId: row.organisation_id, certificateId: row.id }));

/** Across tenants: what is to be looked at by now, the longest due first. */
export async function dueForSync(tx: Tx, now: Date): Promise<CertificatePlace[]> {
  const rows = await tx
    .selectFrom('certificates')
    .select(['id', 'organisation_id'])
    .where('next_sync_at', '<=', now)
    .orderBy('next_sync_at')
    .orderBy('id')
    .execute();
  return places(rows);
}

/**
 * Across tenants: running certificates that may reissue themselves, of which nothing runs and none was tried since
 * `triedSince`. `only`: whether it is this one.
 */
export async function dueForReissue(
  tx: Tx,
  span: { endingBefore: Date; triedSince: Date; only?: CertificatePlace },
): Promise<CertificatePlace[]> {
  const { only } = span;
  const rows = await tx
    .selectFrom('certificates as s')
    .select(['s.id', 's.organisation_id'])
    .$if(only !== undefined, (of) => of.where('s.id', '=', only?.certificateId ?? ''))
    .where('s.state', '=', 'completed')
    .where('s.auto_reissue', '=', true)
    .where('s.proof_state', 'in', ['set', 'present'])
    .where('s.valid_to', '<', span.endingBefore)
    .whereRef('s.term_ends_at', '>', 's.valid_to')
    .where('s.contacts', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('certificate_reissues as r')
            .select('r.id')
            .whereRef('r.certificate_id', '=', 's.id')
            .where((or) =>
              or.or([
                or('r.state', 'in', ['sending', 'unknown', 'running']),
                or('r.created_at', '>', span.triedSince),
              ]),
            ),
        ),
      ),
    )
    .orderBy('s.valid_to')
    .orderBy('s.id')
    .execute();
  return places(rows);
}
