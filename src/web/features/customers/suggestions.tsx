import { Alert, Button, Group, List, Pagination, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { CustomerImport, ImportRow } from '#contracts/operations/customer-import.ts';
import { countText } from '#contracts/values/format.ts';
import { messageOf } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { labelOf } from './column-texts.ts';
import { useApplySuggestions, useImportRows } from './import-api.ts';

const pageSize = 100;

/** Applies every suggestion of a file, after all of the changes could be seen (decisions no. 32). */
export function ApplyAll({ found }: { found: CustomerImport }) {
  const [opened, setOpened] = useState(false);
  if (found.suggested === 0) return null;
  return (
    <>
      <Button onClick={() => setOpened(true)}>Apply all suggestions</Button>
      {opened && <AllChanges found={found} onClose={() => setOpened(false)} />}
    </>
  );
}

function AllChanges({ found, onClose }: { found: CustomerImport; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const rows = useImportRows(found.importId, { suggested: 'true', page, pageSize });
  const apply = useApplySuggestions(found.importId);
  const pages = Math.ceil((rows.data?.meta.total ?? 0) / pageSize);
  const count = `${countText(found.suggested)} ${found.suggested === 1 ? 'row' : 'rows'}`;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Apply all suggestions to ${count}`}
      size="xl"
      running={apply.isPending}
      centered
    >
      <Stack>
        <Text size="sm">
          The cells below are replaced, and the rows are checked again. No customer is changed yet.
        </Text>
        {rows.error && <Alert color="red">{messageOf(rows.error)}</Alert>}
        {!rows.data && !rows.error && <Skeleton height={160} role="status" aria-label="Loading changes..." />}
        <Stack
          gap="xs"
          mah="50vh"
          style={{ overflowY: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label="All changes"
        >
          {rows.data?.rows.map((row) => (
            <Changes key={row.row} row={row} />
          ))}
        </Stack>
        {pages > 1 && (
          <Pagination total={pages} value={page} onChange={setPage} aria-label="Pages of changes" />
        )}
        {apply.error && (
          <Alert color="red" variant="light" role="alert">
            {messageOf(apply.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={apply.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={apply.isPending} onClick={() => apply.mutate(undefined, { onSuccess: onClose })}>
            {apply.isPending ? 'Applying...' : 'Apply'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Changes({ row }: { row: ImportRow }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        Row {row.row}: {row.organization || '–'}
      </Text>
      <List size="sm" listStyleType="none">
        {row.faults
          .filter(({ suggestion }) => suggestion !== null)
          .map(({ column, value, suggestion }) => (
            <List.Item key={column} style={{ overflowWrap: 'anywhere' }}>
              {labelOf(column)}: {value || 'empty'} → <strong>{suggestion || 'empty'}</strong>
            </List.Item>
          ))}
      </List>
    </div>
  );
}

/** The suggestions of one row. */
export function ApplyToRow({ importId, row }: { importId: string; row: ImportRow }) {
  const apply = useApplySuggestions(importId);
  if (!row.faults.some(({ suggestion }) => suggestion !== null)) return null;
  return (
    <Group gap="sm" mt={4}>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Apply the suggestions of row ${row.row}`}
        disabled={apply.isPending}
        onClick={() => apply.mutate([row.row])}
      >
        {apply.isPending ? 'Applying...' : 'Apply'}
      </Button>
      {apply.error && (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {messageOf(apply.error)}
        </Text>
      )}
    </Group>
  );
}
