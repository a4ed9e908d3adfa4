import { describe, expect, test } from 'vitest';
import { transferCheckFailed, withUsAlready } from '#contracts/values/outcome-texts.ts';
import { ApiError, somethingWentWrong } from '../../lib/api-error.ts';
import { failureOf, nameOf, outcomeOf } from './transfer-check.ts';

const reply = (transferrable: 0 | 1, reason: string | null = null, reason_code: string | null = null) => ({
  domainResponse: { transferrable, reason, reason_code, hindrance: null },
  dnsRecords: { NS: [], answered: 1 as const, signed: 0 as const },
});

describe('what a transfer check comes to (P2 §4)', () => {
  test('1 can be transferred, 0 cannot, with the reason as part of a sentence', () => {
    expect(outcomeOf(reply(1))).toEqual({ kind: 'transferable' });
    expect(outcomeOf(reply(0, 'Domain not registered. '))).toEqual({
      kind: 'refused',
      reason: 'Domain not registered',
    });
    expect(outcomeOf(reply(0))).toEqual({ kind: 'refused', reason: 'The registry gave no reason' });
  });

  test.each([0, 1] as const)('with the registrar already is for support, whether it says %d', (flag) => {
    expect(outcomeOf(reply(flag, 'Already here', withUsAlready))).toEqual({ kind: 'support' });
  });

  test('a check that failed is told from a request that did (P2 §8)', () => {
    const failure = (message: string) =>
      failureOf(new ApiError(message, { code: 'upstream_unavailable', status: 502, requestId: 'r-1' }));
    expect(failure(transferCheckFailed)).toEqual({ kind: 'check-error', requestId: 'r-1' });
    const request = { kind: 'request-error', requestId: 'r-1' };
    expect(failure('Too many requests')).toEqual({ ...request, message: 'Too many requests' });
    expect(failure(somethingWentWrong)).toEqual({ ...request, message: 'Please try again.' });
    expect(failureOf(new Error('odd'))).toMatchObject({ message: 'Please try again.', requestId: null });
  });
});

describe('the name of a transfer (P2 §5)', () => {
  test.each([
    ['', 'Please enter a domain name'],
    ['acme', 'Please enter the name with its extension, such as example.com'],
    ['acme.org', 'Only .com domains are supported at the moment.'],
  ])('"%s" is not asked for: %s', (typed, message) => {
    expect(nameOf(typed)).toEqual({ ok: false, message });
  });

  test.each([
    ['  ACME.com ', 'acme.com'],
    ['acme.com.', 'acme.com'],
    ['https://www.acme.com/shop', 'acme.com'],
    ['bücher.com', 'xn--bcher-kva.com'],
  ])('%j is tidied to %s, which the field then shows', (typed, domain) => {
    expect(nameOf(typed)).toEqual({ ok: true, domain });
  });
});
