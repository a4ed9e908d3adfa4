import { expect, test } from 'vitest';
import { signedTransferWarning } from './signed-transfer.ts';

test('a signed domain that is transferred has a warning; it is graver where its nameservers would change', () => {
  const of = (signed: boolean, nameserversChange: boolean) =>
    signedTransferWarning({ signed, nameserversChange });
  expect(of(false, true)).toBeNull();
  expect(of(false, false)).toBeNull();
  expect(of(true, false)).toContain('keeps working while the domain keeps its current nameservers');
  expect(of(true, true)).toContain('nameservers are not changed before DNSSEC is off');
});
