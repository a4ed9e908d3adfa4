import { expect, test } from 'vitest';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import {
  useCancelInvite,
  useChangeUser,
  useInviteUser,
  useRemoveUser,
  useResendInvite,
} from './people-api.ts';

function useActs() {
  const [invite, cancel, resend] = [useInviteUser(), useCancelInvite(), useResendInvite()];
  return { invite, cancel, resend, remove: useRemoveUser(), change: useChangeUser() };
}
type Acts = ReturnType<typeof useActs>;

const lists = ['users', 'invites'].map((list) => ['people', list]);
const guest = { email: 'guest@msp.example', type: 'MSP_EMPLOYEE' } as const;
test.each<[string, (acts: Acts) => Promise<unknown>, string]>([
  ['an invitation', ({ invite }) => invite.mutateAsync({ ...guest }), 'invites'],
  ['one that is cancelled', ({ cancel }) => cancel.mutateAsync('id'), 'invites'],
  ['one that is sent again', ({ resend }) => resend.mutateAsync('id'), 'invites'],
  ['a user who is removed', ({ remove }) => remove.mutateAsync('id'), 'users'],
  ['a user who is changed', ({ change }) => change.mutateAsync({ id: 'id', body: {} }), 'users'],
])('after %s the list that shows it is read again', async (_what, act, list) => {
  expect(await readAgainAfter(useActs, lists, act)).toEqual([['people', list]]);
});
