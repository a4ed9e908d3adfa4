import { ActionIcon, Badge, Skeleton, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp, IconHistory, IconPencil, IconTrash } from '@tabler/icons-react';
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { type DnsRecord, hostOf, recordData, recordKey, ttlText } from '#contracts/values/dns-records.ts';
import { ShortAuthor } from '../../ui/author.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Lately } from '../../ui/date-time.tsx';
import type { LastChange } from './api.ts';
import { type RecordRow, type TableItem, tableItems, withIndex } from './record-rows.ts';
import classes from './record-table.module.css';
import { purposeTitles } from './zone-groups.ts';

export interface RecordTableProps {
  domain: string;
  rows: readonly RecordRow[];
  /** Of the whole zone: the groups are judged by all of their records, also those that are not shown. */
  records: readonly DnsRecord[];
  /** Who changed each record last. */
  lastChanges: ReadonlyMap<string, LastChange>;
  /** Without it the rows are only shown. */
  onEdit?: ((row: RecordRow) => void) | undefined;
  onDelete: (row: RecordRow) => void;
  /** Takes the last change of a record back. */
  onPutBack: (change: LastChange) => void;
  /** Takes a collected change back. */
  onTakeBack: (row: RecordRow) => void;
  /** The record that is being edited in its row, and its form. */
  edited: { key: string; form: ReactNode } | null;
}

/** Up to so many records of the zone every row is in the page, so that the browser finds its text. */
const mostInPage = 200;
const rowPx = 41;
const columns = ['Type', 'Subdomain', 'Data', 'TTL', 'Last change'];

/** P2 §2: Type, Subdomain (@ when empty), Data, TTL. By purpose; thousands of rows scroll with the page. */
export function RecordTable(props: RecordTableProps) {
  const items = tableItems(props.domain, props.rows, props.records);
  return (
    <div className={classes.scroll}>
      <table
        aria-label="DNS records"
        aria-rowcount={items.length + 1}
        className={classes.table}
        // The focus goes on here where a record's row is gone.
        tabIndex={-1}
        data-records
      >
        <Head />
        {props.records.length > mostInPage ? (
          <ManyRows {...props} items={items} />
        ) : (
          <tbody className={classes.body}>
            {items.map((item, index) => (
              <tr key={item.key} aria-rowindex={index + 2} {...rowOf(item, props)}>
                <Cells {...props} item={item} />
              </tr>
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

function Head() {
  return (
    <thead className={classes.head}>
      <tr className={classes.row} data-head aria-rowindex={1}>
        {columns.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        <th scope="col">
          <VisuallyHidden>Actions</VisuallyHidden>
        </th>
      </tr>
    </thead>
  );
}

function rowOf(item: TableItem, { edited }: RecordTableProps) {
  if (item.kind === 'group')
    return { className: `${classes.row} ${classes.group}`, 'data-group': item.purpose };
  if (item.row.key === edited?.key) return { className: `${classes.row} ${classes.editing}` };
  return { className: classes.row, 'data-mark': item.row.mark ?? undefined, 'data-record': item.row.key };
}

function ManyRows(props: RecordTableProps & { items: readonly TableItem[] }) {
  const { items } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    const box = body.current?.getBoundingClientRect();
    if (box) setTopPx(box.top + window.scrollY);
  }, []);
  const editedAt = items.findIndex((item) => item.kind === 'row' && item.key === props.edited?.key);
  const virtual = useWindowVirtualizer({
    count: items.length,
    // The row that is being edited stays in the page, out of sight too: nothing typed is lost.
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), editedAt),
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: topPx,
    getItemKey: (index) => items[index]?.key ?? index,
  });
  return (
    <tbody ref={body} className={classes.body} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index];
        if (!item) return null;
        const { className, ...marks } = rowOf(item, props);
        return (
          <tr
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className={`${className} ${classes.virtual}`}
            {...marks}
            aria-rowindex={index + 2}
            style={{ transform: `translateY(${start - topPx}px)` }}
          >
            <Cells {...props} item={item} />
          </tr>
        );
      })}
    </tbody>
  );
}

const markTexts = { new: 'New', changed: 'Changed', deleted: 'Deleted' };
const markColors = { new: 'teal', changed: 'yellow', deleted: 'red' };

function Cells(props: RecordTableProps & { item: TableItem }) {
  const { item, edited } = props;
  if (item.kind === 'group') {
    return (
      <th scope="rowgroup" colSpan={6}>
        <span>{purposeTitles[item.purpose]}</span>
        <Chip tone={item.verdict.tone}>{item.verdict.text}</Chip>
      </th>
    );
  }
  if (item.row.key === edited?.key) return <td colSpan={6}>{edited.form}</td>;
  return <RecordCells {...props} row={item.row} />;
}

function RecordCells({ row, domain, ...props }: RecordTableProps & { row: RecordRow }) {
  const { record, mark, before } = row;
  const { onEdit } = props;
  const what = `${record.type} record for ${hostOf(record, domain)}`;
  const data = recordData(record);
  const last = mark === null ? props.lastChanges.get(recordKey(record)) : undefined;
  return (
    <>
      <td>
        <span className={classes.type}>{record.type}</span>
      </td>
      <td className={classes.name} title={record.subdomain || '@'}>
        <span>{record.subdomain || '@'}</span>
      </td>
      <td className={classes.data} title={data}>
        {before && <del>{recordData(before)}</del>}
        <span>{data}</span>
      </td>
      <td className={classes.ttl}>{ttlText}</td>
      <td className={classes.last} data-marked={mark !== null || undefined}>
        {last && <Last change={last} />}
        {mark && (
          <Badge size="sm" variant="light" color={markColors[mark]}>
            {markTexts[mark]}
          </Badge>
        )}
      </td>
      <td className={classes.actions}>
        {mark && onEdit && (
          <Action label={`Undo the change to the ${what}`} onClick={() => props.onTakeBack(row)}>
            <IconArrowBackUp size={16} />
          </Action>
        )}
        {last?.old && onEdit && (
          <Action label={`Put back the ${what}`} onClick={() => props.onPutBack(last)}>
            <IconHistory size={16} />
          </Action>
        )}
        {mark !== 'deleted' && onEdit && (
          <>
            <Action label={`Edit ${what}`} edits onClick={() => onEdit(row)}>
              <IconPencil size={16} />
            </Action>
            <Action label={`Delete ${what}`} onClick={() => props.onDelete(row)}>
              <IconTrash size={16} />
            </Action>
          </>
        )}
      </td>
    </>
  );
}

/** Who, when and why; on hover also what it was before. */
function Last({ change }: { change: LastChange }) {
  const { author, at, reason, old } = change;
  const was = old ? `Before: ${recordData(old as DnsRecord)}` : 'New with this change';
  return (
    <span title={[author, reason, was].filter(Boolean).join('\n')}>
      <Lately at={at} />
      {' · '}
      <ShortAuthor name={author} />
      {reason && ` · ${reason}`}
    </span>
  );
}

/** `edits`: it opens the row for editing. */
function Action(props: { label: string; edits?: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="md"
      aria-label={props.label}
      title={props.label}
      data-edits={props.edits}
      onClick={props.onClick}
    >
      {props.children}
    </ActionIcon>
  );
}

const skeletons = [0, 1, 2, 3, 4, 5];

export function RecordSkeleton() {
  return (
    <div role="status" aria-label="Loading records...">
      {skeletons.map((row) => (
        <Skeleton key={row} height={32} mb={16} />
      ))}
    </div>
  );
}
