import {
  Group,
  Pagination,
  Skeleton,
  Table,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { ErrorState } from './error-state.tsx';

export interface Column<T> {
  key: string;
  title: string;
  /** Name the server sorts by; absent: not sortable. */
  sort?: string;
  align?: 'left' | 'right';
  hideTitle?: boolean;
  render: (row: T) => ReactNode;
}

export interface TableState {
  page: number;
  pageSize: number;
  sort: string | undefined;
  search: string;
}

/** A list that pages, sorts and searches on the server. A row opens by click or Enter; arrows move between rows. */
export function DataTable<T>(props: {
  label: string;
  columns: Column<T>[];
  rows: T[] | undefined;
  total: number | undefined;
  rowKey: (row: T) => string;
  state: TableState;
  onState: (change: Partial<TableState>) => void;
  loading: boolean;
  error: Error | null;
  onRetry: () => unknown;
  empty: ReactNode;
  /** Shown while nothing is there yet, e.g. 'Loading domains...' */
  loadingText: string;
  onOpen?: (row: T) => void;
  searchLabel?: string;
  filters?: ReactNode;
}) {
  const { columns, rows, state } = props;
  const pages = Math.max(1, Math.ceil((props.total ?? 0) / state.pageSize));
  if (props.error && !rows) return <ErrorState error={props.error} onRetry={props.onRetry} />;
  return (
    <div aria-busy={props.loading}>
      <Group mb="sm" gap="sm">
        {props.searchLabel && <Search label={props.searchLabel} state={state} onState={props.onState} />}
        {props.filters}
      </Group>
      <Table.ScrollContainer minWidth={560}>
        <Table highlightOnHover={props.onOpen !== undefined} verticalSpacing="sm" aria-label={props.label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <HeaderCell key={column.key} column={column} state={state} onState={props.onState} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody onKeyDown={moveBetweenRows}>
            {rows === undefined ? (
              <SkeletonRows columns={columns.length} text={props.loadingText} />
            ) : (
              rows.map((row) => (
                <Table.Tr
                  key={props.rowKey(row)}
                  tabIndex={props.onOpen ? 0 : undefined}
                  style={props.onOpen ? { cursor: 'pointer' } : undefined}
                  onClick={() => props.onOpen?.(row)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && event.target === event.currentTarget) props.onOpen?.(row);
                  }}
                >
                  {columns.map((column) => (
                    <Table.Td key={column.key} ta={column.align ?? 'left'}>
                      {column.render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows?.length === 0 && props.empty}
      {rows && rows.length > 0 && (
        <Group justify="space-between" mt="md">
          <Text size="sm" c="dimmed" role="status">
            {(state.page - 1) * state.pageSize + 1}–{(state.page - 1) * state.pageSize + rows.length} of{' '}
            {props.total}
          </Text>
          {pages > 1 && (
            <Pagination
              total={pages}
              value={state.page}
              onChange={(page) => props.onState({ page })}
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            />
          )}
        </Group>
      )}
    </div>
  );
}

function HeaderCell<T>(props: {
  column: Column<T>;
  state: TableState;
  onState: (change: Partial<TableState>) => void;
}) {
  const { column, state } = props;
  const title = column.hideTitle ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title;
  if (!column.sort) return <Table.Th ta={column.align ?? 'left'}>{title}</Table.Th>;
  const direction =
    state.sort === column.sort ? 'ascending' : state.sort === `-${column.sort}` ? 'descending' : 'none';
  const next = direction === 'ascending' ? `-${column.sort}` : column.sort;
  return (
    <Table.Th ta={column.align ?? 'left'} aria-sort={direction}>
      <UnstyledButton fw={700} fz="sm" onClick={() => props.onState({ sort: next, page: 1 })}>
        {title} {direction === 'ascending' && <IconArrowUp size={13} />}
        {direction === 'descending' && <IconArrowDown size={13} />}
      </UnstyledButton>
    </Table.Th>
  );
}

function Search(props: { label: string; state: TableState; onState: (change: Partial<TableState>) => void }) {
  const [text, setText] = useState(props.state.search);
  const apply = useDebouncedCallback((search: string) => props.onState({ search, page: 1 }), 250);
  return (
    <TextInput
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={16} />}
      value={text}
      maxLength={200}
      w={{ base: '100%', xs: 280 }}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}

function SkeletonRows({ columns, text }: { columns: number; text: string }) {
  return [0, 1, 2, 3, 4].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        {row === 0 && <VisuallyHidden role="status">{text}</VisuallyHidden>}
        <Skeleton height={18} />
      </Table.Td>
    </Table.Tr>
  ));
}

function moveBetweenRows(event: KeyboardEvent<HTMLElement>) {
  const row = event.target as HTMLElement;
  if (row.tagName !== 'TR') return;
  const next =
    event.key === 'ArrowDown'
      ? row.nextElementSibling
      : event.key === 'ArrowUp'
        ? row.previousElementSibling
        : null;
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
