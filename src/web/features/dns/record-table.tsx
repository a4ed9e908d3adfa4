import { ActionIcon, Badge, Skeleton, VisuallyHidden } from '@mantine/core';
import { IconArrowBackUp, IconPencil, IconTrash } from '@tabler/icons-react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { hostOf, recordData, ttlText } from '#contracts/values/dns-records.ts';
import type { RecordRow } from './record-rows.ts';
import classes from './record-table.module.css';

export interface RecordTableProps {
  domain: string;
  rows: readonly RecordRow[];
  /** Without it the rows are only shown. */
  onEdit?: ((row: RecordRow) => void) | undefined;
  onDelete: (row: RecordRow) => void;
  /** Takes a collected change back. */
  onTakeBack: (row: RecordRow) => void;
}

/** Up to here every row is in the page, so that the browser finds its text. */
const mostInPage = 200;
const rowPx = 49;
const columns = ['Type', 'Subdomain', 'Data', 'TTL'];

/** P2 §2: Type, Subdomain (@ when empty), Data, TTL. Thousands of rows scroll with the page. */
export function RecordTable(props: RecordTableProps) {
  const { rows } = props;
  return (
    <div className={classes.scroll}>
      <table aria-label="DNS records" aria-rowcount={rows.length + 1} className={classes.table}>
        <Head />
        {rows.length > mostInPage ? <ManyRows {...props} /> : <FewRows {...props} />}
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

function FewRows(props: RecordTableProps) {
  return (
    <tbody className={classes.body}>
      {props.rows.map((row, index) => (
        <tr key={row.key} className={classes.row} aria-rowindex={index + 2} data-mark={row.mark ?? undefined}>
          <Cells {...props} row={row} />
        </tr>
      ))}
    </tbody>
  );
}

function ManyRows(props: RecordTableProps) {
  const { rows } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    const box = body.current?.getBoundingClientRect();
    if (box) setTopPx(box.top + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: topPx,
    getItemKey: (index) => rows[index]?.key ?? index,
  });
  return (
    <tbody ref={body} className={classes.body} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        return (
          <tr
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className={`${classes.row} ${classes.virtual}`}
            aria-rowindex={item.index + 2}
            data-mark={row.mark ?? undefined}
            style={{ transform: `translateY(${item.start - topPx}px)` }}
          >
            <Cells {...props} row={row} />
          </tr>
        );
      })}
    </tbody>
  );
}

const markTexts = { new: 'New', changed: 'Changed', deleted: 'Deleted' };
const markColors = { new: 'teal', changed: 'yellow', deleted: 'red' };
const longData = 240;

function Cells({ row, domain, onEdit, onDelete, onTakeBack }: RecordTableProps & { row: RecordRow }) {
  const { record, mark } = row;
  const what = `${record.type} record for ${hostOf(record, domain)}`;
  const data = recordData(record);
  return (
    <>
      <td>
        <strong>{record.type}</strong>
      </td>
      <td className={classes.name}>
        <span>{record.subdomain || '@'}</span>{' '}
        {mark && (
          <Badge size="sm" variant="light" color={markColors[mark]}>
            {markTexts[mark]}
          </Badge>
        )}
      </td>
      <td className={classes.data}>
        <span className={data.length > longData ? classes.long : undefined} title={data}>
          {data}
        </span>
      </td>
      <td className={classes.ttl}>{ttlText}</td>
      <td className={classes.actions}>
        {mark && onEdit && (
          <Action label={`Take back the change of the ${what}`} onClick={() => onTakeBack(row)}>
            <IconArrowBackUp size={16} />
          </Action>
        )}
        {mark !== 'deleted' && onEdit && (
          <>
            <Action label={`Edit ${what}`} onClick={() => onEdit(row)}>
              <IconPencil size={16} />
            </Action>
            <Action label={`Delete ${what}`} onClick={() => onDelete(row)}>
              <IconTrash size={16} />
            </Action>
          </>
        )}
      </td>
    </>
  );
}

function Action(props: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={props.label} onClick={props.onClick}>
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
