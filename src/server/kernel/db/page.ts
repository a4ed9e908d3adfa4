import { type SelectQueryBuilder, sql } from 'kysely';

interface Page {
  page?: number | undefined;
  pageSize: number;
}

/** What a list's text says of its page; `pageSize` 0: all of the list. */
export interface PageShape {
  pageSize: number;
  isFurther: boolean;
}

export function pageShape({ page, pageSize }: Page): PageShape {
  return { pageSize: page === undefined ? 0 : pageSize, isFurther: (page ?? 1) > 1 };
}

/** Rows in front of the page. */
export function pageOffset({ page, pageSize }: Page): number {
  return ((page ?? 1) - 1) * pageSize;
}

/**
 * One page of a list, or all of it up to `mostRows`. The size stands in the text, not among the parameters: PostgreSQL
 * then knows what a prepared statement's plan costs, and plans the usual pages once instead of each time. Use with
 * `$call`.
 */
export function onePage({ pageSize, isFurther }: PageShape, offset: number, mostRows: number) {
  return <DB, TB extends keyof DB, O>(
    select: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O> => {
    if (pageSize === 0) return select.limit(sql.lit(mostRows));
    const limited = select.limit(sql.lit(pageSize));
    return isFurther ? limited.offset(offset) : limited;
  };
}

/** The same in order of the column `rank` of what is selected, and among equals of `key`. */
export function onePageBy(
  key: 'id' | 'address',
  shape: PageShape & { direction: 'asc' | 'desc' },
  offset: number,
  mostRows: number,
) {
  return <DB, TB extends keyof DB, O>(select: SelectQueryBuilder<DB, TB, O>) =>
    select
      .orderBy(sql`rank`, shape.direction)
      // The same direction, so that an index can be read backwards.
      .orderBy(sql.ref(key), shape.direction)
      .$call(onePage(shape, offset, mostRows));
}
