import { expect, test } from 'vitest';
import type { Move } from '#contracts/operations/moves.ts';
import { asked, id, ofOrders, type Reading, testWrites } from '../../../../tests/support/asked.tsx';
import {
  hasGoneOn,
  servedAsShown,
  useChangeLines,
  useCreateMove,
  useDropMove,
  useLookAgain,
  useMove,
  useMoveZone,
  useOrderLines,
  useSetCode,
} from './api.ts';

const of = (...lines: [orderId: string | null, stage: string][]) =>
  ({ lines: lines.map(([orderId, stage], index) => ({ id: String(index), orderId, stage })) }) as Move;

test('a list has gone on when lines are ordered, or an ordered one is elsewhere', () => {
  const before = of([null, 'ready'], ['o1', 'release']);
  expect(hasGoneOn(before, before)).toBe(false);
  expect(hasGoneOn(before, of([null, 'left-out'], ['o1', 'release']))).toBe(false);
  expect(hasGoneOn(before, of(['o2', 'ordered'], ['o1', 'release']))).toBe(true);
  expect(hasGoneOn(before, of([null, 'ready'], ['o1', 'arriving']))).toBe(true);
});

test('records are served in spite of the changes that were shown, and of no later ones', () => {
  const comparedAt = '2026-11-20T12:00:00.000Z';
  expect(servedAsShown({ id: 'l' }, { comparedAt })).toEqual({ lineIds: ['l'], dns: 'bring', comparedAt });
});

const before = { ...of([null, 'ready']), id, counts: { ready: 1 } };
const looked = { ...of([null, 'checking']), id, counts: { checking: 1 } };
const ordered = { ...of(['o1', 'ordered']), id, counts: { ordered: 1 } };
const around = {
  more: { move: () => useMove(id), moveZone: () => useMoveZone(id, 'l1') },
  ...{ kept: { move: before }, data: looked },
};

function useWrites() {
  const [create, change, look] = [useCreateMove(), useChangeLines(id), useLookAgain(id)];
  return { create, change, look, order: useOrderLines(id), code: useSetCode(id), drop: useDropMove(id) };
}
type Writes = ReturnType<typeof useWrites>;
const here = ['moves', 'move', 'moveZone'] as const;
const waits = ['overview', 'attention', 'attentionCounts'] as const;
const now = [
  ...[...here, ...waits],
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
  'billingAddress' as const,
] as const;
const list = { customerId: id, text: 'acme.com; code' };
const chosen = {
  ...{ lineIds: ['l1'], dns: 'bring' as const, leftOut: false, comparedAt: '2026-11-20T12:00:00.000Z' },
};
const order = { lineIds: ['l1', 'l2'], price: 22.5 };

testWrites(
  useWrites,
  [
    ['a pasted list', ({ create }) => create.mutateAsync(list), ['key POST /move', list], here, here],
    [
      'a choice for lines',
      ({ change }) => change.mutateAsync(chosen),
      [`PATCH /move/${id}`, chosen],
      ...([now, now] as const),
    ],
    [
      'another look',
      ({ look }) => look.mutateAsync(['l1']),
      [`POST /move/${id}/look`, { lineIds: ['l1'] }],
      ...([now, now] as const),
    ],
    [
      'another code',
      ({ code }) => code.mutateAsync({ lineId: 'l1', code: 'new' }),
      [`POST /move/${id}/line/l1/code`, { code: 'new' }],
      ...([now, now] as const),
    ],
    [
      'a list that is deleted',
      ({ drop }) => drop.mutateAsync(),
      [`DELETE /move/${id}`],
      ...([
        [...here, ...waits],
        [...here, ...waits],
      ] as const),
    ],
  ],
  around,
);

/** Beside what every order changes. */
const ofArrivals: Reading[] = [
  'order',
  ...(['dnssec', 'zone', 'versions', 'lastChanges', 'glue', 'otherZone', 'templates', 'uses'] as const),
];
const place = ({ order: act }: Writes) => act.mutateAsync(order);

testWrites(
  useWrites,
  [
    [
      'an order of lines',
      place,
      [`key POST /move/${id}/order`, order],
      [...ofOrders, ...ofArrivals, 'move', 'moveZone'],
      now,
    ],
  ],
  { ...around, data: ordered },
);

test('the list that an act answers with is on the screen at once', async () => {
  for (const data of [looked, ordered]) {
    expect((await asked(useWrites, place, undefined, { ...around, data })).put).toEqual(['move']);
  }
});
