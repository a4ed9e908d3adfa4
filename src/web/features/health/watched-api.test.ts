import { id, type Reading, testWrites } from '../../../../tests/support/asked.tsx';
import { useAssignWatched, useUnwatch, useWatch } from './watched-api.ts';

/** Names that are watched, what is wrong with them, and what waits for a person because of it. */
const after: Reading[] = [
  ...(['health', 'board', 'healthCount', 'customerHealth', 'watched'] as const),
  ...(['attention', 'attentionCounts', 'overview'] as const),
];

testWrites(
  () => ({ watch: useWatch(), assign: useAssignWatched(), unwatch: useUnwatch() }),
  [
    [
      'a name to watch',
      ({ watch }) => watch.mutateAsync({ text: 'acme.com b.com', customerId: id }),
      ['POST /health/watched', { text: 'acme.com b.com', customerId: id }],
      ...([after, after] as const),
    ],
    [
      'a name that is assigned',
      ({ assign }) => assign.mutateAsync({ domains: ['acme.com'], customerId: null }),
      ['PATCH /health/watched', { domains: ['acme.com'], customerId: null }],
      ...([after, after] as const),
    ],
    [
      'a name that is watched no more',
      ({ unwatch }) => unwatch.mutateAsync(['acme.com', 'b.com']),
      ['POST /health/watched/remove', { domains: ['acme.com', 'b.com'] }],
      ...([after, after] as const),
    ],
  ],
);
