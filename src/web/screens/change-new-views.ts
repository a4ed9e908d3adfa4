import type { SavedView } from '#contracts/operations/views.ts';
import type { TargetView } from '../features/changes/change-form.ts';
import { filterOf } from '../features/domains/domain-chips.tsx';
import { parseSearchText } from '../lib/screen-search.ts';

/** The domains that a saved view of their list shows: those that its filters leave, and all where it has none. */
export function targetsOfView({ id, name, query }: Pick<SavedView, 'id' | 'name' | 'query'>): TargetView {
  const { search, customer, kind, expiring } = parseSearchText(query);
  const { expiringWithinDays, ...others } = filterOf(kind, expiring);
  const filter = {
    ...(search ? { search } : {}),
    ...(customer ? { customerId: customer } : {}),
    ...others,
    ...(expiringWithinDays === undefined ? {} : { expiringWithinDays: Number(expiringWithinDays) }),
  };
  return { id, name, targets: Object.keys(filter).length > 0 ? { kind: 'filter', filter } : { kind: 'all' } };
}
