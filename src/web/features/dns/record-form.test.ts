import { describe, expect, test } from 'vitest';
import { fieldOrder, recordTypes } from '#contracts/values/dns-records.ts';
import {
  fieldsOfType,
  formFields,
  isTyped,
  type RecordValues,
  readValues,
  typeChoices,
  valuesOf,
} from './record-form.ts';

const read = (given: Partial<RecordValues>) => readValues({ ...valuesOf(null), ...given }, 'example.com');

describe('what is typed for a record', () => {
  test('loses the quotation marks of a zone file, and says so', () => {
    const { record, notes } = read({ type: 'TXT', text: '"v=spf1 include:a.example " "-all"' });
    expect(record).toMatchObject({ text: 'v=spf1 include:a.example -all' });
    expect(notes).toEqual({ text: 'Saved without the quotation marks: v=spf1 include:a.example -all' });
  });

  test('keeps quotation marks inside a text', () => {
    expect(read({ type: 'TXT', text: 'a "b" c' })).toMatchObject({ record: { text: 'a "b" c' }, notes: {} });
  });

  test('shows what a pasted address and letters of any language are saved as', () => {
    const given = { type: 'CNAME', subdomain: 'bücher', hostname: 'https://shop.example.net/a' } as const;
    expect(read(given)).toMatchObject({
      record: { subdomain: 'xn--bcher-kva', hostname: 'shop.example.net' },
      notes: { subdomain: 'Saved as xn--bcher-kva.example.com', hostname: 'Saved as shop.example.net' },
    });
  });

  test.each(['example.com', 'Example.COM.', ' example.com '])(
    'is the domain itself where its own name is typed: %s',
    (subdomain) => {
      expect(read({ type: 'A', subdomain, ip_address: '192.0.2.1' })).toEqual({
        ...{ record: { type: 'A', subdomain: '', ip_address: '192.0.2.1' }, problems: {}, notes: {} },
      });
    },
  );

  test('says the beginning of a long text that loses its quotation marks', () => {
    const noteOf = (text: string) => read({ type: 'TXT', text: `"${text}"` }).notes.text;
    expect(noteOf('a'.repeat(60))).toBe(`Saved without the quotation marks: ${'a'.repeat(60)}`);
    expect(noteOf('a'.repeat(61))).toBe(`Saved without the quotation marks: ${'a'.repeat(60)}…`);
  });

  test('a text keeps its quotation marks where another type is chosen, and the other type says nothing of it', () => {
    const given = { type: 'A', ip_address: '192.0.2.1', text: '"v=spf1 -all"' } as const;
    expect(read(given)).toEqual({
      ...{ record: { type: 'A', subdomain: '', ip_address: '192.0.2.1' }, problems: {}, notes: {} },
    });
  });

  test('a text of nothing but quotation marks stays as it was typed', () => {
    expect(read({ type: 'TXT', text: '""' })).toMatchObject({ record: { text: '""' }, notes: {} });
  });

  test('an incomplete record says what is missing at each field, once, and has no notes', () => {
    const { record, problems, notes } = read({ type: 'MX', subdomain: 'a b', priority: 'x' });
    expect({ record, notes }).toEqual({ record: null, notes: {} });
    expect(Object.keys(problems).sort()).toEqual(['hostname', 'priority', 'subdomain']);
    for (const text of Object.values(problems)) expect(text).not.toBe('');
    expect(Object.keys(read({}).problems)).toEqual(['type']);
  });

  test('a name that only ends in the same letters as the domain is below it', () => {
    const nameOf = (subdomain: string) =>
      read({ type: 'A', subdomain, ip_address: '192.0.2.1' }).record?.subdomain;
    expect(nameOf('notexample.com')).toBe('notexample.com');
    expect(nameOf('a.b.Example.com')).toBe('a.b');
    expect(nameOf('example.com.www')).toBe('example.com.www');
  });

  test('has no notes when it is saved as it was typed', () => {
    const given = {
      type: 'MX',
      subdomain: 'WWW.example.com.',
      hostname: 'MX.example.net.',
      priority: '0',
    } as const;
    expect(read(given)).toMatchObject({ record: { subdomain: 'www' }, notes: {} });
    expect(read({ type: 'CNAME', subdomain: 'a', hostname: ' mx.example.net ' }).notes).toEqual({});
    expect(read({ type: 'MX', hostname: '.', priority: '0' })).toMatchObject({
      record: { hostname: '.' },
      notes: {},
    });
  });
});

test('every type is typed by exactly the fields that the contract has for it', () => {
  for (const type of recordTypes) {
    expect(formFields[type].toSorted(), type).toEqual([...fieldOrder[type]].toSorted());
  }
});

test.each([
  { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' },
  { type: 'AAAA', subdomain: '', ipv6_address: '2001:db8::1' },
  { type: 'CNAME', subdomain: 'shop', hostname: 'shop.example.net' },
  { type: 'MX', subdomain: '', hostname: 'mx.example.net', priority: 10 },
  { type: 'TXT', subdomain: '', text: 'v=spf1 -all' },
  { type: 'SRV', subdomain: '_sip._tcp', hostname: 'sip.example.net', priority: 1, weight: 2, port: 5060 },
] as const)('a record that is opened and saved unchanged is the same: $type', (record) => {
  expect(readValues(valuesOf(record), 'example.com')).toEqual({ record, problems: {}, notes: {} });
});

test('a form holds something typed only where it differs from its record', () => {
  const record = { type: 'MX', subdomain: '', hostname: 'mx.example.net', priority: 10 } as const;
  expect(isTyped(valuesOf(record), record)).toBe(false);
  expect(isTyped({ ...valuesOf(record), priority: '20' }, record)).toBe(true);
  expect(isTyped(valuesOf(null), null)).toBe(false);
});

test('every type asks for its fields in the order in which they are typed, in words of its own', () => {
  const priority = { field: 'priority', label: 'Priority', placeholder: '10' };
  const host = 'host.example.com';
  expect(Object.fromEntries(recordTypes.map((type) => [type, fieldsOfType(type)]))).toEqual({
    A: [{ field: 'ip_address', label: 'IPv4 address', placeholder: '192.0.2.1' }],
    AAAA: [{ field: 'ipv6_address', label: 'IPv6 address', placeholder: '2001:db8::1' }],
    CNAME: [{ field: 'hostname', label: 'Host name', placeholder: host }],
    MX: [{ field: 'hostname', label: 'Mail server', placeholder: 'mail.example.com' }, priority],
    TXT: [{ field: 'text', label: 'Text', placeholder: '' }],
    SRV: [
      { field: 'hostname', label: 'Target host', placeholder: host },
      priority,
      { field: 'weight', label: 'Weight', placeholder: '10' },
      { field: 'port', label: 'Port', placeholder: '443' },
    ],
  });
});

test('every type can be chosen by its name', () => {
  expect(typeChoices).toEqual(recordTypes.map((type) => ({ value: type, label: type })));
});

test('a new record is empty, with no type', () => {
  expect(new Set(Object.values(valuesOf(null)))).toEqual(new Set(['']));
});
