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

const lists = [...['users', 'invites'].map((list) => ['people', list]), ['tokens']];
const guest = { email: 'guest@msp.example', type: 'MSP_EMPLOYEE' } as const;
test.each<[string, (acts: Acts) => Promise<unknown>, string]>([
  ['an invitation', ({ invite }) => invite.mutateAsync({ ...guest }), 'invites'],
  ['one that is cancelled', ({ cancel }) => cancel.mutateAsync('id'), 'invites'],
  ['one that is sent again', ({ resend }) => resend.mutateAsync('id'), 'invites'],
])('after %s the list that shows it is read again', async (_what, act, list) => {
  expect(await readAgainAfter(useActs, lists, act)).toEqual([['people', list]]);
});

test.each<[string, (acts: Acts) => Promise<unknown>]>([
  ['removed', ({ remove }) => remove.mutateAsync('id')],
  ['changed', ({ change }) => change.mutateAsync({ id: 'id', body: {} })],
])(
  'after a user is %s their invitations and tokens are read again, too: they end with it',
  async (_what, act) => {
    expect(await readAgainAfter(useActs, lists, act)).toEqual(lists);
  },
);

test.each<[string, string, number, string[][]]>([
  ['is of another type by now the list is read again', 'validation_failed', 400, [['people', 'users']]],
  // Without them in the list the dialog would be gone, which is to say so.
  ['is gone the dialog keeps its user', 'not_found', 404, []],
])('after a change that was refused because the user %s', async (_what, code, status, read) => {
  const refused = async ({ change }: Acts) =>
    expect(change.mutateAsync({ id: 'id', body: {} })).rejects.toMatchObject({ code });
  const answer = () => Response.json({ code, message: 'No' }, { status });
  expect(await readAgainAfter(useActs, lists, refused, answer)).toEqual(read);
});
