import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decisionOf, decisionsIn, indexOf } from '../../tools/decisions.ts';

const folder = join(import.meta.dirname, '../../docs/decisions');

describe('docs/decisions', () => {
  const decisions = decisionsIn(folder);

  test('the index is what "npm run gen" makes of the decisions', () => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(indexOf(decisions));
  });

  test('every link in a status leads to a decision', () => {
    const files = new Set(decisions.map(({ file }) => file));
    const links = decisions.flatMap(({ status }) =>
      [...status.matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to),
    );
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((to) => !files.has(to ?? ''))).toEqual([]);
  });

  const whole = '# 7. A title\n\nAccepted · 2026-11-22\n\nText.\n';
  test.each([
    ['no date', whole.replace(' · 2026-11-22', ''), 'must begin with'],
    ['no status', whole.replace('Accepted', 'Maybe'), 'must begin with'],
    ['no number', whole.replace('7. ', ''), 'must begin with'],
    ['the number of another file', whole.replace('7', '8'), 'calls itself number 8'],
  ])('%s is caught', (_what, text, complaint) => {
    expect(() => decisionOf('0007-a-title.md', text)).toThrow(complaint);
  });

  test('a complete head is read', () => {
    expect(decisionOf('0007-a-title.md', whole)).toMatchObject({
      number: 7,
      title: 'A title',
      status: 'Accepted',
      date: '2026-11-22',
    });
  });
});
