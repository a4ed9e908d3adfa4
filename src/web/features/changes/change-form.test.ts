import { expect, test } from 'vitest';
import { bodyOf, emptyValues, namesIn } from './change-form.ts';

const of = (change: Partial<typeof emptyValues>) =>
  bodyOf({ ...emptyValues, title: 'A change', ...change }, views);
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
  expect(of({ kind: 'remove-record', value: ' ' }).request).toMatchObject({ value: null });
});
