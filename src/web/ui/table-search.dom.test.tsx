import { fireEvent } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openScreen, screen } from '../../../tests/support/screen.tsx';
import { DataTable, type TableState } from './data-table.tsx';

/** The search above a list: what is typed stays, whatever the list is doing. */

const asked: string[] = [];
function List() {
  const [state, setState] = useState<TableState>({ page: 1, pageSize: 50, sort: undefined, search: '' });
  return (
    <DataTable
      {...{ label: 'Names', searchLabel: 'Search names', loadingText: 'Loading names...' }}
      {...{ rows: [], columns: [], rowKey: String, loading: false, error: null, empty: null }}
      onRetry={() => undefined}
      state={state}
      onState={(change) => {
        if (change.search !== undefined) asked.push(change.search);
        setState({ ...state, ...change });
      }}
    />
  );
}
const field = () => screen.getByLabelText<HTMLInputElement>('Search names');
const type = (value: string) => fireEvent.change(field(), { target: { value } });

beforeEach(() => {
  asked.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

test('a letter that is typed just when the list is asked stays, and is asked for', async () => {
  await openScreen(List);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  type('z');
  // The list is asked, and nothing is drawn before the next letter.
  vi.advanceTimersByTime(250);
  type('ze');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(field().value).toBe('ze');
  expect(asked).toEqual(['z', 'ze']);
});
