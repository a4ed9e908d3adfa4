import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setTokenSource } from '../../lib/api-client.ts';
import {
  useCancelInvite,
  useChangeUser,
  useInviteUser,
  useRemoveUser,
  useResendInvite,
} from './people-api.ts';

beforeAll(() => {
  vi.stubGlobal('fetch', async () => Response.json({ data: {} }));
  setTokenSource({ token: async () => 'token', renew: async () => null });
});
afterAll(() => {
  vi.unstubAllGlobals();
  setTokenSource({ token: async () => null, renew: async () => null });
});

function useActs() {
  const [invite, cancel, resend] = [useInviteUser(), useCancelInvite(), useResendInvite()];
  return { invite, cancel, resend, remove: useRemoveUser(), change: useChangeUser() };
}
type Acts = ReturnType<typeof useActs>;

function Screen({ take }: { take: (acts: Acts) => void }) {
  take(useActs());
  return null;
}

/** Which of the lists that were shown are read again after this. */
async function readAgainAfter(act: (acts: Acts) => Promise<unknown>): Promise<unknown[]> {
  const client = new QueryClient();
  const shown = ['users', 'invites'];
  for (const list of shown) client.setQueryData(['people', list], []);
  const taken = Promise.withResolvers<Acts>();
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Screen take={taken.resolve} />
    </QueryClientProvider>,
  );
  await act(await taken.promise);
  return shown.filter((list) => client.getQueryState(['people', list])?.isInvalidated);
}

const guest = { email: 'guest@msp.example', type: 'MSP_EMPLOYEE' } as const;
test.each<[string, (acts: Acts) => Promise<unknown>, string]>([
  ['an invitation', ({ invite }) => invite.mutateAsync({ ...guest }), 'invites'],
  ['one that is cancelled', ({ cancel }) => cancel.mutateAsync('id'), 'invites'],
  ['one that is sent again', ({ resend }) => resend.mutateAsync('id'), 'invites'],
  ['a user who is removed', ({ remove }) => remove.mutateAsync('id'), 'users'],
  ['a user who is changed', ({ change }) => change.mutateAsync({ id: 'id', body: {} }), 'users'],
])('after %s the list that shows it is read again', async (_what, act, list) => {
  expect(await readAgainAfter(act)).toEqual([list]);
});
