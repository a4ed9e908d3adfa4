import { testWrites } from '../../../../tests/support/asked.tsx';
import { useDeleteView, useRenameView, useSaveView, useViews } from './api.ts';

/** Views of another list stay as they are. */
const more = { others: () => useViews('orders', true) };
const wish = { screen: 'domains', name: 'Soon', query: 'sort=-expiresAt', shared: true } as const;

testWrites(
  () => ({
    save: useSaveView('domains'),
    rename: useRenameView('domains'),
    remove: useDeleteView('domains'),
  }),
  [
    ['a view', ({ save }) => save.mutateAsync(wish), ['POST /view', wish], ['views'], ['views']],
    [
      'a view that is renamed',
      ({ rename }) => rename.mutateAsync({ id: 'v1', name: 'Later', shown: 'Soon' }),
      ['PATCH /view/v1', { name: 'Later', shown: 'Soon' }],
      ['views'],
      ['views'],
    ],
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
