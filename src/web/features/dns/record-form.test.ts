import { describe, expect, test } from 'vitest';
import { type RecordValues, readValues, valuesOf } from './record-form.ts';

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

  test('has no notes when it is saved as it was typed', () => {
    const given = {
      type: 'MX',
      subdomain: 'WWW.example.com.',
      hostname: 'MX.example.net.',
      priority: '0',
    } as const;
    expect(read(given)).toMatchObject({ record: { subdomain: 'www' }, notes: {} });
    expect(read({ type: 'MX', hostname: '.', priority: '0' })).toMatchObject({
      record: { hostname: '.' },
      notes: {},
    });
  });
});
