import { expect, test } from 'vitest';
import { standingOf } from './standing.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();
type Given = Parameters<typeof standingOf>[0];

const standing = (given: Partial<Given>) =>
  standingOf(
    {
      ...{ state: 'completed', validFrom: inDays(-50), validTo: inDays(150), nextReissueAt: inDays(120) },
      ...{ termEndsAt: inDays(315), reissuing: false, flags: [] },
      ...given,
    },
    now,
  );

test('the state is the worse of order and validity: a completed order whose certificate is over has expired', () => {
  expect(standing({})).toMatchObject({ tone: 'good', state: 'Valid' });
  expect(standing({ validTo: inDays(-4) })).toMatchObject({
    tone: 'bad',
    state: 'Expired',
    passed: 1,
    mark: null,
  });
  expect(standing({ validTo: now.toISOString() }).state).toBe('Expired');
  expect(standing({ state: 'expired', validTo: inDays(-4) })).toMatchObject({ tone: 'bad', act: 'Renew' });
  expect(standing({ state: 'revoked' })).toMatchObject({
    ...{ tone: 'bad', state: 'Revoked', passed: null, left: '' },
  });
  expect(standing({ state: 'awaiting-approval', validFrom: null, validTo: null })).toMatchObject({
    ...{ tone: 'info', state: 'Awaiting approval', passed: null, left: 'not issued yet' },
    next: 'Waiting for the certificate authority.',
  });
});

test('a notice takes the green away, is the sentence of what is next, and has one button', () => {
  const flags = [
    { kind: 'reissue' as const, level: 'danger' as const, text: 'Reissue it now.' },
    { kind: 'shrinks' as const, level: 'warning' as const, text: 'Plan to install it more often.' },
  ];
  expect(standing({ flags })).toMatchObject({
    ...{ tone: 'bad', state: 'Valid', act: 'Reissue' },
    next: 'Reissue it now. And 1 more.',
  });
  expect(standing({ flags: flags.slice(1) })).toMatchObject({ tone: 'warn', act: 'Review' });
  expect(standing({}).act).toBe(null);
});

test.each([
  ['expired', 'Renew'],
  ['term', 'Renew'],
  ['reissue', 'Reissue'],
  ['proof', 'Put back'],
  ['waiting', 'Prove'],
  ['email', 'Choose DNS'],
  ['shrinks', 'Review'],
] as const)('a notice of the kind %s has the button "%s", and its own words', (kind, act) => {
  const flags = [{ kind, level: 'warning' as const, text: 'What to do.' }];
  expect(standing({ flags })).toMatchObject({ act, next: 'What to do.' });
});

test.each<[string, Partial<Given>, object]>([
  ['declined', {}, { tone: 'bad', state: 'Declined', passed: null, left: '', next: '', act: null }],
  ['cancelled', {}, { tone: 'plain', state: 'Cancelled', passed: null, left: '', next: '', act: null }],
  ['revoked', {}, { tone: 'bad', state: 'Revoked', passed: null, left: '', next: '', act: null }],
  ['expired', { validTo: null }, { tone: 'bad', state: 'Expired', passed: null, left: '', act: 'Renew' }],
  ['in-progress', { validTo: null }, { tone: 'info', state: 'In progress', left: 'not issued yet' }],
  ['pending', { validTo: null }, { tone: 'info', state: 'Pending', left: 'not issued yet' }],
])(
  'one that is %s (%j) has no validity that runs, and says only what is true of it',
  (state, more, shown) => {
    expect(standing({ state, ...more })).toMatchObject(shown);
  },
);

test('a notice colours what is not issued yet, and nothing colours what has ended', () => {
  const flags = [{ kind: 'waiting' as const, level: 'warning' as const, text: 'Prove it.' }];
  expect(standing({ state: 'awaiting-approval', validTo: null, flags })).toMatchObject({
    ...{ tone: 'warn', state: 'Awaiting approval', act: 'Prove' },
  });
  expect(standing({ state: 'expired', flags }).tone).toBe('bad');
});

test('the bar says what has passed, and where the next reissue is', () => {
  expect(standing({}).passed).toBeCloseTo(0.25);
  expect(standing({}).mark).toBeCloseTo(0.85);
  expect(standing({ nextReissueAt: null }).mark).toBe(null);
  expect(standing({ validFrom: inDays(1) }).passed).toBe(0);
  // A mark that is past stays on the line.
  expect(standing({ nextReissueAt: inDays(-90) }).mark).toBe(0);
  expect(standing({ validFrom: inDays(150) }).passed).toBe(1);
  expect(standing({ validFrom: null })).toMatchObject({ passed: null, mark: null });
});

test('what is left is in days; what is over says since when', () => {
  expect(standing({}).left).toBe('150 days left');
  expect(standing({ validTo: inDays(1.5) }).left).toBe('1 day left');
  expect(standing({ validTo: inDays(2) }).left).toBe('2 days left');
  expect(standing({ validTo: inDays(1) }).left).toBe('1 day left');
  expect(standing({ validTo: inDays(0.9) }).left).toBe('less than a day left');
  expect(standing({ validTo: '2026-11-18T12:00:00Z' }).left).toBe('since Nov 18');
});

test('without a notice what is next is the reissue, or the end of the term', () => {
  expect(standing({ nextReissueAt: '2027-03-22T12:00:00Z' }).next).toBe('Next reissue on Mar 22.');
  expect(standing({ nextReissueAt: null, termEndsAt: '2027-10-03T12:00:00Z' }).next).toBe(
    'The order term ends on Oct 3, 2027.',
  );
  expect(standing({ reissuing: true }).next).toBe('A reissue is in progress.');
  expect(standing({ nextReissueAt: null, termEndsAt: null }).next).toBe('');
  expect(standing({ state: 'expired', reissuing: true }).next).toBe('A newer order has replaced it.');
});

test('what a machine renews says so, and what it did not succeed with comes first', () => {
  const byAcme = { accessId: 'a', name: 'Web server', lastSeenAt: null, problem: null, renewsAt: null };
  const renewsAt = { from: '2027-03-01T12:00:00Z', to: '2027-03-05T12:00:00Z' };
  expect(standing({ byAcme }).next).toBe('Its server renews it automatically.');
  expect(standing({ byAcme: { ...byAcme, renewsAt } }).next).toBe(
    'Its server renews it automatically from Mar 1 on.',
  );
  expect(standing({ byAcme: { ...byAcme, renewsAt, problem: 'No balance.' } }).next).toBe(
    'The last request of its server failed: No balance.',
  );
});
