import { sql, type Tx } from '#kernel/db/database.ts';
import { pageOffset } from '#kernel/db/page.ts';
import { patternOf } from '#kernel/db/search.ts';

/** A list of transfers without its lines. */
export interface Head {
  id: string;
  customerId: string;
  customer: string;
  createdAt: Date;
  by: string;
}

type Ours = { organisationId: string };

const heads = sql`SELECT m.id, m.customer_id AS "customerId", c.organization AS customer,
  m.created_at AS "createdAt", u.email AS by
  FROM moves m JOIN customers c ON c.id = m.customer_id JOIN users u ON u.id = m.author_id`;

export async function findHead(tx: Tx, { organisationId }: Ours, id: string): Promise<Head | undefined> {
  const { rows } =
    await sql<Head>`${heads} WHERE m.organisation_id = ${organisationId} AND m.id = ${id}`.execute(tx);
  return rows[0];
}

export interface MoveListQuery {
  /** From 1. */
  page: number;
  pageSize: number;
  /** Of the moment it was pasted; newest first when absent. */
  sort?: 'createdAt' | '-createdAt' | undefined;
  /** Part of a name in the list. */
  search?: string | undefined;
}

/** A page of the lists, and how many there are in all. */
export async function listHeads(
  tx: Tx,
  { organisationId }: Ours,
  query: MoveListQuery,
): Promise<{ rows: Head[]; total: number }> {
  const pattern = patternOf(query.search);
  const wanted = sql`m.organisation_id = ${organisationId} AND ${
    pattern
      ? sql`EXISTS (SELECT FROM move_lines l WHERE l.organisation_id = m.organisation_id AND l.move_id = m.id
          AND l.address LIKE ${pattern})`
      : sql`true`
  }`;
  const order = query.sort === 'createdAt' ? sql`m.created_at, m.id DESC` : sql`m.created_at DESC, m.id`;
  const [counted, { rows }] = await Promise.all([
    sql<{ total: number }>`SELECT count(*)::int AS total FROM moves m
      WHERE ${wanted}`.execute(tx),
    sql<Head>`${heads} WHERE ${wanted}
      ORDER BY ${order} LIMIT ${query.pageSize} OFFSET ${pageOffset(query)}`.execute(tx),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}
