import { expect, test } from 'vitest';
import { nextStep } from './setting-changes.rules.ts';

const seen = { before: { nameservers: ['ns1.old.net'] }, after: { nameservers: ['ns1.new.net'] } };

test.each([
  ['as it was seen', 'ns1.old.net', false, 'send'],
  ['as it was seen, also for another try', 'ns1.old.net', true, 'send'],
  ['as it is wished, by somebody else', 'ns1.new.net', false, 'same'],
  ['as it is wished, by an earlier try whose answer was lost', 'ns1.new.net', true, 'note'],
  ['neither', 'ns1.other.net', false, 'moved'],
  ['neither, also for another try', 'ns1.other.net', true, 'moved'],
] as const)('a setting that is %s', (_what, name, again, step) => {
  expect(nextStep({ nameservers: [name] }, seen, again)).toBe(step);
});
