import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import {
  domainKeys,
  useForceNameservers,
  useRemoveDnssec,
  useResendVerification,
  useSetAutoRenew,
  useSetLock,
  useSetPrivacy,
} from './api.ts';

const domain = 'acme.com';

function useActs() {
  const [lock, renew, privacy] = [useSetLock(), useSetAutoRenew(), useSetPrivacy()];
  const [dnssec, force] = [useRemoveDnssec(domain), useForceNameservers(domain)];
  return { lock, renew, privacy, dnssec, force, resend: useResendVerification() };
}
type Acts = ReturnType<typeof useActs>;

test.each<[string, (acts: Acts) => Promise<unknown>]>([
  ['the lock', ({ lock }) => lock.mutateAsync({ domain, locked: true })],
  ['auto renew', ({ renew }) => renew.mutateAsync({ domain, enabled: true } as never)],
  ['privacy', ({ privacy }) => privacy.mutateAsync({ domain, enabled: true })],
  ['DNSSEC', ({ dnssec }) => dnssec.mutateAsync()],
  ['the nameservers', ({ force }) => force.mutateAsync(undefined as never)],
  ['a verification that is sent again', ({ resend }) => resend.mutateAsync({ domain } as never)],
])(
  'after a change of %s the domain, its lists, its DNS, what falls due and what needs attention are read again',
  async (_what, act) => {
    const shown = [
      [...domainKeys.one(domain), 'all_info'],
      domainKeys.list,
      ['dns', 'zone', domain],
      ['overview'],
      ['attention'],
      ['account', 'renewals', 90],
    ];
    expect(await readAgainAfter(useActs, shown, act)).toEqual(shown);
  },
);
