import { expect, test } from 'vitest';
import { containing, patternOf } from './search.ts';

test('what was typed is looked for in lower case, without the blanks around it; nothing typed is no search', () => {
  expect(patternOf(' Blue Fig ')).toBe('%blue fig%');
  for (const nothing of [undefined, '', '   ']) expect(patternOf(nothing)).toBeNull();
});

test('wildcards of LIKE stand for themselves', () => {
  expect(containing('50%_off\\now')).toBe('%50\\%\\_off\\\\now%');
  expect(patternOf('A_B%')).toBe('%a\\_b\\%%');
});
