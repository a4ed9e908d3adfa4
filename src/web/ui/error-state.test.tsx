import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { UnreadChoices } from './error-state.tsx';

const refetch = () => undefined;
const read = { error: null, data: [], refetch };
const failed = { error: new Error('No answer came.'), data: undefined, refetch };

const shown = (...of: Parameters<typeof UnreadChoices>[0]['of']) =>
  renderToStaticMarkup(
    <MantineProvider>
      <UnreadChoices of={of} />
    </MantineProvider>,
  ).replace(/<style.*?<\/style>|<[^>]+>/gs, ' ');

test('what a form chooses from says that it could not be read, and can be read again', () => {
  expect(shown(read, failed)).toMatch(/No answer came.*Try again/s);
  expect(shown(read, { error: null, data: undefined, refetch })).not.toContain('Try again');
  // A later reading failed: the choice is there still.
  expect(shown({ ...failed, data: [] })).not.toContain('Try again');
});
