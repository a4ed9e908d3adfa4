import { Alert, Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { AuditRow } from '#contracts/operations/audit.ts';
import { auditActionNames, auditTitle } from '#contracts/values/audit-actions.ts';
import { countText } from '#contracts/values/format.ts';
import { type AuditFilter, useAudit, useSaveAudit, useVerifyAudit } from '../features/audit/api.ts';
import { changedFields, changeSummary } from '../features/audit/changed-fields.ts';
import { EntrySheet } from '../features/audit/entry-sheet.tsx';
import { objectText } from '../features/audit/object-text.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
import { useMay } from '../features/users/api.ts';
import { useUsers } from '../features/users/people-api.ts';
import { headings } from '../lib/headings.ts';
import { useTableState } from '../lib/use-table-state.ts';
import { Author } from '../ui/author.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ChoiceFilter, DayFilter, dayOf, ExportCsv } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { ShowAll } from '../ui/show-all.tsx';
import classes from './audit.module.css';
import { ListViews } from './list-views.tsx';

/** /audit: who did what, when, from where, what it was before and after. */
export default function AuditScreen() {
  const { state, setState, showAll, customer, person, kind, from, to } = useTableState('-at');
  const action = auditActionNames.find((name) => name === kind);
  const filter = { customerId: customer, person, action, from: dayOf(from), to: dayOf(to) };
  const audit = useAudit({ ...state, sort: state.sort as '-at', ...filter });
  const filtered = state.search !== '' || Object.values(filter).some(Boolean);
  const mayExport = useMay('audit.export');
  const verify = useVerifyAudit();
  const [shown, setShown] = useState<AuditRow | null>(null);
  return (
    <Page
      title={headings['/audit']}
      action={
        <Group gap="xs">
          <ListViews screen="audit" />
          {mayExport && <Export filter={{ ...filter, search: state.search || undefined }} />}
          {mayExport && <VerifyButton verify={verify} />}
        </Group>
      }
    >
      {mayExport && <Verdict verify={verify} />}
      <DataTable
        label="Audit log"
        columns={columnsWith(setShown)}
        rows={audit.data?.rows}
        total={audit.data?.meta.total}
        rowKey={(row) => String(row.sequence)}
        state={state}
        onState={setState}
        loading={audit.isFetching}
        error={audit.error}
        onRetry={audit.refetch}
        loadingText="Loading the log..."
        searchLabel="Search by person, domain or action"
        filters={
          <Filters
            filter={filter}
            rows={audit.data?.rows ?? []}
            mayExport={mayExport}
            onChange={({ customerId, action: chosen, ...days }) =>
              setState({ ...days, customer: customerId, kind: chosen, page: 1 })
            }
          />
        }
        empty={
          <EmptyState
            title={filtered ? 'No entries found' : 'No entries yet'}
            text={
              filtered
                ? 'No entries match these filters.'
                : 'Every change is listed here, with who made it, when and from which address.'
            }
            action={filtered && showAll && <ShowAll onPress={showAll} />}
          />
        }
      />
      <EntrySheet entry={shown} onClose={() => setShown(null)} />
    </Page>
  );
}

type FilterChange = Record<'customerId' | 'person' | 'action' | 'from' | 'to', string | undefined>;

/** By their words, as people look for them. */
const actionChoices = auditActionNames
  .map((value) => ({ value, label: auditTitle(value) }))
  .sort((one, other) => one.label.localeCompare(other.label));

/** A customer's own user meets these alone: what is done to domains, records, certificates and contacts. */
const ofCustomers = /^(dns|domains|certificates)\.|^customers\.update$/;

function Filters(props: {
  filter: AuditFilter;
  rows: readonly AuditRow[];
  onChange: (filter: FilterChange) => void;
  mayExport: boolean;
}) {
  const { from, to, customerId, person, action } = props.filter;
  const staff = useMay('catalogue.read');
  const customers = useCustomerChoices();
  const change = (part: Partial<FilterChange>) =>
    props.onChange({ customerId, person, action, from, to, ...part });
  return (
    <>
      {props.mayExport && (
        <PersonFilter person={person} rows={props.rows} onChange={(value) => change({ person: value })} />
      )}
      {props.mayExport && (
        <ChoiceFilter
          label="Customer"
          all="All customers"
          data={customerOptions(customers.data)}
          value={customerId}
          onChange={(value) => change({ customerId: value })}
        />
      )}
      <ChoiceFilter
        label="Action"
        all="Everything"
        data={staff ? actionChoices : actionChoices.filter(({ value }) => ofCustomers.test(value))}
        value={action}
        onChange={(value) => change({ action: value })}
      />
      <DayFilter from={from} to={to} onChange={change} />
    </>
  );
}

/** The file of what fits the filters and the search, on every page. */
function Export({ filter }: { filter: AuditFilter }) {
  const save = useSaveAudit();
  return <ExportCsv saving={save.isPending} error={save.error} onSave={() => save.mutate(filter)} />;
}

/** The current users, and everyone else who acted in the rows that are shown. */
function PersonFilter(props: {
  person: string | undefined;
  rows: readonly AuditRow[];
  onChange: (person: string | undefined) => void;
}) {
  const users = useUsers();
  const people = new Map<string, string>();
  for (const { actorId, actor } of props.rows) if (actorId) people.set(actorId, actor);
  for (const { userId, email } of users.data ?? []) people.set(userId, email);
  if (props.person && !people.has(props.person)) people.set(props.person, 'Former user');
  return (
    <ChoiceFilter
      label="Person"
      all="Everyone"
      data={[...people].map(([value, label]) => ({ value, label }))}
      value={props.person}
      onChange={props.onChange}
    />
  );
}

type Verify = ReturnType<typeof useVerifyAudit>;

/** The log is a chain. A changed, removed or moved entry breaks it. */
function VerifyButton({ verify }: { verify: Verify }) {
  return (
    <Button variant="default" disabled={verify.isPending} onClick={() => verify.mutate()}>
      {verify.isPending ? 'Verifying...' : 'Verify the log'}
    </Button>
  );
}

function Verdict({ verify }: { verify: Verify }) {
  const { broken, rows } = verify.data ?? { broken: null, rows: 0 };
  return (
    <div role="status" className={classes.verdict}>
      {verify.data && !broken && (
        <Alert color="teal" variant="light">
          {rows === 1 ? 'The only entry is' : `All ${countText(rows)} entries are`} unchanged.
        </Alert>
      )}
      {broken && (
        <Alert color="red" variant="light">
          The log cannot be verified from entry {broken.sequence} on: {broken.reason}.
        </Alert>
      )}
      {verify.error && (
        <Alert color="red" variant="light">
          {verify.error.message}
        </Alert>
      )}
    </div>
  );
}

const columnsWith = (onShow: (row: AuditRow) => void): Column<AuditRow>[] => [
  { key: 'at', title: 'When', sort: 'at', render: (row) => <DateTime at={row.at} /> },
  {
    key: 'actor',
    title: 'Who',
    width: '28%',
    render: (row) => (
      <div className={classes.who}>
        <Author name={row.actor} />
        {row.ip && <span className={classes.address}>{row.ip}</span>}
      </div>
    ),
  },
  {
    key: 'action',
    title: 'Action',
    width: '24%',
    render: (row) => <b className={classes.action}>{auditTitle(row.action)}</b>,
  },
  {
    key: 'object',
    title: 'Object',
    width: '26%',
    gives: 3,
    render: objectText,
  },
  { key: 'customer', title: 'Customer', width: '20%', gives: 1, render: (row) => row.customer },
  {
    key: 'change',
    title: 'Change',
    render: (row) => <Change row={row} onShow={() => onShow(row)} />,
  },
];

/** What changed, in a word; a click shows all of it beside the list. */
function Change({ row, onShow }: { row: AuditRow; onShow: () => void }) {
  if (row.before === null && row.after === null) return null;
  const fields = changedFields(row.before, row.after);
  const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  return (
    <button
      type="button"
      className={classes.change}
      aria-label={`${count}, before and after: ${changeSummary(fields)}`}
      onClick={onShow}
    >
      {count}
    </button>
  );
}
