import type { CertificateRow } from '#contracts/operations/certificates.ts';
import type { Tx } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { customerLimit, type Scope } from '#kernel/scope.ts';

/** What the order engine writes when a certificate order was accepted and paid. */
export interface NewCertificate {
  organisationId: string;
  customerId: string | null;
  address: string;
  provider: string;
  productType: string;
  csr: string;
  validation: string;
  registrarOrderId: string;
  state: string;
  years: number;
  orderItemId: string;
  now: Date;
}

export async function recordCertificateOrder(tx: Tx, order: NewCertificate): Promise<void> {
  const termEndsAt = new Date(order.now);
  termEndsAt.setUTCFullYear(termEndsAt.getUTCFullYear() + order.years);
  await tx
    .insertInto('certificates')
    .values({
      id: newId(order.now.getTime()),
      organisation_id: order.organisationId,
      customer_id: order.customerId,
      address: order.address,
      provider: order.provider,
      product_type: order.productType,
      state: order.state,
      registrar_order_id: order.registrarOrderId,
      csr: order.csr,
      validation_method: order.validation,
      ordered_at: order.now,
      term_ends_at: termEndsAt,
      order_item_id: order.orderItemId,
    })
    .execute();
}

export interface CertificateListQuery {
  page?: number | undefined;
  pageSize: number;
  sort?: string | undefined;
  search?: string | undefined;
  customerId?: string | undefined;
}

const sortColumns = {
  address: 'address',
  state: 'state',
  validTo: 'valid_to',
  orderedAt: 'ordered_at',
} as const;

/** Certificates in reach, newest first unless sorted otherwise. */
export async function listCertificates(
  tx: Tx,
  scope: Scope,
  query: CertificateListQuery,
): Promise<{ rows: CertificateRow[]; total: number }> {
  let select = tx.selectFrom('certificates').where('organisation_id', '=', scope.organisationId);
  const own = customerLimit(scope);
  if (own !== null) select = select.where('customer_id', '=', own);
  if (query.customerId) select = select.where('customer_id', '=', query.customerId);
  const search = query.search?.trim().toLowerCase();
  if (search) select = select.where('address', 'like', `%${search.replace(/[\\%_]/g, '\\$&')}%`);
  const { total } = await select
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const descending = query.sort?.startsWith('-') ?? true;
  const name = (query.sort?.replace('-', '') ?? 'orderedAt') as keyof typeof sortColumns;
  let page = select
    .selectAll()
    .orderBy(sortColumns[name] ?? 'ordered_at', descending ? 'desc' : 'asc')
    .orderBy('id', 'desc');
  if (query.page) page = page.limit(query.pageSize).offset((query.page - 1) * query.pageSize);
  const rows = await page.execute();
  return {
    total,
    rows: rows.map((row) => ({
      certificateId: row.id,
      address: row.address,
      state: row.state,
      productType: row.product_type,
      provider: row.provider,
      customerId: row.customer_id,
      orderId: row.registrar_order_id,
      orderedAt: row.ordered_at.toISOString(),
      termEndsAt: row.term_ends_at?.toISOString() ?? null,
      validTo: row.valid_to?.toISOString() ?? null,
      serial: row.serial,
    })),
  };
}
