import { describe, expect, test } from 'vitest';
import type { RefusalReason } from '../../ports/outcome.ts';
import { commonRules } from './rules.ts';
import { refusalText, transferReason } from './texts.ts';

const reasons: RefusalReason[] = [
  ...(['taken', 'invalid', 'not-ours', 'not-found', 'in-use', 'already-done', 'year-mismatch'] as const),
  ...(['not-transferable', 'registrar-funds', 'forbidden', 'limit', 'other'] as const),
];

describe('a refusal in our words', () => {
  test.each(reasons)('%s has a sentence of its own, with or without the registrar’s text', (reason) => {
    expect(refusalText(reason, null)).toMatch(/^[A-Z].*\.$/);
    expect(refusalText(reason, 'Name server x is bad')).toMatch(/^[A-Z].*[.”]$/);
  });

  test('quotes the registrar where it says more than we do', () => {
    expect(refusalText('invalid', 'owner: phone is invalid')).toBe(
      'The registrar did not accept the data. It says: “owner: phone is invalid”',
    );
    expect(refusalText('taken', 'Domain taken')).toBe('Somebody else has registered this name.');
  });

  test('does not quote what says nothing', () => {
    for (const said of ['Failed', 'Unknown error', 'Registration failed.', '']) {
      expect(refusalText('other', said)).toBe('The registrar refused the request.');
    }
  });

  test.each([
    ...new Set(commonRules.flatMap(({ code, meaning }) => (meaning.kind === 'refused' ? [code] : []))),
  ])('code %s never reaches a person', (code) => {
    const rules = commonRules.filter((rule) => rule.code === code);
    for (const { meaning } of rules) {
      if (meaning.kind !== 'refused') continue;
      const text = meaning.text ?? refusalText(meaning.reason, null);
      expect(text).not.toContain(code);
      expect(text.length).toBeGreaterThan(20);
    }
  });
});

test.each([
  [
    'Domain status clientTransferProhibited does not allow for transfer',
    /^it is locked at its current registrar/,
  ],
  ['Transfer in progress', /^a transfer of it is already under way/],
  ['Domain not registered', /^nobody has registered it$/],
  ['Domain less than 60 days old', /^it was registered or transferred less than 60 days ago$/],
  ['Moon in the seventh house', /^the registrar says: “Moon in the seventh house”$/],
])('a transfer that is refused with "%s" has a reason that ends a sentence', (said, reason) => {
  expect(transferReason(said).text).toMatch(reason);
});
