import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DnsRecord, recordKey } from '#contracts/values/dns-records.ts';
import type { ZoneChange } from '#contracts/values/zone-changes.ts';
import { focusRow, rowKeysOf } from './go-on.ts';
import { collected, rowsOf } from './record-rows.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const a = (subdomain: string, ip_address: string): DnsRecord => ({ type: 'A', subdomain, ip_address });
const [one, two] = [a('www', '192.0.2.1'), a('www', '192.0.2.2')];
const [key, next] = [recordKey(one), recordKey(two)];

/** A page with these rows: what has the focus is said by its name, or by what it edits. */
function page(rows: Record<string, 'edits' | 'another button' | 'none'>, others: readonly string[] = []) {
  const body = { name: 'body' };
  const shown = { activeElement: body as unknown, body };
  const focusable = (name: string) => ({
    name,
    focus() {
      shown.activeElement = this;
    },
  });
  const querySelectorAll = () =>
    Object.entries(rows).map(([record, button]) => ({
      dataset: { record },
      querySelector: (wanted: string) =>
        (wanted === 'button' ? button !== 'none' : button === 'edits')
          ? focusable(`${button === 'edits' ? 'edit' : 'undo'} ${record}`)
          : null,
    }));
  const querySelector = (wanted: string) => (others.includes(wanted) ? focusable(wanted) : null);
  const focused = () => (shown.activeElement as { name: string }).name;
  const whole = Object.assign(shown, { querySelector, querySelectorAll });
  return { page: whole as unknown as Document, focused, focus: (name: string) => focusable(name).focus() };
}

/** The row at which somebody goes on after these changes. */
function rowAfter(
  changes: readonly ZoneChange[],
  records: readonly DnsRecord[],
  kept: readonly ZoneChange[],
) {
  const rows = rowsOf(records, kept).map(
    (row) => [row.key, row.mark === 'deleted' ? 'another button' : 'edits'] as const,
  );
  const { page: shown, focused } = page(Object.fromEntries(rows));
  focusRow(rowKeysOf(changes), shown);
  return focused();
}

test('after a save the focus goes to the row of the saved record, which has another name by now', () => {
  expect(rowAfter([{ action: 'add', record: two }], [one, two], [])).toBe(`edit ${next}`);
  expect(rowAfter([{ action: 'update', record: two, old: one }], [two, a('b', '192.0.2.9')], [])).toBe(
    `edit ${next}`,
  );
});

test('a change that is only collected has the focus in its row, too; one that is taken back as well', () => {
  const change: ZoneChange = { action: 'update', record: two, old: one };
  expect(rowAfter([change], [one], [change])).toBe(`edit ${key}`);
  expect(rowAfter([change], [one], [])).toBe(`edit ${key}`);
  const added: ZoneChange = { action: 'add', record: two };
  expect(rowAfter([added], [one], [added])).toBe(`edit new ${next}`);
  const again: ZoneChange = { action: 'update', record: one, old: two };
  expect(rowAfter([again], [], collected([added], again))).toBe(`edit new ${key}`);
  const removed: ZoneChange = { action: 'remove', record: one };
  expect(rowAfter([removed], [one], [removed])).toBe(`undo ${key}`);
});

test('where the row is gone or hidden the focus goes to what opened the dialog, else to the table, else to "Add"', () => {
  const table = ['[data-records]', '[data-adds]'];
  for (const [others, place] of [
    [table, '[data-records]'],
    [['[data-adds]'], '[data-adds]'],
    [[], 'body'],
  ] as const) {
    const { page: shown, focused } = page({ other: 'edits' }, others);
    focusRow([next, key], shown);
    expect(focused()).toBe('body');
    vi.runAllTimers();
    expect(focused()).toBe(place);
  }
  const { page: shown, focused, focus } = page({}, table);
  focusRow([key], shown);
  focus('what opened the dialog');
  vi.runAllTimers();
  expect(focused()).toBe('what opened the dialog');
});

test('a row without a button takes no focus: it could not be gone on from', () => {
  const { page: shown, focused } = page({ [next]: 'none', [key]: 'edits' });
  focusRow([next, key], shown);
  expect(focused()).toBe(`edit ${key}`);
});
