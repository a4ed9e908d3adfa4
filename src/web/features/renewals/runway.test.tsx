import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Runway } from './runway.tsx';

const at = (day: number) => new Date(Date.UTC(2026, 10, day, 12));
const drawn = (...points: [day: number, cents: number][]) =>
  renderToStaticMarkup(<Runway points={points.map(([day, cents]) => ({ at: at(day), cents }))} />);
const paths = (markup: string) => [...markup.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path);

test('the line goes down by each renewal at its day, and says its first and last balance in words', () => {
  const markup = drawn([1, 100_00], [6, 50_00], [11, 50_00]);
  expect(markup).toContain('From $100.00 on Nov 1 to $50.00 on Nov 11, after the automatic renewals');
  expect(paths(markup)).toEqual([
    'M0.0 2.0H152.0V40.0H304.0V40.0V78.0H0Z',
    'M0.0 2.0H152.0V40.0H304.0V40.0',
    'M0 78.0H304',
  ]);
  expect(
    markup
      .replace(/<svg.*<\/svg>|<[^>]+>/gs, ' ')
      .trim()
      .split(/\s{2,}/),
  ).toEqual(['Nov 1', 'Nov 6', 'Nov 11']);
});

test('below nothing the line of nothing is where it is crossed', () => {
  expect(paths(drawn([1, 100_00], [6, -100_00], [11, -100_00])).slice(1)).toEqual([
    'M0.0 2.0H152.0V78.0H304.0V78.0',
    'M0 40.0H304',
  ]);
});

test('without points nothing is drawn', () => {
  expect(drawn()).toBe('');
});
