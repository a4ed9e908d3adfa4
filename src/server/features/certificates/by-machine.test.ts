import { expect, test } from 'vitest';
import { byAcmeOf, type Installer, isByMachine, shareOf } from './by-machine.ts';

const now = new Date('2026-11-22T12:00:00Z');
const staff = { limited: false, now };
const row = {
  state: 'completed',
  valid_from: new Date('2026-11-01T00:00:00Z'),
  valid_to: new Date('2027-05-20T00:00:00Z'),
};
const installer: Installer = {
  ...{ accessId: 'a', name: 'Web server', lastUsedAt: '2026-11-22T11:00:00+00:00', issuedId: 'key.serial' },
  ...{ revokedAt: null, expiresAt: null, newest: { outcome: 'done', detail: '', advice: '' } },
};
const told = (change: Partial<Installer> = {}, of: Partial<typeof row> = {}) =>
  byAcmeOf({ ...installer, ...change }, { ...row, ...of }, staff);

test('a certificate that a person installs says nothing of a machine', () => {
  expect(byAcmeOf(null, row, staff)).toBeNull();
  expect(byAcmeOf(undefined, row, staff)).toBeNull();
});

test('a machine’s certificate says by which access it came, when its machine was seen and when it renews', () => {
  expect(told()).toMatchObject({ name: 'Web server', lastSeenAt: '2026-11-22T11:00:00.000Z', problem: null });
  const { from = '', to = '' } = told()?.renewsAt ?? {};
  expect([from > now.toISOString(), from < to, to < row.valid_to.toISOString()]).toEqual([true, true, true]);
  expect(told({ lastUsedAt: null })?.lastSeenAt).toBeNull();
});

test('a machine whose access has ended renews nothing: a person installs its certificate', () => {
  expect(told({ revokedAt: '2026-11-22T11:59:59+00:00' })).toBeNull();
  expect(told({ expiresAt: '2026-11-22T12:00:00+00:00' })).toBeNull();
  expect(told({ expiresAt: '2026-11-22T12:00:01+00:00' })).not.toBeNull();
});

test('there is no window before the certificate is issued, and none when it does not run', () => {
  expect(told({ issuedId: null })?.renewsAt).toBeNull();
  expect(told({}, { state: 'revoked' })?.renewsAt).toBeNull();
  expect(byAcmeOf(installer, { ...row, valid_from: null }, staff)?.renewsAt).toBeNull();
  expect(byAcmeOf(installer, { ...row, valid_to: null }, staff)?.renewsAt).toBeNull();
});

test('what was refused or failed last is told until something succeeds', () => {
  const problemOf = (outcome: string) =>
    told({ newest: { outcome, detail: 'No balance.', advice: '' } })?.problem;
  expect(['refused', 'failed'].map(problemOf)).toEqual(['No balance.', 'No balance.']);
  expect(['done', 'waiting'].map(problemOf)).toEqual([null, null]);
  expect(told({ newest: null })?.problem).toBeNull();
});

test('staff read what they can do about it, and a customer’s own users the reply that their machine received', () => {
  const newest = { outcome: 'refused', detail: 'Ask your provider.', advice: 'Add the name to the access.' };
  const problemFor = (limited: boolean) => byAcmeOf({ ...installer, newest }, row, { limited, now })?.problem;
  expect(problemFor(false)).toBe('Add the name to the access.');
  expect(problemFor(true)).toBe('Ask your provider.');
});

test('a machine renews while its access works', () => {
  const at = (change: Partial<Installer>) => isByMachine({ ...installer, ...change }, now);
  expect(at({})).toBe(true);
  expect(at({ expiresAt: '2026-11-22T12:00:00.001+00:00' })).toBe(true);
  expect(at({ expiresAt: '2026-11-22T12:00:00+00:00' })).toBe(false);
  expect(at({ revokedAt: '2026-11-01T12:00:00+00:00' })).toBe(false);
});

test('a share is the same for the same certificate, and lies between 0 and 1', () => {
  const shares = ['a.1', 'a.2', 'b.1', 'b.2'].map(shareOf);
  expect(shares).toEqual(['a.1', 'a.2', 'b.1', 'b.2'].map(shareOf));
  expect(shares.every((share) => share >= 0 && share < 1)).toBe(true);
  expect(new Set(shares).size).toBe(4);
});
