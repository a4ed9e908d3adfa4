import { expect, test } from 'vitest';
import { ruleOfFinding, ruleOfWatched } from './health.ts';

test('a finding of a domain that is held elsewhere has the advice for that, and all else as here', () => {
  const here = ruleOfFinding('unlocked');
  expect(ruleOfWatched('unlocked')).toEqual({
    ...here,
    ...here.elsewhere,
    remedy: 'Ask who holds it to lock it.',
  });
  expect(ruleOfWatched('spf-open')).toEqual(ruleOfFinding('spf-open'));
});
