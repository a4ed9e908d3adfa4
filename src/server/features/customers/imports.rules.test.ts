import { describe, expect, test } from 'vitest';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import {
  fewerRights,
  isOwnUpload,
  keptFileName,
  mayTheSame,
  mostNamedFaults,
  otherRights,
  refusalOfFile,
  refusalOfRows,
  uploadsOf,
  whyLookAgain,
} from './imports.rules.ts';

const scope = (role: 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE', userId = 'u'): Scope =>
  ({
    ...{ organisationId: 'org', userId, email: 'u@msp.test', rights: rightsOfRole, role },
    ...{ reach: wholeOrganisation, ip: null, requestId: 'test' },
  }) as Scope;

test('an upload is the organisation’s own by its whole folder, and leads nowhere else', () => {
  const own = (key: string) => isOwnUpload({ organisationId: 'org' }, key);
  expect(uploadsOf({ organisationId: 'org' })).toBe('csv-uploads/org/');
  expect(own('csv-uploads/org/aB_9-x')).toBe(true);
  for (const key of [
    ...['csv-uploads/other/a', 'csv-uploads/orga/a', 'x/csv-uploads/org/a', ''],
    ...['csv-uploads/org/../other/a', 'csv-uploads/org/a.csv', 'csv-uploads/org/a b', 'csv-uploads/org/a\n'],
  ]) {
    expect(own(key), key).toBe(false);
  }
});

test('only a person of the role by which a file was judged surely has the same rights; a script, after a script, and another role are judged', () => {
  const byAdmin = { role: 'MSP_ADMIN' as const, tokenId: null };
  expect(mayTheSame(scope('MSP_ADMIN'), byAdmin)).toBe(true);
  expect(mayTheSame(scope('MSP_EMPLOYEE'), byAdmin)).toBe(false);
  expect(mayTheSame(scope('MSP_ADMIN'), { ...byAdmin, tokenId: 't' })).toBe(false);
  const script: Scope = {
    ...scope('MSP_ADMIN'),
    rights: { kind: 'named', permissions: ['customers.create'] },
  };
  expect(mayTheSame(script, byAdmin)).toBe(false);
});

test('a file is looked at again when any of its rows is refused that was not, or for another reason, however many others are good now', () => {
  const good = (number: number) => ({ number, kind: 'new' as const, notes: [] });
  const bad = (number: number, reason = 'bad') => ({
    ...{ number, kind: 'faulty' as const },
    notes: [{ column: 'city', value: 'x', reason, suggestion: null }],
  });
  expect(whyLookAgain([good(2), bad(3)], [good(2), bad(3)])).toBeNull();
  expect(whyLookAgain([good(2), bad(3)], [bad(2), bad(3)])).toBe(fewerRights);
  expect(whyLookAgain([good(2), bad(3)], [bad(2), good(3)])).toBe(fewerRights);
  expect(whyLookAgain([good(2), bad(3)], [good(2), good(3)])).toBe(otherRights);
  expect(whyLookAgain([bad(2)], [bad(2, 'else')])).toBe(otherRights);
  // What it would do is compared when it is written.
  expect(whyLookAgain([good(2)], [{ ...good(2), kind: 'same' }])).toBeNull();
});

test('a file keeps the end of its name, without control characters, and one without a name gets one', () => {
  expect(keptFileName('clients.csv')).toBe('clients.csv');
  expect(keptFileName('a\r\nb\u0000.csv')).toBe('ab.csv');
  expect([keptFileName(undefined), keptFileName(''), keptFileName('\u0007')]).toEqual(
    Array(3).fill('customers.csv'),
  );
  expect(keptFileName(`${'x'.repeat(255)}.csv`)).toBe(`${'x'.repeat(251)}.csv`);
  expect(keptFileName('x'.repeat(255))).toHaveLength(255);
});

describe('rows that are refused', () => {
  const row = (number: number, columns: string[]) => ({
    row: number,
    faults: columns.map((column) => ({ column, reason: `bad ${column}` })) as never[],
  });

  test('are named cell by cell, the first one by itself', () => {
    expect(refusalOfRows(2, [row(3, ['email', 'phone']), row(5, ['city'])])).toEqual({
      message: '2 rows cannot be imported. Nothing was written.',
      error: 'rows.3.email: bad email',
      details: [
        { path: 'rows.3.email', message: 'bad email' },
        { path: 'rows.3.phone', message: 'bad phone' },
        { path: 'rows.5.city', message: 'bad city' },
      ],
    });
  });

  test('are counted whatever is named of them', () => {
    expect(refusalOfRows(1, [])).toEqual({
      ...{ message: '1 row cannot be imported. Nothing was written.', error: '', details: [] },
    });
    const many = Array.from({ length: mostNamedFaults + 1 }, (_, index) => row(index, ['a']));
    expect(refusalOfRows(many.length, many).details).toHaveLength(mostNamedFaults);
  });
});

test('a file is its uploader’s and the managers’, and nobody else’s', () => {
  expect(refusalOfFile(scope('MSP_EMPLOYEE'), 'u', 'import')).toBeNull();
  expect(refusalOfFile(scope('MSP_OWNER'), 'other', 'discard')).toBeNull();
  expect(refusalOfFile(scope('MSP_ADMIN'), null, 'change')).toBeNull();
  for (const act of ['import', 'change', 'discard'] as const) {
    expect(refusalOfFile(scope('MSP_EMPLOYEE'), 'other', act)).toContain(`can ${act} it.`);
    // The person who uploaded it is gone.
    expect(refusalOfFile(scope('MSP_EMPLOYEE'), null, act)).not.toBeNull();
  }
});
