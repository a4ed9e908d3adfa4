import { Box, Code, List, Text } from '@mantine/core';
import {
  type CustomerImport,
  type ImportRow,
  type RowKind,
  rowKinds,
} from '#contracts/operations/customer-import.ts';
import { useTableState } from '../../lib/use-table-state.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useImportRows } from './import-api.ts';
import { ApplyToRow } from './suggestions.tsx';

export const kindTexts: Record<RowKind, string> = {
  new: 'New',
  changed: 'Changed',
  same: 'Unchanged',
  faulty: 'Faulty',
};

/** Which rows are shown: those of the address, else the faulty ones, else all. */
export function useShownKind(found: CustomerImport): RowKind | null {
  const { kind } = useTableState();
  if (kind === 'all') return null;
  const named = rowKinds.find((name) => name === kind);
  return named ?? (found.rows.faulty > 0 ? 'faulty' : null);
}

/** What each row of the file would do, or why it cannot be taken. */
export function ImportRows({ found }: { found: CustomerImport }) {
  const { state, setState } = useTableState();
  const kind = useShownKind(found);
  const rows = useImportRows(found.importId, {
    page: state.page,
    pageSize: state.pageSize,
    ...(kind ? { kind } : {}),
  });
  return (
    <DataTable
      label="Rows of the file"
      columns={columnsOf(found)}
      rows={rows.data?.rows}
      total={rows.data?.meta.total}
      rowKey={(row) => String(row.row)}
      state={state}
      onState={setState}
      loading={rows.isFetching}
      error={rows.error}
      onRetry={rows.refetch}
      loadingText="Loading rows..."
      empty={<EmptyState title="No rows of this kind" />}
    />
  );
}

const columnsOf = (found: CustomerImport): Column<ImportRow>[] => [
  {
    key: 'row',
    title: 'Row',
    align: 'right',
    render: (row) => <span className="number">{row.row}</span>,
  },
  { key: 'organization', title: 'Organization', render: (row) => row.organization || '–' },
  { key: 'kind', title: 'Result', render: (row) => kindTexts[row.kind] },
  { key: 'what', title: 'Details', render: (row) => <Details row={row} found={found} /> },
];

function Details({ row, found }: { row: ImportRow; found: CustomerImport }) {
  if (row.faults.length > 0) {
    return (
      <Box py="xs">
        <List size="sm" spacing={6} listStyleType="none">
          {row.faults.map((fault) => (
            <List.Item key={fault.column + fault.reason}>
              {fault.column && <Code>{fault.column}</Code>} {fault.value && <q>{fault.value}</q>}
              <Text size="sm" component="div" c="var(--bad)">
                {fault.reason}
              </Text>
              {fault.suggestion !== null && <Suggestion text={fault.suggestion} />}
            </List.Item>
          ))}
        </List>
        {found.state === 'ready' && <ApplyToRow importId={found.importId} row={row} />}
      </Box>
    );
  }
  if (row.changes.length === 0) return null;
  return (
    <List size="sm" listStyleType="none" py="xs">
      {row.changes.map(({ field, before, after }) => (
        <List.Item key={field}>
          <Code>{field}</Code> {before || 'empty'} → {after || 'empty'}
        </List.Item>
      ))}
    </List>
  );
}

function Suggestion({ text }: { text: string }) {
  return (
    <Text size="sm" component="div">
      Suggested: {text === '' ? 'leave it empty' : <strong>{text}</strong>}
    </Text>
  );
}
