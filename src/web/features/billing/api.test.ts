import { expect, test } from 'vitest';
import { asked, testWrites } from '../../../../tests/support/asked.tsx';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import { cancelTopUp, usePollBalance, useSetAutoBalance, useStartTopUp } from './api.ts';

test.each(['done', 'refused'] as const)(
  'a second top-up of the same amount as one that was answered is another one: %s',
  async (first) => {
    expect(await requestsSent(useStartTopUp, [[50, first] as const, [50, 'done'] as const])).toEqual([1, 2]);
  },
);

test('while nobody knows whether a top-up was begun the next try begins no second one, and another amount does', async () => {
  const unknown = ['silence', 'broken'] as const;
  const tries = [50, 60].flatMap((amount) => unknown.map((answer) => [amount, answer] as const));
  expect(await requestsSent(useStartTopUp, tries)).toEqual([1, 1, 2, 2]);
});

const ofAccount = [
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient'] as const),
  ...(['renewals', 'billingAddress'] as const),
];
const setting = { enabled: true, amount: 20_000, mark: 5_000 } as const;

testWrites(
  () => ({ topUp: useStartTopUp(), auto: useSetAutoBalance() }),
  [
    // The balance is followed until the money is there.
    [
      'a top-up',
      ({ topUp }) => topUp.mutateAsync(50),
      ['key POST /account/topupv2', { amount: 50 }],
      ...([[], []] as const),
    ],
    [
      'auto balance',
      ({ auto }) => auto.mutateAsync(setting),
      ['POST /account/auto-balance', setting],
      ...([ofAccount, ofAccount] as const),
    ],
    [
      'an end of auto balance',
      ({ auto }) => auto.mutateAsync({ enabled: false }),
      ['POST /account/auto-balance', { enabled: false }],
      ...([ofAccount, ofAccount] as const),
    ],
  ],
);

test('a top-up is given up by its own number', async () => {
  const { sent } = await asked(
    () => cancelTopUp,
    (cancel) => cancel('t1'),
  );
  expect(sent).toEqual([['POST /account/topup/t1/cancel']]);
});

test('with money that has come the account, the profile and what waited for it are read again', async () => {
  const now = { balance: 10_000, pendingBalance: 0, held: 0, spendable: 10_000 };
  const poll = (look: ReturnType<typeof usePollBalance>) => look({ balance: 0, pendingBalance: 0 });
  const { sent, again, put } = await asked(usePollBalance, poll, () => Response.json({ data: now }));
  expect(sent).toEqual([['GET /account/balancev2']]);
  expect(put).toEqual(['balance']);
  expect(again.sort()).toEqual([...ofAccount, 'profile', 'overview', 'attention', 'attentionCounts'].sort());
});
