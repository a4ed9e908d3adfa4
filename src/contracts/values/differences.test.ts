import { expect, test } from 'vitest';
import { agreementText } from './differences.ts';

const at = '2026-11-26T04:00:00.000Z';

test('only a comparison that asked everything says that the books agree', () => {
  expect(agreementText([])).toBe('Nothing has been compared yet');
  expect(agreementText([{ endedAt: null, incomplete: null }])).toBe('Nothing has been compared yet');
  expect(agreementText([{ endedAt: at, incomplete: null }])).toBe('Registrar, ledger and payments agree');
  expect(agreementText([{ endedAt: at, incomplete: 'payments' }])).toBe(
    'No difference was found, but not everything could be compared',
  );
});

test('a comparison under way says nothing; the newest that ended does', () => {
  const underWay = { endedAt: null, incomplete: null };
  const whole = { endedAt: at, incomplete: null };
  const partly = { endedAt: at, incomplete: 'payments' };
  expect(agreementText([underWay, partly, whole])).toBe(agreementText([partly]));
  expect(agreementText([underWay, whole, partly])).toBe(agreementText([whole]));
});
