import { describe, expect, test } from 'vitest';
import type { RegistrantVerification } from '../../ports/registrar.ts';
import { afterReading, type KnownVerification, noticeDue } from './verification.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const known = (change: Partial<KnownVerification>): KnownVerification => ({
  ...{ state: 'waiting', deadline: inDays(15), told: null },
  ...change,
});
const said = (change: Partial<RegistrantVerification>): RegistrantVerification => ({
  ...{ state: 'waiting', deadline: null, daysToSuspend: null, emailBounced: false },
  ...change,
});

describe('the letter that is due', () => {
  test.each([
    ['begun', {}],
    [null, { told: 'begun' }],
    ['soon', { told: 'begun', deadline: inDays(5) }],
    [null, { told: 'begun', deadline: inDays(5.01) }],
    ['soon', { deadline: inDays(3) }],
    [null, { told: 'soon', deadline: inDays(1) }],
    ['suspended', { state: 'suspended', told: 'soon' }],
    ['suspended', { state: 'suspended', deadline: null }],
    [null, { state: 'suspended', told: 'suspended' }],
    [null, { told: 'suspended' }],
    [null, { told: 'suspended', deadline: inDays(1) }],
    [null, { state: 'verified' }],
    [null, { state: 'reviewing' }],
    [null, { state: null }],
    ['begun', { deadline: null }],
  ] as const)('%s after %o', (notice, change) => {
    expect(noticeDue(known(change), now)).toBe(notice);
  });
});

describe('after a reading', () => {
  test('the deadline is the registrar’s date, else its days', () => {
    expect(afterReading(known({}), said({ deadline: inDays(9) }), now).deadline).toEqual(inDays(9));
    expect(afterReading(known({}), said({ daysToSuspend: 4 }), now).deadline).toEqual(inDays(4));
    expect(afterReading(known({}), said({}), now).deadline).toBeNull();
  });

  test('a confirmed address has no deadline, and a next round starts with its first letter', () => {
    const after = afterReading(
      known({ told: 'soon' }),
      said({ state: 'verified', deadline: inDays(1) }),
      now,
    );
    expect(after).toEqual({ state: 'verified', deadline: null, told: null });
    const again = afterReading(after, said({ deadline: inDays(15) }), now);
    expect(noticeDue(again, now)).toBe('begun');
  });

  test('the same round keeps what was told, though the deadline wavers by hours', () => {
    const before = known({ told: 'begun', deadline: inDays(10) });
    expect(afterReading(before, said({ deadline: inDays(10.9) }), now).told).toBe('begun');
    expect(afterReading(before, said({ deadline: inDays(11) }), now).told).toBe('begun');
    expect(afterReading(before, said({ deadline: inDays(11.1) }), now).told).toBeNull();
  });

  test('a suspension that goes on is no new round: nothing is told again', () => {
    const before = known({ state: 'suspended', told: 'suspended', deadline: null });
    expect(afterReading(before, said({ state: 'suspended' }), now).told).toBe('suspended');
  });

  test('what nobody verifies has no deadline', () => {
    expect(afterReading(known({}), said({ state: null, deadline: inDays(9) }), now).deadline).toBeNull();
  });

  test('a suspension that was lifted is a new round', () => {
    const before = known({ state: 'suspended', told: 'suspended', deadline: null });
    expect(afterReading(before, said({ deadline: inDays(15) }), now).told).toBeNull();
  });
});
