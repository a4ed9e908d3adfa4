import { expect, test } from 'vitest';
import { type ChangeValues, emptyValues } from './change-form.ts';
import { leftAfter } from './field-problems.ts';

const everywhere = [
  ...['title', 'reason', 'targets.names', 'targets.names.3', 'request.find', 'request.replacement'],
  ...['request.value', 'request.type', 'request.subdomain', 'request.record.type', 'request.record'],
  ...['request.record.subdomain', 'request.record.ip_address', 'request.text', 'request.hosts.0'],
  ...['request.nameservers', 'request.nameservers.11', 'request.customerId', 'request.roles'],
  ...['request.contact.email', 'request.contact.city', 'request.templateId', 'request.values.host'],
  ...['request.values.host2'],
];

/** The places of which nothing is said any more. */
function cleared(change: Partial<ChangeValues>, before: Partial<ChangeValues> = {}): string[] {
  const problems = new Map(everywhere.map((path) => [path, 'wrong']));
  const left = leftAfter(problems, { ...emptyValues, ...before }, change);
  return everywhere.filter((path) => !left.has(path));
}

test.each<[Partial<ChangeValues>, string[]]>([
  [{ title: 'Mail' }, ['title']],
  [{ reason: 'T-1' }, ['reason']],
  [{ names: 'a.com' }, ['targets.names', 'targets.names.3']],
  [{ from: 'view' }, ['targets.names', 'targets.names.3']],
  [{ find: 'a' }, ['request.find']],
  [{ replacement: 'b' }, ['request.replacement']],
  [{ value: 'c' }, ['request.value']],
  [{ subdomain: 'www' }, ['request.subdomain', 'request.record.subdomain']],
  [{ spf: 'v=spf1 -all' }, ['request.text']],
  [{ dmarc: 'v=DMARC1;' }, ['request.text']],
  [{ hosts: 'a.example' }, ['request.hosts.0']],
  [{ nameservers: 'ns1.a.example' }, ['request.nameservers', 'request.nameservers.11']],
  [{ customerId: null }, ['request.customerId']],
  [{ roles: ['owner'] }, ['request.roles']],
  [{ contactOf: 'typed' }, ['request.roles', 'request.contact.email', 'request.contact.city']],
  [{ templateId: 't' }, ['request.templateId', 'request.values.host', 'request.values.host2']],
  [{ kind: 'add-record' }, everywhere.filter((path) => path.startsWith('request'))],
])('what was said of a field ends when it changes, and of no other: %j', (change, gone) => {
  expect(cleared(change)).toEqual(gone);
});

test('of fields that are kept together, only the one that changed is cleared', () => {
  const { contact } = emptyValues;
  expect(cleared({ contact: { ...contact, email: 'a@b.example' } })).toEqual(['request.contact.email']);
  expect(cleared({ fields: { ip_address: '192.0.2.1' } })).toEqual(['request.record.ip_address']);
  expect(cleared({ fields: { ip_address: '' } }, { fields: { ip_address: '1' } })).toEqual([
    'request.record.ip_address',
  ]);
  expect(cleared({ filled: { host: 'x', host2: 'y' } }, { filled: { host2: 'y' } })).toEqual([
    'request.values.host',
  ]);
  expect(cleared({ type: 'MX' })).toEqual([
    ...['request.type', 'request.record.type', 'request.record', 'request.record.subdomain'],
    'request.record.ip_address',
  ]);
});
