import { expect, test, vi } from 'vitest';
import { asked, id, type Reading, testWrites } from '../../../../tests/support/asked.tsx';
import { followNothing } from '../../lib/followed-work.ts';
import {
  useChange,
  useChangeAct,
  useChangeItems,
  useChooseItems,
  useCreateChange,
  useDescribeChange,
  useDiscardChange,
  useMakeChange,
  useStartChange,
} from './api.ts';

const counts = {
  ...{ total: 3, waiting: 0, ready: 3, warned: 0, leftOut: 0, same: 0, barred: 0 },
  ...{ queued: 0, applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
};
const before = { id, title: 'Lock all', state: 'ready', startedAt: null, counts } as const;
const described = { ...before, title: 'Lock all again' };
const running = { ...before, state: 'running', startedAt: '2026-11-27T12:00:00Z' } as const;

const around = {
  more: { change: () => useChange(id), items: () => useChangeItems(before as never, {}) },
  ...{ kept: { change: before }, data: described },
};

function useWrites() {
  const [create, make, describe] = [useCreateChange(), useMakeChange(), useDescribeChange(id)];
  const [choose, discard] = [useChooseItems(id), useDiscardChange(id)];
  const [apply, retry] = [useStartChange(id, 'apply'), useStartChange(id, 'retry')];
  const [look, pause, resume] = [
    useChangeAct(id, 'look'),
    useChangeAct(id, 'pause'),
    useChangeAct(id, 'resume'),
  ];
  const acts = { look, pause, resume, cancel: useChangeAct(id, 'cancel'), undo: useChangeAct(id, 'undo') };
  return { create, make, describe, choose, discard, apply, retry, ...acts };
}

const here = ['changes', 'change', 'items'] as const;
const waits = ['overview', 'attention', 'attentionCounts'] as const;
const now = [...here, ...waits] as const;
/** What shows domains, their zones and what follows from them. */
const elsewhere: Reading[] = [
  ...([
    'domains',
    'details',
    'customers',
    'choices',
    'customer',
    'customerDomains',
    'otherCustomer',
  ] as const),
  ...([
    'dnssec',
    'zone',
    'versions',
    'lastChanges',
    'glue',
    'otherZone',
    'records',
    'templates',
    'uses',
  ] as const),
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
  ...(['billingAddress', 'health', 'board', 'healthCount', 'customerHealth', 'watched'] as const),
];
const request = { kind: 'lock' as const, locked: true };
const targets = { kind: 'names' as const, names: ['acme.com'] };
const wish = { title: 'Lock all', reason: 'T-1', request, targets };
const words = { title: 'Lock all', reason: 'T-1', request, round: 2 };
const choice = { ids: [id], chosen: false, ticked: true, round: 2 };
const shown = { expected: 3, round: 2 };

testWrites(
  useWrites,
  [
    ['a change', ({ create }) => create.mutateAsync(wish), ['key POST /changes', wish], now, []],
    [
      'a change whose domains are found first',
      ({ make }) => make.mutateAsync(async () => wish),
      ['key POST /changes', wish],
      ...([now, []] as const),
    ],
    [
      'another description',
      ({ describe }) => describe.mutateAsync(words),
      [`PUT /changes/${id}`, words],
      ...([now, here] as const),
    ],
    [
      'a choice of domains',
      ({ choose }) => choose.mutateAsync(choice),
      [`PATCH /changes/${id}/items`, choice],
      ...([now, here] as const),
    ],
    [
      'a change that is discarded',
      ({ discard }) => discard.mutateAsync(),
      [`DELETE /changes/${id}`],
      ...([['changes', ...waits], here] as const),
    ],
    ...(['look', 'pause', 'resume', 'cancel', 'undo'] as const).map(
      (act) =>
        [
          `"${act}"`,
          (writes: ReturnType<typeof useWrites>) => writes[act].mutateAsync(),
          [`POST /changes/${id}/${act}`],
          ...([now, here] as const),
        ] as const,
    ),
  ],
  around,
);

testWrites(
  useWrites,
  (['apply', 'retry'] as const).map(
    (act) =>
      [
        `"${act}"`,
        (writes: ReturnType<typeof useWrites>) => writes[act].mutateAsync(shown),
        [`POST /changes/${id}/${act}`, shown],
        ...([[...now, ...elsewhere], here] as const),
      ] as const,
  ),
  { ...around, data: running },
);

test('what was answered is on the screen at once', async () => {
  const describe = ({ describe: act }: ReturnType<typeof useWrites>) => act.mutateAsync(words);
  expect((await asked(useWrites, describe, undefined, around)).put).toEqual(['change']);
});

test.each<[string, (writes: ReturnType<typeof useWrites>) => Promise<unknown>, object, string[]]>([
  [
    'is being prepared',
    ({ create }) => create.mutateAsync(wish),
    { ...before, id: 'new', state: 'draft' },
    ['new'],
  ],
  // A short one, of which the person has left the screen.
  [
    'ended with the answer to its start',
    ({ apply }) => apply.mutateAsync(shown),
    { ...running, state: 'done' },
    [id],
  ],
  ['was only looked at', ({ describe }) => describe.mutateAsync(words), { ...before, id: 'other' }, []],
])('a change that %s is followed on every screen, or is not', async (_what, act, data, followed) => {
  followNothing();
  const kept = new Map<string, string>();
  await asked(
    useWrites,
    async (writes) => {
      vi.stubGlobal('sessionStorage', {
        getItem: (name: string) => kept.get(name) ?? null,
        setItem: (name: string, text: string) => kept.set(name, text),
        removeItem: (name: string) => kept.delete(name),
      });
      await act(writes);
    },
    undefined,
    { ...around, data },
  );
  const stored = JSON.parse(kept.get('nameward.followed-work') ?? '[]') as { id: string }[];
  expect(stored.map((work) => work.id)).toEqual(followed);
});
