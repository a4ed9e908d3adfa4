import { testWrites } from '../../../../tests/support/asked.tsx';
import { useDeleteView, useSaveView, useViews } from './api.ts';

/** Views of another list stay as they are. */
const more = { others: () => useViews('orders', true) };
const wish = { screen: 'domains', name: 'Soon', query: 'sort=-expiresAt', shared: true } as const;

testWrites(
  () => ({ save: useSaveView('domains'), remove: useDeleteView('domains') }),
  [
    ['a view', ({ save }) => save.mutateAsync(wish), ['POST /view', wish], ['views'], ['views']],
    [
      'a view that is removed',
      ({ remove }) => remove.mutateAsync('v1'),
      ['DELETE /view/v1'],
      ['views'],
      ['views'],
    ],
  ],
  { more },
);
