import { type SelectQueryBuilder, sql } from 'kysely';

/**
 * One page of a list, or without a page number all of it up to `mostRows`. The size stands in the text, not among the
 * parameters: PostgreSQL then knows what a prepared statement's plan costs, and plans the usual pages once instead of
 * each time. Use with `$call`.
 */
export function onePage(query: { page?: number | undefined; pageSize: number }, mostRows: number) {
  const { page, pageSize } = query;
  return <DB, TB extends keyof DB, O>(
    select: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O> => {
    if (page === undefined) return select.limit(sql.lit(mostRows));
    const limited = select.limit(sql.lit(pageSize));
    return page > 1 ? limited.offset((page - 1) * pageSize) : limited;
  };
}
