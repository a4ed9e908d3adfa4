import { describe, expect, it } from 'vitest';
import { changedFields, changeSummary } from './changed-fields.ts';

describe('what a log entry changed', () => {
  it('names the fields that differ, in words, and leaves out what stayed', () => {
    const before = { autoRenew: false, locked: true, owner: { firstName: 'Ann', email: 'a@x.com' } };
    const after = { autoRenew: true, locked: true, owner: { firstName: 'Ann', email: 'b@x.com' } };
    expect(changedFields(before, after)).toEqual([
      { field: 'Auto renew', before: 'No', after: 'Yes' },
      { field: 'Owner, email', before: 'a@x.com', after: 'b@x.com' },
    ]);
  });

  it('tells what was made or removed as a whole, and an empty text from none', () => {
    expect(changedFields(null, { name: 'Ann', note: '' })).toEqual([
      { field: 'Name', before: null, after: 'Ann' },
      { field: 'Note', before: null, after: '' },
    ]);
    expect(changedFields({ name: 'Ann' }, null)).toEqual([{ field: 'Name', before: 'Ann', after: null }]);
    expect(changedFields({ name: 'Ann' }, { name: null })).toEqual([
      { field: 'Name', before: 'Ann', after: null },
    ]);
  });

  it('reads lists of values as one, lists of records one by one, and a plain value as it is', () => {
    const before = { nameservers: ['a.net', 'b.net'], records: [{ type: 'A' }, { type: 'MX' }] };
    const after = { nameservers: ['a.net', 'c.net'], records: [{ type: 'A' }] };
    expect(changedFields(before, after)).toEqual([
      { field: 'Nameservers', before: 'a.net, b.net', after: 'a.net, c.net' },
      { field: 'Records, 2, type', before: 'MX', after: null },
    ]);
    expect(changedFields('old', 'new')).toEqual([{ field: 'Value', before: 'old', after: 'new' }]);
  });

  it('says in plain words what the log keeps briefly of a customer', () => {
    const kept = { contacts: { owner: { city: 'Troy' }, admin: 'as owner' }, markups: 'none' };
    expect(changedFields(null, kept)).toEqual([
      { field: 'Contacts, owner, city', before: null, after: 'Troy' },
      { field: 'Contacts, admin', before: null, after: 'Same as owner' },
      { field: 'Markups', before: null, after: 'No markup' },
    ]);
  });

  it('is nothing where nothing differs', () => {
    expect(changedFields({ days: [] }, { days: [] })).toEqual([]);
    expect(changedFields(null, null)).toEqual([]);
    expect(changeSummary([])).toBe('');
  });

  it('is told by its first field and how many more there are', () => {
    const fields = changedFields(null, { price_cents: 5, note: 'x', who: 'y' });
    expect(changeSummary(fields)).toBe('Price cents and 2 more');
    expect(changeSummary(fields.slice(0, 1))).toBe('Price cents');
  });
});
