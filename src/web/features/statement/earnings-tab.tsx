import { SegmentedControl, Text } from '@mantine/core';
import type { EarningsRow } from '#contracts/operations/earnings.ts';
import { moneyText, monthText, shortMonthText } from '#contracts/values/format.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { BarChart } from '../../ui/bar-chart.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figures } from '../../ui/figures.tsx';
import { DayFilter, dayOf, ExportCsv } from '../../ui/filters.tsx';
import { useEarnings, useSaveEarnings } from './api.ts';
import { drawnMonths, earningsSums } from './earnings.ts';
import classes from './earnings-tab.module.css';

const groups = { month: 'Month', customer: 'Customer', kind: 'Kind' } as const;
type By = keyof typeof groups;

/** What customers paid directly, less what the same items cost: by month, by customer or by kind of item. */
export function EarningsTab({ mayExport }: { mayExport: boolean }) {
  const { setState, kind, ...days } = useTableState();
  const by: By = kind !== undefined && Object.hasOwn(groups, kind) ? (kind as By) : 'month';
  const span = { from: dayOf(days.from), to: dayOf(days.to) };
  const earnings = useEarnings({ by, ...span });
  const save = useSaveEarnings();
  const rows = earnings.data;
  const months = by === 'month' ? drawnMonths(rows ?? []) : [];
  return (
    <div className={classes.screen}>
      <Sums rows={rows} failed={earnings.error !== null} />
      {months.length > 1 && (
        <Card title="Received and cost" end={<Legend />}>
          <BarChart
            quiet
            groups={months.map((row) => ({
              key: row.key,
              label: shortMonthText(row.key),
              first: { value: row.received, title: `${moneyText(row.received)} received` },
              second: { value: row.cost, title: `${moneyText(row.cost)} cost` },
            }))}
          />
        </Card>
      )}
      <section>
        <DataTable
          label="Earnings"
          columns={columnsOf(by)}
          rows={rows}
          rowKey={(row) => row.key}
          loading={earnings.isFetching}
          error={earnings.error}
          onRetry={earnings.refetch}
          loadingText="Loading earnings..."
          filters={
            <>
              <SegmentedControl
                aria-label="Group by"
                value={by}
                data={Object.entries(groups).map(([value, label]) => ({ value, label }))}
                onChange={(value) => setState({ kind: value === 'month' ? undefined : value })}
              />
              <DayFilter {...span} onChange={setState} />
              {mayExport && (
                <ExportCsv saving={save.isPending} error={save.error} onSave={() => save.mutate(span)} />
              )}
            </>
          }
          empty={
            <EmptyState
              title={span.from || span.to ? 'No bookings on these days' : 'No bookings yet'}
              text="Orders show here with what they cost, and with what customers with direct billing paid for them."
            />
          }
        />
        <Text size="sm" c="dimmed" mt="sm" maw={720}>
          Received is what customers with direct billing paid you, less refunds and disputes. Cost is what the
          same items took from your prepaid balance. The fees of the payment provider are not included. Days
          and months are in UTC.
        </Text>
      </section>
    </div>
  );
}

function Sums({ rows, failed }: { rows: readonly EarningsRow[] | undefined; failed: boolean }) {
  const sums = rows && earningsSums(rows);
  const shown = (cents: number | undefined) =>
    cents === undefined ? (failed ? null : undefined) : moneyText(cents);
  return (
    <Figures
      label="Earnings"
      figures={[
        { title: 'Received', value: shown(sums?.received), detail: 'from your customers' },
        { title: 'Cost', value: shown(sums?.cost), detail: 'of the same items' },
        { title: 'Earned', value: shown(sums?.earned), detail: 'received less cost' },
        { title: 'Cost of other items', value: shown(sums?.otherCost), detail: 'you bill these yourself' },
      ]}
    />
  );
}

function Legend() {
  return (
    <span className={classes.legend}>
      <i data-first /> Received <i /> Cost
    </span>
  );
}

function columnsOf(by: By): Column<EarningsRow>[] {
  return [
    {
      key: 'label',
      title: groups[by],
      width: '34%',
      render: (row) => (by === 'month' ? monthText(row.key) : row.label),
    },
    { key: 'items', title: 'Items', align: 'right', gives: 1, render: (row) => row.items },
    { key: 'received', title: 'Received', align: 'right', render: (row) => figure(row.received) },
    { key: 'cost', title: 'Cost', align: 'right', render: (row) => figure(row.cost) },
    { key: 'earned', title: 'Earned', align: 'right', render: (row) => <b>{figure(row.earned)}</b> },
    {
      key: 'other',
      title: 'Cost of other items',
      align: 'right',
      gives: 2,
      render: (row) => figure(row.otherCost),
    },
  ];
}

const figure = (cents: number) => <span className={classes.figure}>{moneyText(cents)}</span>;
