import { renewSoonDays } from '#contracts/values/domain-life.ts';
import type { CallInput } from '../../lib/operations.ts';
import { type FilterChip, FilterChips } from '../../ui/filter-chips.tsx';
import { useDomainFigures } from './api.ts';

type Filter = Pick<
  NonNullable<CallInput<'GET /domain'>['query']>,
  'registrant' | 'autoRenew' | 'locked' | 'expiringWithinDays'
>;

/** What the address calls a filter, and what the server is asked for. */
const kinds = {
  manual: { label: 'No auto renew', filter: { autoRenew: 'off' } },
  unlocked: { label: 'Unlocked', filter: { locked: 'no' } },
  unverified: { label: 'Registrant not verified', filter: { registrant: 'unverified' } },
  suspended: { label: 'Suspended', filter: { registrant: 'suspended' } },
} as const satisfies Record<string, { label: string; filter: Filter }>;
type Kind = keyof typeof kinds;

const kindOf = (text: string | undefined) => (Object.keys(kinds) as Kind[]).find((kind) => kind === text);

/** The filter of the address as it may have been typed: what is none of ours filters nothing. */
export function filterOf(kind: string | undefined, expiring: string | undefined): Filter {
  const known = kindOf(kind);
  return { ...(known ? kinds[known].filter : {}), expiringWithinDays: daysOf(expiring) };
}

function daysOf(text: string | undefined): number | undefined {
  const days = Number(text);
  return Number.isInteger(days) && days >= 1 && days <= 365 ? days : undefined;
}

/** What most often is looked for; each with how many there are, unless another filter makes that untrue. */
export function DomainChips(props: {
  kind: string | undefined;
  expiring: string | undefined;
  counted: boolean;
  onChange: (change: { kind?: string | undefined; expiring?: string | undefined; page: number }) => void;
}) {
  const figures = useDomainFigures();
  const active = kindOf(props.kind);
  const days = daysOf(props.expiring);
  const alone = props.counted && active === undefined && days === undefined;
  const counts: Partial<Record<Kind | 'expiring', number>> =
    alone && figures ? { ...figures, ...(figures.unverified === 0 ? { suspended: 0 } : {}) } : {};
  const chip = (kind: Kind): FilterChip => ({
    ...{ key: kind, label: kinds[kind].label, count: counts[kind], active: active === kind },
    onToggle: () => props.onChange({ kind: active === kind ? undefined : kind, page: 1 }),
  });
  const expiring: FilterChip = {
    ...{ key: 'expiring', label: `Expiring in ${days ?? renewSoonDays} days`, active: days !== undefined },
    ...{ count: counts.expiring },
    onToggle: () =>
      props.onChange({ expiring: days === undefined ? String(renewSoonDays) : undefined, page: 1 }),
  };
  return (
    <FilterChips
      label="Filters"
      chips={[expiring, ...(Object.keys(kinds) as Kind[]).map(chip)]}
      counting={alone && figures === undefined}
    />
  );
}
