import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { StatementLine } from '#contracts/operations/statement.ts';
import { moneyText, monthText } from '#contracts/values/format.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ChoiceFilter, DayFilter, dayOf, ExportCsv } from '../../ui/filters.tsx';
import { type StatementFilter, useMonths, useSaveCsv, useSaveMonth, useStatement } from './api.ts';

const kinds = {
  topup: 'Top-up',
  purchase: 'Purchase',
  refund: 'Refund',
  reversal: 'Reversal',
  adjustment: 'Correction',
} as const;
type Kind = keyof typeof kinds;

export interface StatementTabProps {
  /** Posted, less what is held; null while it is not known. */
  balance: { balance: number; held: number } | null;
  customers: { value: string; label: string }[];
  mayExport: boolean;
  /** Who the papers are made out to, for those who may see it. */
  recipient: ReactNode;
}

/** Every movement of the prepaid balance, newest first. */
export function StatementTab({ balance, customers, mayExport, recipient }: StatementTabProps) {
  const { state, setState, customer, kind, from, to } = useTableState('-at');
  const filter: StatementFilter = {
    kind: kind !== undefined && kind in kinds ? (kind as Kind) : undefined,
    from: dayOf(from),
    to: dayOf(to),
    customer,
  };
  const statement = useStatement({ ...state, sort: state.sort as '-at', ...filter });
  const filtered = Object.values(filter).some(Boolean) || state.search !== '';
  return (
    <Stack gap="xl">
      <section>
        <Figures balance={balance} />
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
function Figures({ balance }: Pick<StatementTabProps, 'balance'>) {
  if (!balance) return null;
  return (
    <Text size="sm" c="dimmed" mb="md" className="number">
      Posted {moneyText(balance.balance + balance.held)} · reserved by running orders{' '}
      {moneyText(balance.held)} · available {moneyText(balance.balance)}
    </Text>
  );
}

function Filters(props: {
  filter: StatementFilter;
  customers: { value: string; label: string }[];
  onChange: (change: StatementFilter) => void;
  mayExport: boolean;
}) {
  const { filter, onChange } = props;
  const save = useSaveCsv();
  return (
    <Group gap="xs" align="flex-end">
      <ChoiceFilter
        label="Kind"
        all="All kinds"
        searchable={false}
        width={140}
        data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        value={filter.kind}
        onChange={(kind) => onChange({ kind: kind as Kind | undefined })}
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
    </Group>
  );
}

const columns: Column<StatementLine>[] = [
  { key: 'at', title: 'Date', sort: 'at', render: (line) => <Moment at={line.at} /> },
  { key: 'kind', title: 'Kind', render: (line) => kinds[line.kind] },
  { key: 'text', title: 'Description', width: '36%', render: (line) => <What line={line} /> },
  { key: 'customer', title: 'Customer', width: '20%', gives: 1, render: (line) => line.customer },
  {
    key: 'reference',
    title: 'Reference',
    width: '16%',
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

function Moment({ at }: { at: string }) {
  return (
    <span style={nowrap}>
      <DateTime at={at} />
    </span>
  );
}

/** Each line leads to its order. */
function What({ line }: { line: StatementLine }) {
  const text = <span style={{ overflowWrap: 'anywhere' }}>{line.text || kinds[line.kind]}</span>;
  if (!line.orderId) return text;
  return (
    <Anchor component={Link} to={`/orders/${line.orderId}`} size="sm">
      {text}
    </Anchor>
  );
}

function Reference({ line }: { line: StatementLine }) {
  if (line.registrarOrderId) return <span className="number">Registrar {line.registrarOrderId}</span>;
  return <span style={{ overflowWrap: 'anywhere' }}>{line.payment ?? ''}</span>;
}

/** What a bookkeeper asks for: a document a month. */
function Months({ mayExport }: { mayExport: boolean }) {
  const months = useMonths();
  const save = useSaveMonth();
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Months
      </Title>
      {save.error && (
        <Alert color="red" variant="light" role="alert" mb="sm">
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
        empty={<Text c="dimmed">No month has transactions yet.</Text>}
      />
    </section>
  );
}

const nowrap = { whiteSpace: 'nowrap' } as const;
const figure = (cents: number) => (
  <span className="number" style={nowrap}>
    {moneyText(cents)}
  </span>
);
