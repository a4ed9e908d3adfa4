import { useLayoutEffect, useState } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScreen, screen, within } from '../../../tests/support/screen.tsx';
import { type Column, DataTable } from './data-table.tsx';

/** A list draws again what is another row, and nothing else: a person who chooses one of fifty waits for one. */

const drawn: string[] = [];
const opened: string[] = [];
const columns: Column<string>[] = [
  {
    ...{ key: 'name', title: 'Name' },
    render: (row) => {
      drawn.push(row);
      return row;
    },
  },
];
const rows = ['acme.com', 'bell.com', 'cedar.com'];

function List() {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return (
    <DataTable
      {...{ label: 'Names', loadingText: 'Loading names...', empty: null, loading: false, error: null }}
      {...{ rows, columns, rowKey: String }}
      onRetry={() => undefined}
      onOpen={(row) => opened.push(`${row} of ${keys.size}`)}
      selection={{
        keys,
        label: (row) => `Select ${row}`,
        onChange: (changed, on) => setKeys(new Set(on ? [...keys, ...changed] : [])),
      }}
    />
  );
}
const many = Array.from({ length: 100 }, (_unused, index) => `name-${index}.com`);
/** Opened at its last page, which is a short one. */
function Paged() {
  const [page, setPage] = useState(2);
  return (
    <DataTable
      {...{ label: 'Names', loadingText: 'Loading names...', empty: null, loading: false, error: null }}
      {...{ rows: page === 1 ? many : rows, columns, rowKey: String, total: 103 }}
      state={{ page, pageSize: 100, sort: undefined, search: '' }}
      onState={(change) => setPage(change.page ?? page)}
      onRetry={() => undefined}
    />
  );
}
/** What was there when each cell of a list came: rows, and the line below them. */
const seen: [rows: number, foot: boolean][] = [];
/** And what the box of all said then. */
const marked: [rows: number, all: boolean | undefined, some: boolean | undefined][] = [];
function Counting({ name }: { name: string }) {
  useLayoutEffect(() => {
    const count = document.querySelectorAll('tbody tr').length;
    seen.push([count, screen.queryByRole('status') !== null]);
    const all = screen.queryByLabelText<HTMLInputElement>('Select all on this page');
    marked.push([count, all?.checked, all?.indeterminate]);
  }, []);
  return name;
}
const counting: Column<string>[] = [
  { ...{ key: 'name', title: 'Name' }, render: (row) => <Counting name={row} /> },
];
/** A page of a hundred. */
function Whole({ chosen }: { chosen?: ReadonlySet<string> }) {
  return (
    <DataTable
      {...{ label: 'Names', loadingText: 'Loading names...', empty: null, loading: false, error: null }}
      {...{ rows: many, columns: counting, rowKey: String, total: 100, onState: () => undefined }}
      state={{ page: 1, pageSize: 100, sort: undefined, search: '' }}
      onRetry={() => undefined}
      {...(chosen ? { selection: { keys: chosen, label: String, onChange: () => undefined } } : {})}
    />
  );
}
const box = (name: string) => screen.getByLabelText<HTMLInputElement>(name);

const { innerHeight: height, innerWidth: width } = window;
beforeEach(() => {
  drawn.length = 0;
  opened.length = 0;
});
afterEach(() => {
  Object.assign(window, { innerHeight: height, innerWidth: width });
  seen.length = 0;
  marked.length = 0;
});

test('choosing a row draws that row, and what rows do is what the latest drawing says', async () => {
  const { user } = await openScreen(List);
  expect(new Set(drawn)).toEqual(new Set(rows));
  drawn.length = 0;
  await user.click(box('Select bell.com'));
  await user.click(box('Select cedar.com'));
  expect(drawn).toEqual(['bell.com', 'cedar.com']);
  expect(rows.map((name) => box(`Select ${name}`).checked)).toEqual([false, true, true]);
  expect(box('Select all on this page').indeterminate).toBe(true);
  // The row of this one was last drawn before anything was chosen.
  await user.click(screen.getByText('acme.com'));
  expect(opened).toEqual(['acme.com of 2']);
});

test('of a long list the rows of one window are painted before the others are made, and the foot comes with the last', async () => {
  await openScreen(() => <Whole />);
  const inWindow = Math.ceil(window.innerHeight / 36);
  expect(inWindow).toBeLessThan(many.length);
  expect(seen).toEqual([
    ...Array.from({ length: inWindow }, () => [inWindow, false]),
    ...Array.from({ length: many.length - inWindow }, () => [many.length, false]),
  ]);
  expect(await screen.findByText('1–100 of 100')).toBeTruthy();
});

test('in a narrow window rows are cards, of which it shows fewer', async () => {
  Object.assign(window, { innerHeight: 900, innerWidth: 390 });
  await openScreen(() => <Whole chosen={new Set()} />);
  expect(seen[0]).toEqual([9, false]);
  expect(seen.at(-1)).toEqual([many.length, false]);
});

test('whether all of a page are chosen is told of all its rows, while only the first are there', async () => {
  // The last one is not.
  await openScreen(() => <Whole chosen={new Set(many.slice(0, -1))} />);
  expect(marked[0]).toEqual([Math.ceil(height / 36), false, true]);
  expect(box('Select all on this page').indeterminate).toBe(true);
});

test('what has been drawn stays where the window becomes smaller', async () => {
  const { user } = await openScreen(List);
  const last = box('Select cedar.com');
  // Zooming in does that, and so does the keyboard of a phone.
  window.innerHeight = 36;
  await user.click(last);
  expect(last.isConnected).toBe(true);
  expect(document.activeElement).toBe(last);
});

test('who goes from a short last page to a long one keeps the line below the list, and the focus there', async () => {
  const { user } = await openScreen(Paged);
  await screen.findByText('101–103 of 103');
  const before = screen.getByLabelText('previous page');
  await user.click(before);
  expect(await screen.findByText('1–100 of 103')).toBeTruthy();
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(101);
  expect(before.isConnected).toBe(true);
  expect(document.activeElement).toBe(before);
});

test('numbers below a list are grouped, as everywhere', async () => {
  await openScreen(() => (
    <DataTable
      {...{ label: 'Names', loadingText: 'Loading names...', empty: null, loading: false, error: null }}
      {...{ rows: many, columns, rowKey: String, total: 4_706 }}
      state={{ page: 11, pageSize: 100, sort: undefined, search: '' }}
      onState={() => undefined}
      onRetry={() => undefined}
    />
  ));
  expect((await screen.findByRole('status')).textContent).toBe('1,001–1,100 of 4,706');
});
