import { Checkbox, Pagination, Skeleton, TextInput, VisuallyHidden } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconSearch } from '@tabler/icons-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { countText } from '#contracts/values/format.ts';
import classes from './data-table.module.css';
import { ErrorState } from './error-state.tsx';
import { RowBox } from './row-box.tsx';
import { Sliced } from './sliced.tsx';
import { onRowKeys } from './table-keys.ts';
import { fieldOf, pageInstead, withSeen } from './table-state.ts';

export interface Column<T> {
  key: string;
  title: string;
  /** Name the server sorts by; absent: not sortable. */
  sort?: string;
  align?: 'left' | 'right';
  hideTitle?: boolean;
  /** The share of the table it gets, e.g. '38%'. What is longer ends in an ellipsis; other columns fit their content. */
  width?: string;
  /** Leaves first (1), next (2) or last (3) as the table gets narrow. Cards show it all the same. */
  gives?: 1 | 2 | 3;
  /** Says nothing that the row does not say otherwise, such as an arrow: left out on narrow screens. */
  decoration?: boolean;
  render: (row: T) => ReactNode;
}

export interface TableState {
  page: number;
  pageSize: number;
  sort: string | undefined;
  search: string;
}

export interface DataTableProps<T> {
  label: string;
  /** The same array for the same cells: then only rows that are others are drawn again. */
  columns: readonly Column<T>[];
  rows: T[] | undefined;
  rowKey: (row: T) => string;
  /** Of all pages. The three belong together; without them `rows` is the whole list. */
  total?: number | undefined;
  state?: TableState;
  onState?: (change: Partial<TableState>) => void;
  loading: boolean;
  error: Error | null;
  onRetry: () => unknown;
  empty: ReactNode;
  /** Shown while nothing is there yet, e.g. 'Loading domains...' */
  loadingText: string;
  /** For rows without a `RowLink`. Those with one open by it: a click in the row, Enter on the link. */
  onOpen?: (row: T) => void;
  searchLabel?: string;
  filters?: ReactNode;
  /** Rows can be chosen; what is chosen stays so on other pages. */
  selection?: Selection<T>;
}

export interface Selection<T> {
  keys: ReadonlySet<string>;
  /** Names the row to those who do not see it, e.g. 'Choose acme.com'. */
  label: (row: T) => string;
  onChange: (rows: readonly T[], chosen: boolean) => void;
}

/** A list that pages, sorts and searches on the server. Arrows move between rows; narrow screens show cards. */
export function DataTable<T>(props: DataTableProps<T>) {
  // A page that has become empty says nothing of the list: the rows of another page are on their way.
  const rows = useLeaveEmptyPage(props) ? undefined : props.rows;
  // For the first rows alone, however many: what has been drawn stays when the window shrinks or the list grows.
  const [isWhole, setWhole] = useState(false);
  const first = isWhole ? rows : rows?.slice(0, rowsInWindow());
  // What is there already stays; a failure to refresh is reported above it.
  const failed = props.error && <ErrorState error={props.error} onRetry={props.onRetry} />;
  return (
    <div aria-busy={props.loading} data-table tabIndex={-1}>
      {(props.searchLabel || props.filters) && (
        <div className={classes.tools}>
          {props.searchLabel && <Search {...props} label={props.searchLabel} />}
          {props.filters}
        </div>
      )}
      {failed && <div className={classes.failure}>{failed}</div>}
      {!(failed && !rows) && rows?.length !== 0 && (
        <div className={classes.scroll}>
          <Rows
            {...{ ...props, rows, drawn: first, isWhole }}
            onDrawn={() => startTransition(() => setWhole(true))}
          />
        </div>
      )}
      {rows?.length === 0 && props.empty}
      {props.state && rows && rows.length > 0 && rows.length === first?.length && (
        // With the rows: it would be pushed down by them.
        <Sliced meanwhile={null}>
          <Foot {...props} state={props.state} shown={rows.length} />
        </Sliced>
      )}
    </div>
  );
}

/** Goes to a page that has rows. True while they are on their way. */
function useLeaveEmptyPage<T>({ rows, state, total = 0, loading, onState }: DataTableProps<T>): boolean {
  const isEmpty = rows?.length === 0;
  const page = state && isEmpty && !loading ? pageInstead(state, total) : null;
  // With the search, which takes the place of this address: Back would only lead here again.
  const go = useEffectEvent((to: number) => onState?.({ page: to, search: state?.search ?? '' }));
  useEffect(() => {
    if (page !== null) go(page);
  }, [page]);
  return page !== null || (isEmpty && loading && total > 0);
}

/** At least as many as a window shows. They are painted before the others are made. Rows are cards in a narrow one. */
function rowsInWindow(): number {
  const { innerHeight = Number.POSITIVE_INFINITY, innerWidth = 0 } = globalThis;
  return Math.ceil(innerHeight / (innerWidth < 600 ? 100 : 36));
}

interface DrawnProps<T> extends DataTableProps<T> {
  /** These of the rows, and then all. */
  drawn: T[] | undefined;
  isWhole: boolean;
  onDrawn: () => void;
}

function Rows<T>(props: DrawnProps<T>) {
  const { columns, rows, drawn, state, selection } = props;
  const onChoose = useLatest((row: T, chosen: boolean) => selection?.onChange([row], chosen));
  const onOpen = useLatest((row: T) => props.onOpen?.(row));
  const skeleton = (
    <SkeletonRows columns={columns.length + (props.selection ? 1 : 0)} text={props.loadingText} />
  );
  return (
    <table
      className={classes.table}
      aria-label={props.label}
      data-stale={(rows && props.loading) || undefined}
    >
      <thead>
        <tr>
          {props.selection && (
            <SelectAll rows={rows ?? []} rowKey={props.rowKey} selection={props.selection} />
          )}
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} state={state} onState={props.onState} />
          ))}
        </tr>
      </thead>
      <tbody onKeyDown={onRowKeys} onPointerOver={tellWhole} onFocus={tellWhole}>
        {drawn === undefined ? (
          skeleton
        ) : (
          <Sliced meanwhile={skeleton}>
            {drawn.map((row) => (
              <Row
                key={props.rowKey(row)}
                row={row}
                columns={columns}
                onOpen={props.onOpen && onOpen}
                choice={selection?.label(row)}
                isChosen={selection?.keys.has(props.rowKey(row)) ?? false}
                onChoose={onChoose}
              />
            ))}
            {!props.isWhole && <Then does={props.onDrawn} />}
          </Sliced>
        )}
      </tbody>
    </table>
  );
}

/** Does it when what is beside it has been drawn. */
function Then({ does }: { does: () => void }) {
  const done = useEffectEvent(does);
  useEffect(() => done(), []);
  return null;
}

/** The same function at each drawing, which does what the latest one would. */
function useLatest<A extends unknown[]>(does: (...given: A) => void): (...given: A) => void {
  const latest = useRef(does);
  useLayoutEffect(() => {
    latest.current = does;
  });
  return useCallback((...given: A) => latest.current(...given), []);
}

interface RowProps<T> {
  row: T;
  columns: readonly Column<T>[];
  onOpen: ((row: T) => void) | undefined;
  /** Names its box; undefined: it has none. */
  choice: string | undefined;
  isChosen: boolean;
  onChoose: (row: T, chosen: boolean) => void;
}

/** A list has fifty of them, and a person chooses one. */
const Row = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<T>({ row, columns, onOpen, choice, isChosen, onChoose }: RowProps<T>) {
  const [link, setLink] = useState<HTMLAnchorElement | null>(null);
  const findLink = (element: HTMLTableRowElement | null) =>
    setLink(element?.querySelector<HTMLAnchorElement>('[data-row-link]') ?? null);
  const opens = onOpen !== undefined || link !== null;
  const onClick = (event: MouseEvent) => {
    // What is within the cell, a link or a button, is for itself; selected text is to be copied.
    if ((event.target as Element).closest('a, button, input, label')) return;
    if (window.getSelection()?.isCollapsed === false) return;
    if (onOpen) onOpen(row);
    else if (link && (event.ctrlKey || event.metaKey)) window.open(link.href, '_blank', 'noopener');
    else link?.click();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) onOpen?.(row);
  };
  return (
    <tr
      ref={findLink}
      data-opens={opens || undefined}
      tabIndex={onOpen ? 0 : undefined}
      onClick={opens ? onClick : undefined}
      onKeyDown={onOpen ? onKeyDown : undefined}
    >
      {choice !== undefined && (
        <td data-select>
          <RowBox label={choice} checked={isChosen} onChange={(chosen) => onChoose(row, chosen)} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.key}
          data-align={column.align}
          data-shares={column.width !== undefined || undefined}
          data-gives={column.gives}
          data-title={column.hideTitle ? undefined : column.title}
          data-decoration={column.decoration || undefined}
        >
          {column.render(row)}
        </td>
      ))}
    </tr>
  );
}

function SelectAll<T>(props: { rows: readonly T[]; rowKey: (row: T) => string; selection: Selection<T> }) {
  const { rows, rowKey, selection } = props;
  const count = rows.filter((row) => selection.keys.has(rowKey(row))).length;
  return (
    <th scope="col" data-select>
      <Checkbox
        aria-label="Select all on this page"
        checked={rows.length > 0 && count === rows.length}
        indeterminate={count > 0 && count < rows.length}
        disabled={rows.length === 0}
        onChange={(event) => selection.onChange(rows, event.currentTarget.checked)}
      />
    </th>
  );
}

function HeaderCell<T>(props: {
  column: Column<T>;
  state: TableState | undefined;
  onState: ((change: Partial<TableState>) => void) | undefined;
}) {
  const { column, state } = props;
  const title = column.hideTitle ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title;
  if (!column.sort || !state) {
    return (
      <th scope="col" data-align={column.align} data-gives={column.gives} style={{ width: column.width }}>
        {title}
      </th>
    );
  }
  const direction =
    state.sort === column.sort ? 'ascending' : state.sort === `-${column.sort}` ? 'descending' : 'none';
  const next = direction === 'ascending' ? `-${column.sort}` : column.sort;
  return (
    <th
      scope="col"
      data-align={column.align}
      data-gives={column.gives}
      aria-sort={direction}
      style={{ width: column.width }}
    >
      <button type="button" className={classes.sort} onClick={() => props.onState?.({ sort: next, page: 1 })}>
        {title}
        {direction === 'ascending' && <IconArrowUp size={14} aria-hidden />}
        {direction === 'descending' && <IconArrowDown size={14} aria-hidden />}
      </button>
    </th>
  );
}

function Search<T>(props: Pick<DataTableProps<T>, 'state' | 'onState' | 'label'>) {
  const given = props.state?.search ?? '';
  const [known, setField] = useState(() => fieldOf(given));
  const field = withSeen(known, given);
  if (field !== known) setField(field);
  const apply = useDebouncedCallback((search: string) => {
    // Overtaken by a link or Back.
    if (search !== field.text) return;
    setField((now) => ({ ...now, asked: [...now.asked, search] }));
    props.onState?.({ search, page: 1 });
  }, 250);
  return (
    <TextInput
      aria-label={props.label}
      placeholder={props.label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={field.text}
      maxLength={200}
      className={classes.search}
      onChange={(event) => {
        const text = event.currentTarget.value;
        // A letter may come between the moment when the list is asked and the next drawing, which would not know of that.
        setField((now) => ({ ...now, text }));
        apply(text);
      }}
    />
  );
}

function Foot<T>(props: DataTableProps<T> & { state: TableState; shown: number }) {
  const { page, pageSize } = props.state;
  const first = (page - 1) * pageSize;
  const pages = Math.max(1, Math.ceil((props.total ?? 0) / pageSize));
  return (
    <div className={classes.foot}>
      <span role="status" className="number">
        {countText(first + 1)}–{countText(first + props.shown)} of {countText(props.total ?? 0)}
      </span>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          size="sm"
          onChange={(next) => props.onState?.({ page: next })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
    </div>
  );
}

const skeletonRows = [0, 1, 2, 3, 4];

function SkeletonRows({ columns, text }: { columns: number; text: string }) {
  return skeletonRows.map((row) => (
    <tr key={row}>
      <td colSpan={columns}>
        {row === 0 && <VisuallyHidden role="status">{text}</VisuallyHidden>}
        <Skeleton height={14} />
      </td>
    </tr>
  ));
}

/** A cell that is cut tells its whole text on hover and focus. */
function tellWhole(event: PointerEvent<HTMLElement> | FocusEvent<HTMLElement>) {
  const cell = (event.target as Element).closest('td');
  if (cell && cell.scrollWidth > cell.clientWidth && !cell.title) cell.title = cell.textContent;
}
