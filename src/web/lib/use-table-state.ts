import { useNavigate, useSearch } from '@tanstack/react-router';

const pageSize = 50;
/** What leaves rows of a list out. */
const narrowing = ['search', 'customer', 'charge', 'person', 'kind', 'expiring', 'from', 'to'] as const;

/**
 * Page, order and search of a table in the address: a link shows a colleague the same, and Back works. `showAll` takes search and filters
 * away; null: there are none.
 */
export function useTableState(defaultSort?: string) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = {
    page: search.page ?? 1,
    pageSize,
    sort: search.sort ?? defaultSort,
    search: search.search ?? '',
  };
  const setState = (
    change: Partial<{
      page: number;
      sort: string | undefined;
      search: string;
      customer: string | undefined;
      charge: string | undefined;
      person: string | undefined;
      kind: string | undefined;
      expiring: string | undefined;
      from: string | undefined;
      to: string | undefined;
      tab: string | undefined;
    }>,
  ) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => {
        const next = { ...previous, ...change };
        return { ...next, page: next.page === 1 ? undefined : next.page, search: next.search || undefined };
      },
      // Typing in the search is one step back, not one for each letter.
      replace: change.search !== undefined,
    });
  const { customer, charge, person, kind, expiring, from, to, tab } = search;
  const isNarrowed = narrowing.some((name) => search[name]);
  const none = Object.fromEntries(['page', ...narrowing].map((name) => [name, undefined]));
  const showAll = isNarrowed
    ? () =>
        void navigate({ to: '.', search: (previous: Record<string, unknown>) => ({ ...previous, ...none }) })
    : null;
  return { state, setState, showAll, customer, charge, person, kind, expiring, from, to, tab };
}
