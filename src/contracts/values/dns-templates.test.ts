import { expect, test } from 'vitest';
import { recordOf } from '../../../tests/support/zones.ts';
import { builtInTemplates, domainValues, filledTemplate, templateChanges } from './dns-templates.ts';
import { applyChanges } from './zone-changes.ts';

const domain = 'example.com';
const values = { ...domainValues(domain), site: 'acme', ipv4: '192.0.2.1' };

test.each(builtInTemplates.map((template) => [template.name, template] as const))(
  '%s: its records may stand, alone and in a zone that serves another provider',
  (_name, template) => {
    const filled = filledTemplate(template.records, values);
    if (!filled.ok) throw new Error(JSON.stringify(filled.problems));
    expect(JSON.stringify(filled.records)).not.toMatch(/[{}]\w*[{}]/);
    const other = [
      recordOf({ type: 'MX', subdomain: '', hostname: 'old.example.net', priority: 5 }),
      recordOf({ type: 'TXT', subdomain: '', text: 'v=spf1 a -all' }),
      recordOf({ type: 'TXT', subdomain: '', text: 'kept' }),
      recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.77' }),
    ];
    const changed = applyChanges(domain, other, templateChanges(other, filled.records));
    expect(changed.problems).toEqual([]);
    expect(changed.records).toEqual(expect.arrayContaining(filled.records));
    expect(changed.records).toContainEqual(other[2]);
  },
);

test('a template that was applied changes nothing when it is applied again', () => {
  for (const { records } of builtInTemplates) {
    const filled = filledTemplate(records, values);
    if (filled.ok) expect(templateChanges(filled.records, filled.records)).toEqual([]);
  }
});

test('what was filled in wrongly is told', () => {
  const template = builtInTemplates.find(({ id }) => id === 'web-server');
  expect(filledTemplate(template?.records ?? [], { ...values, ipv4: 'mine' })).toMatchObject({
    ok: false,
    problems: [{ field: 'ip_address' }, { field: 'ip_address' }],
  });
});

test('a variable may be called as what every object has', () => {
  const records = [{ type: 'TXT', subdomain: '', text: 'key={constructor}' }];
  expect(filledTemplate(records, {})).toMatchObject({ ok: true, records: [{ text: 'key={constructor}' }] });
  expect(filledTemplate(records, { constructor: 'x' } as never)).toMatchObject({
    records: [{ text: 'key=x' }],
  });
});
