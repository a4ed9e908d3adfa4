import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { StatementKind, StatementLine } from '#contracts/operations/statement.ts';
import { moneyText, monthText } from '#contracts/values/format.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { atMarks } from '../../ui/breakable.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Day } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Figures } from '../../ui/figures.tsx';
import { ChoiceFilter, DayFilter, ExportCsv } from '../../ui/filters.tsx';
import { type StatementFilter, useMonths, useSaveCsv, useSaveMonth, useStatement } from './api.ts';
import { kinds, statementFilter } from './filter.ts';
import classes from './statement-tab.module.css';

export interface StatementTabProps {
  /** Posted, less what is held; undefined while it is not known, null where it cannot be read. */
  balance: { balance: number; held: number } | null | undefined;
  customers: { value: string; label: string }[];
  mayExport: boolean;
  /** Who the papers are made out to, for those who may see it. */
  recipient: ReactNode;
}

/** Every movement of the prepaid balance, newest first. */
export function StatementTab({ balance, customers, mayExport, recipient }: StatementTabProps) {
  const { state, setState, customer, kind, from, to } = useTableState('-at');
  const filter = statementFilter({ kind, from, to, customer, search: state.search });
  const statement = useStatement({ ...state, sort: state.sort as '-at', ...filter });
  const filtered = Object.values(filter).some(Boolean);
  return (
    <Stack gap="md">
      <Sums balance={balance} />
      <section>
        <DataTable
          label="Statement"
          columns={columns}
          rows={statement.data?.rows}
          total={statement.data?.meta.total}
          rowKey={(line) => line.entryId}
          state={state}
          onState={setState}
          loading={statement.isFetching}
          error={statement.error}
          onRetry={statement.refetch}
          loadingText="Loading statement..."
          searchLabel="Search the text"
          filters={
            <Filters
              filter={filter}
              customers={customers}
              onChange={(change) => setState({ ...change, page: 1 })}
              mayExport={mayExport}
            />
          }
          empty={
            <EmptyState
              title={filtered ? 'No transactions found' : 'No transactions yet'}
              text={
                filtered
                  ? 'No transactions match these filters.'
                  : 'Top-ups, purchases and corrections of your balance are listed here.'
              }
            />
          }
        />
      </section>
      <Months mayExport={mayExport} />
      {recipient}
    </Stack>
  );
}

/** The three figures a reader adds up: what is posted is what the newest line says. */
function Sums({ balance }: Pick<StatementTabProps, 'balance'>) {
  const shown = (cents: (of: { balance: number; held: number }) => number) =>
    balance ? moneyText(cents(balance)) : balance;
  return (
    <Figures
      label="Balance"
      figures={[
        {
          title: 'Posted',
          value: shown(({ balance: free, held }) => free + held),
          detail: 'after the latest entry',
        },
        { title: 'Reserved', value: shown(({ held }) => held), detail: 'by running orders' },
        { title: 'Available', value: shown(({ balance: free }) => free), detail: 'posted minus reserved' },
      ]}
    />
  );
}

function Filters(props: {
  filter: StatementFilter;
  customers: { value: string; label: string }[];
  onChange: (change: Omit<StatementFilter, 'search'>) => void;
  mayExport: boolean;
}) {
  const { filter, onChange } = props;
  const save = useSaveCsv();
  return (
    <>
      <ChoiceFilter
        label="Kind"
        all="All kinds"
        searchable={false}
        width={124}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={filter.kind}
        onChange={(kind) => onChange({ kind: kind as StatementKind | undefined })}
      />
      <ChoiceFilter
        label="Customer"
        all="All customers"
        data={props.customers}
        value={filter.customer}
        onChange={(customer) => onChange({ customer })}
      />
      <DayFilter from={filter.from} to={filter.to} onChange={onChange} />
      {props.mayExport && (
        <ExportCsv saving={save.isPending} error={save.error} onSave={() => save.mutate(filter)} />
      )}
    </>
  );
}

const columns: Column<StatementLine>[] = [
  { key: 'at', title: 'Date', sort: 'at', render: (line) => <Day at={line.at} /> },
  { key: 'kind', title: 'Kind', render: (line) => kinds[line.kind] },
  { key: 'text', title: 'Description', width: '42%', render: (line) => <What line={line} /> },
  { key: 'customer', title: 'Customer', width: '24%', gives: 1, render: (line) => line.customer },
  {
    key: 'reference',
    title: 'Reference',
    gives: 2,
    render: (line) => <Reference line={line} />,
  },
  {
    key: 'amount',
    title: 'Amount',
    sort: 'amount',
    align: 'right',
    render: (line) => (
      <Text
        span
        size="sm"
        className="number"
        fw={600}
        style={nowrap}
        {...(line.amount > 0 ? { c: 'var(--good)' } : {})}
      >
        {moneyText(line.amount)}
      </Text>
    ),
  },
  {
    key: 'balance',
    title: 'Balance',
    align: 'right',
    render: (line) => figure(line.balance),
  },
];

/** Each line leads to its order. */
function What({ line }: { line: StatementLine }) {
  const text = <span className={classes.text}>{atMarks(line.text || kinds[line.kind])}</span>;
  if (!line.orderId) return text;
  return (
    <Anchor component={Link} to={`/orders/${line.orderId}`} size="sm">
      {text}
    </Anchor>
  );
}

/** The registrar's number is short and shown whole; the payment provider's ends in an ellipsis. */
function Reference({ line }: { line: StatementLine }) {
  const text = line.registrarOrderId ? `Registrar ${line.registrarOrderId}` : (line.payment ?? '');
  return (
    <span className={`${classes.reference} number`} title={text}>
      {text}
    </span>
  );
}

/** What a bookkeeper asks for: a document a month. */
function Months({ mayExport }: { mayExport: boolean }) {
  const months = useMonths();
  const save = useSaveMonth();
  return (
    <Card flush title="Months" end="for your accounting">
      {save.error && (
        <Alert color="red" variant="light" role="alert" radius={0}>
          {save.error.message}
        </Alert>
      )}
      <DataTable
        label="Months"
        columns={[
          { key: 'month', title: 'Month (UTC)', width: '40%', render: (row) => monthText(row.month) },
          { key: 'opening', title: 'Opening', align: 'right', render: (row) => figure(row.opening) },
          { key: 'in', title: 'In', align: 'right', render: (row) => figure(row.in) },
          { key: 'out', title: 'Out', align: 'right', render: (row) => figure(row.out) },
          { key: 'closing', title: 'Closing', align: 'right', render: (row) => figure(row.closing) },
          ...(mayExport
            ? [
                {
                  key: 'pdf',
                  title: 'Document',
                  hideTitle: true,
                  align: 'right' as const,
                  render: (row: { month: string }) => (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`PDF of ${monthText(row.month)}`}
                      disabled={save.isPending}
                      onClick={() => save.mutate(row.month)}
                    >
                      PDF
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
        rows={months.data}
        rowKey={(row) => row.month}
        loading={months.isFetching}
        error={months.error}
        onRetry={months.refetch}
        loadingText="Loading months..."
        empty={
          <Text c="dimmed" p="md">
            No month has transactions yet.
          </Text>
        }
      />
    </Card>
  );
}

const nowrap = { whiteSpace: 'nowrap' } as const;
const figure = (cents: number) => (
  <span className="number" style={nowrap}>
    {moneyText(cents)}
  </span>
);
