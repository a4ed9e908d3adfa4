import type { StatementKind } from '#contracts/operations/statement.ts';
import { dayOf } from '../../ui/filters.tsx';
import type { StatementFilter } from './api.ts';

export const kinds: Readonly<Record<StatementKind, string>> = {
  topup: 'Top-up',
  purchase: 'Purchase',
  refund: 'Refund',
  reversal: 'Reversal',
  adjustment: 'Correction',
};

/** What the address asks for: the list and the file have the same of it, the search too. */
export function statementFilter(address: {
  kind: string | undefined;
  from: string | undefined;
  to: string | undefined;
  customer: string | undefined;
  search: string;
}): StatementFilter {
  const { kind, from, to, customer, search } = address;
  return {
    kind: kind !== undefined && Object.hasOwn(kinds, kind) ? (kind as StatementKind) : undefined,
    from: dayOf(from),
    to: dayOf(to),
    customer,
    search: search || undefined,
  };
}
