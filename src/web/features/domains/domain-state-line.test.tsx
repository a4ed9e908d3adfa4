import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LeftChip } from './domain-state-line.tsx';

const shown = (missing: boolean) =>
  renderToStaticMarkup(
    <MantineProvider>
      <LeftChip domain={{ status: 'active', missing }} />
    </MantineProvider>,
  );

test('a row marks a domain that has left in the words of its page, and no other', () => {
  expect(shown(true)).toMatch('No longer in your account');
  expect(shown(true)).toMatch('data-tone="bad"');
  expect(shown(false)).not.toMatch('account');
});
