import { expect, test } from 'vitest';
import type { CustomerHealth } from '#contracts/operations/health.ts';
import type { FileReply } from '#kernel/binding.ts';
import { pdfText } from '../../../../tests/support/pdf-text.ts';
import { findingTable, healthReportRoutes } from './health-report.ts';

type Finding = CustomerHealth['findings'][number];
const finding = (change: object = {}) =>
  ({
    ...{ domain: 'a.com', weight: 'bad', title: 'No mail', detail: 'No MX', watched: null },
    ...{ meaning: 'Nobody gets mail.', remedy: 'Add one.', ...change },
  }) as Finding;

test('a finding says how urgent it is, where the domain is held, and what to do; a long detail is cut', () => {
  const { rows, total } = findingTable([
    finding(),
    finding({ weight: 'warn', watched: { registrar: 'Elsewhere Inc' } }),
    finding({ weight: 'note', watched: { registrar: null }, detail: 'x'.repeat(301) }),
  ]);
  const advice = 'Nobody gets mail. Add one.';
  expect(rows).toEqual([
    ['a.com', 'Now', 'No mail\nNo MX', advice],
    ['a.com\nWatched, held at Elsewhere Inc', 'Soon', 'No mail\nNo MX', advice],
    ['a.com\nWatched, held elsewhere', 'Advice', `No mail\n${'x'.repeat(300)}`, advice],
  ]);
  expect(total[0]).toBe('3 in all');
  expect(findingTable([]).total[0]).toBe('Nothing is wrong');
});

const reportOf = async (health: Partial<CustomerHealth>, name: string | null = 'Acme IT') => {
  const whole = { name: 'Client Ltd', domains: 12, lookedAt: 11, watched: 0, findings: [], more: false };
  const [route] = healthReportRoutes({
    clock: { now: () => new Date('2026-11-22T12:00:00Z') },
    productName: 'Nameward',
    logo: { brandOf: async (id) => (name && id === 'org' ? ({ name, logo: null } as never) : null) },
    health: { report: async (_scope, id) => ({ ...whole, ...health, name: id }) as never },
  });
  const file = (await route?.handler({
    ...{ scope: { organisationId: 'org' }, params: { id: 'Client Ltd' } },
  } as never)) as FileReply;
  expect([file.contentType, file.fileName]).toEqual(['application/pdf', 'health-report.pdf']);
  return pdfText(file.content as Buffer).replaceAll(/\s+/g, ' ');
};

test('the report is in the organization’s name, made out to the customer, and counts by urgency', async () => {
  const findings = ['bad', 'bad', 'bad', 'warn', 'warn', 'note'].map((weight) => finding({ weight }));
  const text = await reportOf({ findings });
  for (const part of [
    ...['Acme IT', 'Client Ltd', 'H-2026-11-22', 'Domains: 12, of which 11 were looked at'],
    ...['To be mended now: 3', 'To be mended soon: 2', 'Advice: 1', 'Made: Nov 22, 2026'],
    ...['What is muted is not in this report.', '6 in all'],
  ]) {
    expect(text).toContain(part);
  }
  for (const part of ['Nameward', 'Held elsewhere', 'There are more findings than fit here.']) {
    expect(text).not.toContain(part);
  }
});

test('the report says what is held elsewhere, and that there is more; without a name of its own it is the portal’s', async () => {
  const text = await reportOf({ watched: 4, more: true }, null);
  for (const part of [
    'Nameward',
    'Held elsewhere: 4',
    'There are more findings than fit here.',
    'Nothing is wrong',
  ]) {
    expect(text).toContain(part);
  }
});
