import { describe, expect, test } from 'vitest';
import {
  endOfOrder,
  endWithoutOrder,
  hostNamesIn,
  isAmong,
  issuedState,
  lookOf,
  pauseMs,
  proofStateAfter,
  reissueStateOf,
  remarkOf,
  runningProofState,
  wakesItself,
} from './refresh.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const at = (ms: number) => new Date(now.getTime() + ms);

describe('the next look at a certificate', () => {
  const pause = (state: string, ageMs: number, reissueState: string | null = null, failures = 0) =>
    pauseMs({ state, reissueState, ordered_at: at(-ageMs), proof: null, proof_state: null }, now, failures);

  test('comes after 4 seconds while somebody may be watching, a minute on the first day, ten minutes after it', () => {
    expect(pause('in-progress', 5 * minuteMs - 1)).toBe(4 * secondMs);
    expect(pause('in-progress', 5 * minuteMs)).toBe(minuteMs);
    expect(pause('in-progress', 24 * hourMs)).toBe(minuteMs);
    expect(pause('in-progress', 24 * hourMs + 1)).toBe(10 * minuteMs);
  });

  test('comes every six hours for what runs, every ten minutes while it is reissued, and never for what has ended', () => {
    expect(pause('completed', 0)).toBe(6 * hourMs);
    expect(pause('completed', 0, 'running')).toBe(10 * minuteMs);
    expect(pause('declined', 0)).toBe(null);
    expect(pause('revoked', 0)).toBe(null);
    expect(pause('expired', 0, 'sending')).toBe(10 * minuteMs);
  });

  test('comes soon while nobody knows whether the proof of a running certificate is in DNS', () => {
    const proof = { dnsName: '_dnsauth.a.com', dnsType: 'TXT' as const, dnsValue: 'x' };
    const running = (method: 'DNS' | 'Email', proof_state: 'missing' | null) => ({
      ...{ state: 'completed', reissueState: null, ordered_at: now, proof_state },
      proof: { ...proof, method, filePath: null, fileContent: null },
    });
    expect(pauseMs(running('DNS', null), now, 0)).toBe(4 * secondMs);
    expect(pauseMs(running('DNS', 'missing'), now, 0)).toBe(6 * hourMs);
    expect(pauseMs(running('Email', null), now, 0)).toBe(6 * hourMs);
    expect(pauseMs({ ...running('DNS', null), state: 'expired' }, now, 0)).toBe(null);
  });

  test('comes ever later while the registrar does not answer, six hours at most', () => {
    expect([1, 2, 10, 11].map((failures) => pause('in-progress', 0, null, failures))).toEqual([
      30 * secondMs,
      60 * secondMs,
      15_360 * secondMs,
      6 * hourMs,
    ]);
  });

  test('is a job of its own within the hour; the sweep finds the others', () => {
    expect([null, hourMs - 1, hourMs].map(wakesItself)).toEqual([false, true, false]);
  });

  test('is at its order while that is open, at the certificate once it is issued', () => {
    expect(['awaiting-approval', 'completed', 'declined', 'expired'].map(lookOf)).toEqual([
      'order',
      'running',
      null,
      null,
    ]);
  });
});

describe('an order', () => {
  test('that is declined or cancelled is paid back; of a decline the MSP hears', () => {
    expect(endOfOrder('declined')).toEqual({ tell: true, payBack: true });
    expect(endOfOrder('cancelled')).toEqual({ tell: false, payBack: true });
    expect(endOfOrder('completed')).toEqual({ tell: false, payBack: false });
    expect(endOfOrder('awaiting-approval')).toEqual({ tell: false, payBack: false });
  });

  test('of a reissue ends with it', () => {
    expect(reissueStateOf('completed')).toBe('completed');
    expect(reissueStateOf('declined')).toBe('declined');
    expect(reissueStateOf('cancelled')).toBe('declined');
    expect(reissueStateOf('awaiting-approval')).toBe('running');
  });
});

describe('a reissue without an order', () => {
  const day = 24 * hourMs;
  const gone = { kind: 'gone', orderId: '7' } as const;
  const untagged = { kind: 'untagged', orderIds: ['8', '9'] } as const;

  test.each([
    ['that was never received', { kind: 'absent' } as const, 10 * minuteMs, /never received/, null],
    ['that may be another one of the name', untagged, day, /has not confirmed the request/, /8, 9/],
    ['that cannot be read', { kind: 'unreadable' } as const, day, /has not confirmed/, /can be read/],
    ['that is not there any more', gone, day, /does not have order 7 any more/, /order 7/],
  ])('%s ends in time, and not a moment earlier', (_why, seen, afterMs, remark, alert) => {
    expect(endWithoutOrder(seen, afterMs - 1)).toBeNull();
    expect(endWithoutOrder(seen, afterMs)).toEqual({
      ...{ afterMs, remark: expect.stringMatching(remark) },
      alert: alert && expect.stringMatching(alert),
    });
  });
});

test('an issued certificate is revoked, expired from the moment it ends, or in use', () => {
  expect(issuedState({ state: 'revoked', notAfter: at(-1) }, now)).toBe('revoked');
  expect(issuedState({ state: 'active', notAfter: now }, now)).toBe('expired');
  expect(issuedState({ state: 'active', notAfter: at(1) }, now)).toBe('completed');
});

describe('a proof', () => {
  test('is there when DNS has the value, whatever the case and the dot at its end', () => {
    expect(isAmong(['other', 'ABC.example.'], 'abc.Example')).toBe(true);
    expect(isAmong(['abc'], 'abc.')).toBe(true);
    expect(isAmong(['abcd'], 'abc')).toBe(false);
    expect(isAmong([], 'abc')).toBe(false);
  });

  test('that the portal wrote is set', () => {
    expect(proofStateAfter('set', 'awaiting-approval', 'missing')).toBe('set');
  });

  test('that others write is waited for before the certificate is issued, and missed after it', () => {
    expect(proofStateAfter('no-domain', 'awaiting-approval', 'missing')).toBe('waiting');
    expect(proofStateAfter('no-domain', 'awaiting-approval', 'present')).toBe('present');
    expect(proofStateAfter('no-domain', 'completed', 'missing')).toBe('missing');
    expect(proofStateAfter('not-managed', 'awaiting-approval', 'missing')).toBe('missing');
    expect(proofStateAfter('not-managed', 'awaiting-approval', 'present')).toBe('present');
  });

  test("of a running certificate stays the portal's while DNS has it", () => {
    expect(runningProofState('set', 'present')).toBe('set');
    expect(runningProofState('set', 'missing')).toBe('missing');
    expect(runningProofState('waiting', 'present')).toBe('present');
  });
});

test('host names are those of DNS, in small letters', () => {
  expect(hostNamesIn('DNS:A.com, DNS:www.a.com, IP Address:192.0.2.1')).toEqual(['a.com', 'www.a.com']);
  expect(hostNamesIn(undefined)).toEqual([]);
});

test('the remark on an order is what the registrar noted last, at most 500 characters of it', () => {
  const remark = (...texts: string[]) =>
    remarkOf({ notes: texts.map((text) => ({ text })) } as Parameters<typeof remarkOf>[0]);
  expect(remark()).toBeNull();
  expect(remark('only')).toBe('only');
  expect(remark('first', 'second', 'last')).toBe('last');
  expect(remark('x'.repeat(501))).toBe('x'.repeat(500));
});
