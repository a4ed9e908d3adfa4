import { Group, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { type AttentionFilter, useAttention, useAttentionCounts } from '../features/attention/api.ts';
import { AttentionItems } from '../features/attention/attention-list.tsx';
import { causesShown } from '../features/attention/causes.ts';
import { DigestRow } from '../features/attention/digest-row.tsx';
import { ItemMenu } from '../features/attention/item-menu.tsx';
import { KeptNotice } from '../features/attention/kept-notice.tsx';
import type { NotChanged } from '../features/attention/put-off.ts';

import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { Card } from '../ui/card.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { type FilterChip, FilterChips } from '../ui/filter-chips.tsx';
import { ChoiceFilter } from '../ui/filters.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { Page } from '../ui/page.tsx';
import { AttentionAct } from './attention-act.tsx';

type Cause = AttentionItem['cause'];
const views = ['now', 'soon', 'mine', 'snoozed'] as const;
type View = (typeof views)[number];

/** /attention: everything that waits for a person, by how pressing it is. */
export default function AttentionScreen() {
  const { setState, kind, customer, tab } = useTableState();
  const view = views.find((name) => name === tab);
  const cause = isCause(kind) ? kind : undefined;
  const staff = useMay('attention.manage');
  const list = useAttention(filterOf(view, cause, customer));
  const [kept, setKept] = useState<NotChanged | null>(null);
  const isFiltered = view !== undefined || cause !== undefined || customer !== undefined;
  return (
    <Page
      title={headings['/attention']}
      below="Everything that needs a person. An entry disappears once its cause is resolved."
    >
      <Stack gap="md">
        <Filters view={view} cause={cause} customer={customer} staff={staff} onChange={setState} />
        {list.error && <ErrorState error={list.error} onRetry={list.refetch} />}
        {kept && <KeptNotice kept={kept} onClose={() => setKept(null)} />}
        <Entries list={list} staff={staff} isFiltered={isFiltered} onKept={setKept} />
        <DigestRow />
      </Stack>
    </Page>
  );
}

const isCause = (kind: string | undefined): kind is Cause =>
  kind !== undefined && Object.hasOwn(causesShown, kind);

function filterOf(view: View | undefined, cause: Cause | undefined, customerId: string | undefined) {
  const filter: AttentionFilter = {
    ...(view === 'now' || view === 'soon' ? { severity: view } : {}),
    ...(view === 'mine' ? { mine: 'true' } : {}),
    ...(view === 'snoozed' ? { snoozed: 'true' } : {}),
    ...(cause ? { cause } : {}),
    ...(customerId ? { customerId } : {}),
  };
  return filter;
}

const viewTexts: Record<View, string> = { now: 'Now', soon: 'Soon', mine: 'Mine', snoozed: 'Postponed' };

function Filters(props: {
  view: View | undefined;
  cause: Cause | undefined;
  customer: string | undefined;
  staff: boolean;
  onChange: (change: {
    tab?: string | undefined;
    kind?: string | undefined;
    customer?: string | undefined;
  }) => void;
}) {
  const { view, cause, customer, staff, onChange } = props;
  const counts = useAttentionCounts(customer);
  const customers = useCustomerChoices();
  const chips = views
    .filter((name) => staff || name === 'now' || name === 'soon')
    .map((name): FilterChip => {
      const active = name === view;
      return {
        ...{ key: name, label: viewTexts[name], active, count: counts.data?.[name] },
        ...(name === 'now' ? { tone: 'bad' as const } : {}),
        onToggle: () => onChange({ tab: active ? undefined : name }),
      };
    });
  const causes = counts.data?.causes ?? [];
  return (
    <Group gap="sm">
      <FilterChips label="How pressing" few chips={chips} counting={counts.isPending} />
      <ChoiceFilter
        label="Cause"
        all="Every cause"
        value={cause}
        data={[...new Set([...causes.map((one) => one.cause), ...(cause ? [cause] : [])])].map((one) => ({
          value: one,
          label: causesShown[one].label,
        }))}
        onChange={(value) => onChange({ kind: value })}
      />
      {staff && (
        <ChoiceFilter
          label="Customer"
          all="All customers"
          width={200}
          value={customer}
          data={customerOptions(customers.data)}
          onChange={(value) => onChange({ customer: value })}
        />
      )}
    </Group>
  );
}

function Entries(props: {
  list: ReturnType<typeof useAttention>;
  staff: boolean;
  isFiltered: boolean;
  onKept: (kept: NotChanged | null) => void;
}) {
  const { list, staff, onKept } = props;
  const userId = useProfile().data?.userId;
  if (list.items === undefined) {
    if (list.error) return null;
    return (
      <div role="status" aria-label="Loading what needs attention...">
        <Skeleton height={280} />
      </div>
    );
  }
  if (list.items.length === 0) {
    return (
      <EmptyState
        title={props.isFiltered ? 'Nothing here needs attention' : 'Nothing needs your attention'}
      />
    );
  }
  return (
    <Card flush title="Entries" aria-busy={list.isFetching}>
      <AttentionItems
        items={list.items}
        act={(item) => <AttentionAct item={item} />}
        menu={
          staff && userId ? (item) => <ItemMenu item={item} userId={userId} onKept={onKept} /> : undefined
        }
      />
      <MoreButton list={list} />
    </Card>
  );
}
