import { testWrites } from '../../../../tests/support/asked.tsx';
import {
  useActs,
  useCorrections,
  useDecideCorrection,
  useEndDomain,
  useGiveDomain,
  useMe,
  usePrices,
  useQueue,
  useReconciliation,
  useRecovery,
  useRegistrarAccount,
  useRetry,
  useSetPrices,
  useSettleFinding,
  useStartReconciliation,
} from './api.ts';

const more = {
  ...{ queue: useQueue, registrar: useRegistrarAccount, reconciliation: () => useReconciliation(false) },
  ...{ recovery: useRecovery, operatorPrices: usePrices, me: useMe, corrections: useCorrections },
  acts: useActs,
};

function useWrites() {
  const [retry, end, compare] = [useRetry(), useEndDomain(), useStartReconciliation()];
  return {
    retry,
    end,
    give: useGiveDomain(),
    compare,
    settle: useSettleFinding(),
    prices: useSetPrices(),
    decide: useDecideCorrection(),
  };
}
type Writes = ReturnType<typeof useWrites>;
type Reading = keyof typeof more;

/** Whatever comes of an act: it is written down, and what it was about may be otherwise. */
const act = (
  what: string,
  does: (writes: Writes) => Promise<unknown>,
  sends: [line: string, body?: unknown],
  ...again: Reading[]
) => [what, does, sends, ['acts', ...again], ['acts', ...again]] as const;
const given = {
  ...{ domain: 'lost.com', organizationId: 'o1', organization: 'Blue Fig', customerId: 'c1' },
  reason: 'Lost in the restore',
};
const version = {
  ...{ validFrom: '2026-12-01T00:00:00Z', note: 'The registry raises its fee' },
  entries: [{ product: 'domain' as const, name: 'com', kind: 'renewal' as const, price: 13.5 }],
};

testWrites(
  useWrites,
  [
    act(
      'a retry',
      ({ retry }) => retry.mutateAsync({ kind: 'review', id: 'item 1' }),
      ['POST /operator/queue/review/item%201/retry'],
      ...(['queue', 'registrar'] as const),
    ),
    act(
      'an end of a domain',
      ({ end }) => end.mutateAsync({ id: 'd1', reason: 'Left the account' }),
      ['POST /operator/domains/d1/end', { reason: 'Left the account' }],
      'queue',
    ),
    act(
      'a domain that is given to a customer',
      ({ give }) => give.mutateAsync(given),
      ['POST /operator/domains', given],
      ...(['recovery', 'reconciliation'] as const),
    ),
    // It is followed until it has run.
    act('a comparison', ({ compare }) => compare.mutateAsync(), ['POST /operator/reconciliation']),
    act(
      'a decision about a difference',
      ({ settle }) => settle.mutateAsync({ id: 'f1', reason: 'Charged by hand' }),
      ['POST /operator/recovery/findings/f1/settle', { reason: 'Charged by hand' }],
      'recovery',
    ),
    act(
      'a price list',
      ({ prices }) => prices.mutateAsync(version),
      ['POST /operator/prices', version],
      'operatorPrices',
    ),
    act(
      'a correction that is confirmed',
      ({ decide }) => decide.mutateAsync({ id: 'c1', verdict: 'confirm' }),
      ['POST /operator/corrections/c1/confirm'],
      'corrections',
    ),
    act(
      'a correction that is declined',
      ({ decide }) => decide.mutateAsync({ id: 'c1', verdict: 'decline' }),
      ['POST /operator/corrections/c1/decline'],
      'corrections',
    ),
    act(
      'a correction that is withdrawn',
      ({ decide }) => decide.mutateAsync({ id: 'c1', verdict: 'withdraw' }),
      ['POST /operator/corrections/c1/withdraw'],
      'corrections',
    ),
  ],
  { more },
);
