import { Skeleton, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Change, ChangeItem } from '#contracts/operations/changes.ts';
import { type ChangeRequest, isOfSettings, mayAct } from '#contracts/values/changes.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { Card } from '../../ui/card.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { type FilterChip, FilterChips } from '../../ui/filter-chips.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { type ItemFilter, useChangeItems, useChooseItems } from './api.ts';
import classes from './change.module.css';
import { differenceText, domainsText, howText, itemStates, placeText } from './change-words.ts';
import { InstantCheckbox } from './instant-checkbox.tsx';
import { ItemCard } from './item-sheet.tsx';

type Counts = Change['counts'];
const filters: {
  key: string;
  label: string;
  count: (counts: Counts) => number;
  filter: ItemFilter;
  tone?: 'bad';
}[] = [
  { key: 'ready', label: 'Ready', count: ({ ready }) => ready, filter: { state: 'ready' } },
  {
    key: 'warned',
    label: 'Need a look',
    count: ({ warned }) => warned,
    filter: { state: 'ready', warned: 'true' },
  },
  { key: 'left-out', label: 'Left out', count: ({ leftOut }) => leftOut, filter: { state: 'left-out' } },
  { key: 'same', label: 'Nothing to change', count: ({ same }) => same, filter: { state: 'same' } },
  { key: 'barred', label: 'Not possible', count: ({ barred }) => barred, filter: { state: 'barred' } },
  { key: 'queued', label: 'Waiting', count: ({ queued }) => queued, filter: { state: 'queued' } },
  { key: 'done', label: 'Done', count: ({ done }) => done, filter: { state: 'done' } },
  { key: 'failed', label: 'Failed', count: ({ failed }) => failed, filter: { state: 'failed' }, tone: 'bad' },
  { key: 'moved', label: 'Look again', count: ({ moved }) => moved, filter: { state: 'moved' }, tone: 'bad' },
  {
    key: 'cancelled',
    label: 'Not done',
    count: ({ cancelled }) => cancelled,
    filter: { state: 'cancelled' },
  },
];

/** The domains of a change beside the one that is looked at. */
export function ChangeItemsView({ change }: { change: Change }) {
  const { state, setState, tab } = useTableState();
  const active = filters.find(({ key }) => key === tab);
  const filter = { ...active?.filter, ...(state.search ? { search: state.search } : {}) };
  const list = useChangeItems(change, filter);
  const items = list.data?.pages.flatMap((page) => page.items);
  const [name, setName] = useState<string | null>(null);
  const shown = items?.find(({ domain }) => domain === name) ?? items?.[0];
  const chips = filters.map(
    ({ key, label, count, tone }): FilterChip => ({
      ...{ key, label, count: count(change.counts), active: key === tab },
      ...(tone ? { tone } : {}),
      onToggle: () => setState({ tab: key === tab ? undefined : key }),
    }),
  );
  const counted = active ? active.count(change.counts) : change.counts.total;
  return (
    <div className={classes.halves}>
      <Card
        flush
        title={domainsText(change.counts.total)}
        beside={<FilterChips label="State" chips={chips} />}
        end={
          <TextInput
            size="xs"
            type="search"
            aria-label="Find a domain"
            placeholder="Find a domain"
            value={state.search}
            onChange={(event) => setState({ search: event.currentTarget.value })}
          />
        }
      >
        {!items && !list.error && (
          <div role="status" aria-label="Loading domains...">
            <Skeleton height={280} />
          </div>
        )}
        {items?.length === 0 && <EmptyState title="No domains here" />}
        {items && items.length > 0 && (
          <Items change={change} items={items} shown={shown?.domain} onShow={setName} />
        )}
        {list.error && <ErrorState error={list.error} onRetry={list.refetch} />}
        <MoreButton list={list} />
      </Card>
      <div className={classes.aside}>
        {shown && items && (
          <ItemCard
            key={shown.id}
            change={change}
            item={shown}
            place={placeText(items.indexOf(shown) + 1, {
              ...{ loaded: items.length, more: list.hasNextPage },
              counted: state.search ? null : counted,
            })}
          />
        )}
        <Card title="How it is applied">{howText(isOfSettings(change.request as ChangeRequest))}</Card>
      </div>
    </div>
  );
}

function Items(props: {
  change: Change;
  items: readonly ChangeItem[];
  shown: string | undefined;
  onShow: (domain: string) => void;
}) {
  const { change, items, shown, onShow } = props;
  return (
    <ul className={classes.items} aria-label="Domains">
      {items.map((item) => (
        <Item key={item.id} change={change} item={item} isShown={item.domain === shown} onShow={onShow} />
      ))}
    </ul>
  );
}

/** One domain; its box says whether it is part of the change, as long as that can be said. */
function Item(props: {
  change: Change;
  item: ChangeItem;
  isShown: boolean;
  onShow: (domain: string) => void;
}) {
  const { change, item } = props;
  const choose = useChooseItems(change.id);
  const isIn = !['left-out', 'same', 'barred', 'cancelled'].includes(item.state);
  const mayTake = change.state === 'ready' && ['ready', 'left-out'].includes(item.state);
  const mayLeave = change.state === 'partly' && ['failed', 'moved'].includes(item.state);
  return (
    <li data-shown={props.isShown || undefined}>
      <InstantCheckbox
        size="xs"
        aria-label={`Change ${item.domain}`}
        checked={isIn}
        disabled={!mayAct(change.state, 'choose') || !(mayTake || mayLeave)}
        refused={choose.isError}
        onChoose={(chosen) => choose.mutate({ ids: [item.id], chosen, round: change.round })}
      />
      <button type="button" className={classes.name} onClick={() => props.onShow(item.domain)}>
        <DomainName name={item.domain} copy={false} />
      </button>
      <span className={classes.second}>{item.customer}</span>
      <span className="number">{differenceText(item)}</span>
      <Note item={item} />
      {choose.error && (
        <div className={classes.failure}>
          <FailureText error={choose.error} />
        </div>
      )}
    </li>
  );
}

function Note({ item }: { item: ChangeItem }) {
  const { domain, state, needsTick, ticked, warnings, note } = item;
  if (state === 'ready') {
    const text = needsTick && !ticked ? 'Loses much of its zone' : (warnings[0] ?? note);
    return (
      <span className={classes.note} data-tone={needsTick || warnings.length > 0 ? 'warn' : undefined}>
        <FoldedText about={domain}>{text}</FoldedText>
      </span>
    );
  }
  const { tone, text } = itemStates[state];
  return (
    <span className={classes.note} data-tone={tone}>
      <FoldedText about={domain}>{note === '' ? text : `${text}: ${note}`}</FoldedText>
    </span>
  );
}
