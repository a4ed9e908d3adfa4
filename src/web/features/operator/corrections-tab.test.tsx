import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { CorrectionRow } from '#contracts/operations/operators.ts';
import { columnsWith, Question } from './corrections-tab.tsx';

const row: CorrectionRow = {
  ...{ id: 'c', organizationId: 'o', organization: 'Acme IT', organizationClosedAt: null, amount: 2_500 },
  ...{ reason: 'A large refund', reference: 'pi_1', state: 'waiting', decidedBy: null, decidedAt: null },
  ...{ askedBy: { id: 'ada', name: 'Ada' }, askedAt: '2026-11-26T12:00:00Z' },
};
const closed = { ...row, organizationClosedAt: '2026-11-27T12:00:00Z' };
const textOf = (node: ReactNode) =>
  renderToStaticMarkup(<MantineProvider>{node}</MantineProvider>).replace(/<[^>]+>/g, ' ');
const listed = (one: CorrectionRow) => columnsWith(null, () => undefined)[0]?.render(one);

test('a correction of a closed organization says so, in the list and where it is decided', () => {
  for (const shown of [listed(closed), <Question key="q" choice={{ row: closed, verdict: 'confirm' }} />]) {
    expect(textOf(shown)).toContain('Acme IT (closed)');
  }
  for (const shown of [listed(row), <Question key="q" choice={{ row, verdict: 'confirm' }} />]) {
    expect(textOf(shown)).toContain('Acme IT');
    expect(textOf(shown)).not.toContain('closed');
  }
});
