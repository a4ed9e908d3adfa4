import { expect, test } from 'vitest';
import { healthFindings } from '#contracts/values/health.ts';
import { fixAllLabel, kindChoices } from './kind-choices.ts';

const counts = [{ kind: 'dmarc-missing', count: 3 }] as const;
const found = { value: 'dmarc-missing', label: `${healthFindings['dmarc-missing'].title} (3)` };

test('a kind can be filtered by while something of it is open', () => {
  expect(kindChoices([...counts], undefined)).toEqual([found]);
  expect(kindChoices([...counts], 'dmarc-missing')).toEqual([found]);
  expect(kindChoices(undefined, undefined)).toEqual([]);
});

test('what is chosen stays among the choices when nothing of it is left, or nothing is known yet', () => {
  const chosen = { value: 'spf-open', label: healthFindings['spf-open'].title };
  expect(kindChoices([...counts], 'spf-open')).toEqual([found, chosen]);
  expect(kindChoices(undefined, 'spf-open')).toEqual([chosen]);
});

test('a fix of more domains than one change takes says that it is of the first ones', () => {
  expect([1, 2_000].map(fixAllLabel)).toEqual(['Fix in all domains', 'Fix in all domains']);
  expect(fixAllLabel(2_001)).toBe('Fix in the first 2,000 domains');
});
