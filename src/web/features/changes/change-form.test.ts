import { expect, test } from 'vitest';
import { bodyOf, describedBy, emptyValues, namesIn, valuesOf } from './change-form.ts';

const of = (change: Partial<typeof emptyValues>) =>
  bodyOf({ ...emptyValues, title: 'A change', ...change }, views, templates);
const templates = [{ id: 't1', name: 'Mail', version: 3, variables: [{ key: 'host', label: 'Host' }] }];
const views = [{ id: 'v1', name: 'Mine', targets: { kind: 'filter' as const, filter: { search: 'acme' } } }];

test('names are read as they are pasted, each once', () => {
  expect(namesIn('a.com, b.com;c.com\n\n d.com \r\na.com')).toEqual(['a.com', 'b.com', 'c.com', 'd.com']);
  expect(namesIn('a.com\tAcme Ltd\nb.com\tBlue Fig')).toEqual(['a.com', 'b.com']);
  expect(namesIn('  ')).toEqual([]);
});

test('the domains are those in the box, those of the view, or all', () => {
  expect(of({ from: 'view', view: 'v1' }).targets).toEqual({ kind: 'filter', filter: { search: 'acme' } });
  expect(of({ from: 'view' }).targets).toEqual({ kind: 'all' });
  expect(of({ from: 'names', names: 'a.com' }).targets).toEqual({ kind: 'names', names: ['a.com'] });
});

test('each kind sends its own fields alone', () => {
  const fields = { ip_address: '192.0.2.1' };
  const typed = { find: 'a', replacement: 'b', subdomain: 'www', value: ' 10 x.example ', fields } as const;
  const request = (kind: typeof emptyValues.kind) => of({ ...typed, kind }).request;
  const record = { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' };
  expect(request('replace-value')).toEqual({
    kind: 'replace-value',
    find: 'a',
    replacement: 'b',
    part: true,
  });
  expect(request('add-record')).toEqual({ kind: 'add-record', record });
  expect(request('change-record')).toEqual({ kind: 'change-record', record, value: '10 x.example' });
  expect(request('remove-record')).toEqual({
    kind: 'remove-record',
    type: 'A',
    subdomain: 'www',
    value: '10 x.example',
  });
  expect(request('set-spf')).toEqual({ kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' });
  expect(request('set-dmarc')).toEqual({
    kind: 'set-dmarc',
    text: 'v=DMARC1; p=quarantine',
    where: 'missing',
  });
  expect(request('delete-host')).toEqual({ kind: 'delete-host', subdomain: 'www', below: false });
  expect(of({ kind: 'remove-aliases', hosts: 'a.example, b.example' }).request).toEqual({
    ...{ kind: 'remove-aliases', hosts: ['a.example', 'b.example'] },
  });
  expect(request('keep-dmarc')).toEqual({ kind: 'keep-dmarc' });
  expect(of({ kind: 'remove-record', value: ' ' }).request).toMatchObject({ value: null });
});

test('a template is sent with its present version, and with the values of its own variables', () => {
  const filled = { host: 'mx.example', other: 'x' };
  expect(of({ kind: 'apply-template', templateId: 't1', filled }).request).toEqual({
    ...{ kind: 'apply-template', templateId: 't1', version: 3, values: { host: 'mx.example' } },
  });
});

test('each setting sends its own fields alone', () => {
  const request = (change: Partial<typeof emptyValues>) => of(change).request;
  expect(request({ kind: 'lock', on: false })).toEqual({ kind: 'lock', locked: false });
  expect(request({ kind: 'auto-renew' })).toEqual({ kind: 'auto-renew', enabled: true });
  expect(request({ kind: 'nameservers', nameservers: 'ns1.a.example\nns2.a.example ' })).toEqual({
    ...{ kind: 'nameservers', nameservers: ['ns1.a.example', 'ns2.a.example'] },
  });
  expect(request({ kind: 'contacts', roles: ['tech'] })).toEqual({
    ...{ kind: 'contacts', roles: ['tech'], contact: null },
  });
  const contact = { ...emptyValues.contact, firstName: 'Ann' };
  expect(request({ kind: 'contacts', roles: ['tech'], contactOf: 'typed', contact })).toMatchObject({
    contact,
  });
  expect(request({ kind: 'customer', customerId: 'c1' })).toEqual({ kind: 'customer', customerId: 'c1' });
});

test('a change opens in its form as it was described, and is sent the same again', () => {
  const contact = { ...emptyValues.contact, firstName: 'Ann' };
  const kinds: Partial<typeof emptyValues>[] = [
    { kind: 'replace-value', find: 'a', replacement: 'b', part: false },
    { kind: 'add-record', type: 'MX', fields: { hostname: 'mx.example', priority: '10' } },
    { kind: 'remove-record', type: 'TXT', subdomain: 'x', value: 'y' },
    { kind: 'set-dmarc', dmarc: 'v=DMARC1; p=reject', where: 'everywhere' },
    { kind: 'delete-host', subdomain: 'www', below: true },
    { kind: 'remove-aliases', hosts: 'a.example\nb.example' },
    { kind: 'keep-dmarc' },
    { kind: 'apply-template', templateId: 't1', filled: { host: 'mx.example' } },
    { kind: 'privacy', on: false },
    { kind: 'nameservers', nameservers: 'ns1.a.example\nns2.a.example' },
    { kind: 'contacts', roles: ['tech'], contactOf: 'typed', contact },
    { kind: 'customer', customerId: null },
  ];
  for (const kind of kinds) {
    const { request, title, reason } = of(kind);
    const values = valuesOf({ title, reason: reason ?? '', request });
    expect(values && describedBy(values, templates, 3)).toEqual({ title, reason, request, round: 3 });
  }
  expect(valuesOf({ title: '', reason: '', request: { kind: 'undo' } })).toBe(null);
});
