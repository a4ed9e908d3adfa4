import { expect, test } from 'vitest';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { flagsOf } from './flags.ts';

const detailsOf = (flags: object | null) =>
  ({ domain: 'acme.com', ext_results: flags ? [{ 'acme.com': flags }] : [] }) as unknown as DomainDetails;

test('a lock state or auto renew that is not 0 is on (P2 §5)', () => {
  expect(flagsOf(detailsOf({ lock_state: 0, auto_renew: 0 }))).toEqual({ locked: false, autoRenew: false });
  expect(flagsOf(detailsOf({ lock_state: 1, auto_renew: 0 }))).toEqual({ locked: true, autoRenew: false });
  expect(flagsOf(detailsOf({ lock_state: 0, auto_renew: 1 }))).toEqual({ locked: false, autoRenew: true });
  expect(flagsOf(detailsOf({ lock_state: 2, auto_renew: -1 }))).toEqual({ locked: true, autoRenew: true });
});
