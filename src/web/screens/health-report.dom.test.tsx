import { describe, expect, test } from 'vitest';
import type { CustomerHealth } from '#contracts/operations/health.ts';
import { type Answers, file, openScreen, refused, screen, uuid } from '../../../tests/support/screen.tsx';
import HealthReportScreen from './health-report.tsx';

const moment = '2026-11-01T12:00:00Z';
const of = (
  n: number,
  domain: string,
  weight: 'bad' | 'warn' | 'note',
): CustomerHealth['findings'][number] => ({
  ...{ id: uuid(n), kind: 'ns-none', area: 'delegation', weight, title: `Finding ${n}`, domain },
  ...{ meaning: 'Nobody finds it.', remedy: 'Ask the registry.', certainty: 'likely', fix: null },
  ...{
    detail: 'No answer',
    firstSeen: moment,
    lastSeen: moment,
    clearedAt: null,
    muted: null,
    watched: null,
  },
});
const report: CustomerHealth = {
  ...{ name: 'Acme', domains: 9, lookedAt: 8, watched: 0, madeAt: moment, more: false },
  findings: [of(1, 'b.com', 'bad'), of(2, 'a.com', 'bad'), of(3, 'b.com', 'warn'), of(4, 'b.com', 'note')],
};
const read = 'GET /customer/:id/health';
const pdf = 'GET /customer/:id/health-report';
const open = (answers: Answers = {}, profile: object = {}) =>
  openScreen(HealthReportScreen, {
    ...{ route: '/health/report/$customerId', path: `/health/report/${uuid(21)}`, profile },
    answers: { [read]: report, ...answers },
  });

describe('the report of a customer', () => {
  test('counts what it says, under the name of the provider, and nobody can mute in it', async () => {
    const { sent } = await open({}, { logoPath: '/api/logo/x.png' });
    expect(sent(read).map(({ params }) => params)).toEqual([{ id: uuid(21) }]);
    expect(screen.getByLabelText('Figures').textContent).toBe('Domains98 checkedFix now2Fix soon1Advice1');
    expect(document.querySelector('img')?.getAttribute('src')).toBe('/api/logo/x.png');
    expect(screen.getByText('Blue Fig')).toBeDefined();
    expect(screen.queryByRole('button', { name: /^Mute/ })).toBeNull();
    expect(screen.queryByText(/There are more findings/)).toBeNull();
  });

  test('has a part for each domain, the one with the weightiest first', async () => {
    await open();
    const parts = screen.getAllByRole('region').map((part) => part.textContent);
    expect(parts).toHaveLength(2);
    expect(parts[0]).toMatch(/^b.com.*Finding 1.*Finding 3.*Finding 4/);
    expect(parts[1]).toMatch(/^a.com.*Finding 2/);
  });

  test('says what is held elsewhere, what is left out, and that nothing is wrong', async () => {
    const opened = await open({ [read]: { ...report, watched: 2, more: true, findings: [] } });
    expect(screen.getByLabelText('Figures').textContent).toContain('8 checked, 2 held elsewhere');
    expect(screen.getByText(/There are more findings than fit here./)).toBeDefined();
    expect(screen.getByText('Nothing is wrong')).toBeDefined();
    expect(opened.sent(pdf)).toEqual([]);
  });

  test('is handed out as a file', async () => {
    const { user, sent, saved } = await open({ [pdf]: file('acme.pdf') });
    await user.click(screen.getByRole('button', { name: 'Report as PDF' }));
    expect([sent(pdf).map(({ params }) => params), saved()]).toEqual([[{ id: uuid(21) }], ['acme.pdf']]);
  });

  test.each([
    ['not_found', 404],
    ['validation_failed', 400],
  ])('of nobody says so: %s', async (code, status) => {
    await open({ [read]: refused(status, code) });
    expect(screen.getByText('There is no such customer')).toBeDefined();
  });

  test('that cannot be read says so, and is read again', async () => {
    const opened = await open({ [read]: refused(500, 'internal', { message: 'Out of order' }) });
    opened.answer(read, report);
    await opened.user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(screen.getByLabelText('Figures')).toBeDefined();
  });
});
