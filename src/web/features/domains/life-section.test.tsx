import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DaysLeft } from './life-section.tsx';

const now = new Date('2026-11-22T12:00:00Z');
const shown = (days: number) => {
  const to = new Date(now.getTime() + days * 86_400_000).toISOString();
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <DaysLeft to={to} now={now} />
    </MantineProvider>,
  );
  return [/data-tone="(\w+)"/.exec(markup)?.[1], markup.replace(/<style.*?<\/style>|<[^>]+>/gs, '')];
};

test('what is left of a domain’s time is red below sixty days, and when it is over', () => {
  expect(shown(60)).toEqual(['plain', 'Expires in 60 days']);
  expect(shown(59.9)).toEqual(['bad', 'Expires in 59 days']);
  expect(shown(0.5)).toEqual(['bad', 'Expires within a day']);
  expect(shown(-0.5)).toEqual(['bad', 'Expired 1 day ago']);
});
