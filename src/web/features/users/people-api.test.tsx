import { expect, test, vi } from 'vitest';
import { asked, id, type Reading, refused, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import {
  useAcceptInvite,
  useCancelInvite,
  useChangeUser,
  useCopyInviteLink,
  useInviteCheck,
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

const useWrites = () => ({ ...useActs(), accept: useAcceptInvite(true) });
const more = { check: () => useInviteCheck('secret', true) };
const people: Reading[] = ['users', 'invites', 'tokens', 'overview'];
const invited: Reading[] = ['invites', 'overview'];
const ofCustomer = { email: 'guest@acme.com', type: 'MSP_CUSTOMER', authorizedClientId: id } as const;
const change = { type: 'MSP_EMPLOYEE', authorizedClientId: null, dailyLimit: 50_000 } as const;

testWrites(
  useWrites,
  [
    [
      'an invitation',
      ({ invite }) => invite.mutateAsync(ofCustomer),
      ['POST /user/subuser', ofCustomer],
      // Who cannot be invited may be in already, or be invited.
      ...([invited, people] as const),
    ],
    [
      'a removal of a user',
      ({ remove }) => remove.mutateAsync('u1'),
      ['DELETE /user/subuser/u1'],
      ...([people, people] as const),
    ],
    [
      'a change of a user',
      ({ change: act }) => act.mutateAsync({ id: 'u1', body: change }),
      ['PATCH /user/subuser/u1', change],
      ['users', 'invites', 'tokens'],
      ...([[], people] as const),
    ],
    [
      'an end of an invitation',
      ({ cancel }) => cancel.mutateAsync('i1'),
      ['DELETE /user/subuser/invite/i1'],
      // It was accepted by now.
      ...([invited, people] as const),
    ],
    [
      'an invitation once more',
      ({ resend }) => resend.mutateAsync('i1'),
      ['POST /user/subuser/invite/i1/resend'],
      ...([invited, people] as const),
    ],
    [
      'an acceptance',
      ({ accept }) => accept.mutateAsync('secret'),
      ['POST /user/subuser/acceptinvite/secret'],
      ...([['profile'], ['profile']] as const),
    ],
  ],
  { more },
);

test.each([
  ['is made', () => Response.json({ data: {} })],
  ['is there from an earlier try', refused(409, 'user_already_exists')],
])('who has no profile accepts with an empty one, which %s', async (_how, answer) => {
  const answers = [answer, () => Response.json({ data: {} })];
  const { sent, again } = await asked(
    () => useAcceptInvite(false),
    (accept) => accept.mutateAsync('secret'),
    () => (answers.shift() ?? refused(500, 'internal'))(),
  );
  expect(sent).toEqual([['POST /user/subuser/create'], ['POST /user/subuser/acceptinvite/secret']]);
  expect(again).toEqual(['profile']);
});

const copying = async (link: string, write: () => Promise<void>) => {
  const copied = vi.fn(write);
  let said: unknown = null;
  const act = async (copy: ReturnType<typeof useCopyInviteLink>) => {
    vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
    said = await copy.mutateAsync('i1').catch((error: Error) => error.message);
  };
  const found = await asked(useCopyInviteLink, act, undefined, { data: { link } });
  return { ...found, said, copied: copied.mock.calls };
};

test('the link of an invitation is asked for and copied', async () => {
  const { sent, copied, again } = await copying('https://p.test/i/secret', async () => undefined);
  expect({ sent, copied, again }).toEqual({
    ...{ sent: [['GET /user/subuser/invite/i1/link']], copied: [['https://p.test/i/secret']], again: [] },
  });
});

test('a link that is no longer there, or that the browser does not copy, is said to be so', async () => {
  const gone = await copying('', async () => undefined);
  expect([gone.said, gone.copied]).toEqual([expect.stringContaining('no longer available'), []]);
  const blocked = await copying('https://p.test/i/secret', async () => Promise.reject(new Error('no')));
  expect(blocked.said).toContain('blocked copying');
});

test('an invitation that is gone by the time its link is asked for leaves the list', async () => {
  const copy = (act: ReturnType<typeof useCopyInviteLink>) => act.mutateAsync('i1');
  const { again } = await asked(useCopyInviteLink, copy, refused(404, 'not_found'));
  expect(again.sort()).toEqual([...people].sort());
});
