import { expect, test, vi } from 'vitest';
import { asked, type Reading, refused } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { keepText, readText } from '../../lib/storage.ts';
import { cancelledText, useCancelTopUps, useCloseOrganization } from './closing-api.ts';

const unpaid = { charged: false };
const paid = { charged: true };

test('top-ups that were given up are told as cancelled, and one that was paid meanwhile as paid', () => {
  expect(cancelledText([unpaid, unpaid])).toBe('Unpaid top-ups were cancelled.');
  expect(cancelledText([unpaid, paid])).toBe('A top-up was paid meanwhile. It is in the balance.');
});

const shown = [['account', 'balance'], ['profile'], ['customers']];
test('after top-ups were given up the balance and the profile are read again: one may have been paid', async () => {
  expect(await readAgainAfter(useCancelTopUps, shown, (cancel) => cancel.mutateAsync(['id']))).toEqual([
    ['account', 'balance'],
    ['profile'],
  ]);
});

test('the same after a failure: the first of them may have been paid before it', async () => {
  const refused = () => Response.json({ code: 'upstream_unavailable', message: 'No' }, { status: 503 });
  const act = async (cancel: ReturnType<typeof useCancelTopUps>) =>
    expect(cancel.mutateAsync(['id'])).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(await readAgainAfter(useCancelTopUps, shown, act, refused)).toHaveLength(2);
});

test('what the tab kept of an organization, but for its name, is gone once it is closed, before the person comes to the next one', async () => {
  const kept: Record<string, unknown> = {};
  Object.defineProperties(kept, {
    getItem: { value: (name: string) => kept[name] ?? null },
    setItem: { value: (name: string, text: string) => Reflect.set(kept, name, text) },
    removeItem: { value: (name: string) => delete kept[name] },
  });
  vi.stubGlobal('sessionStorage', kept);
  keepText('session', 'tab-of', 'ann');
  keepText('session', 'names-to-move', 'secret-plan.com');
  const leave = vi.fn(async () => expect(readText('session', 'names-to-move')).toBeNull());
  await readAgainAfter(
    () => useCloseOrganization('Blue Fig', leave),
    [],
    (close) => close.mutateAsync(),
  );
  expect(leave).toHaveBeenCalledOnce();
  // Its name alone stays, for the screen that says that it was closed.
  expect(kept).toEqual({ 'nameward.tab-of': 'ann', 'nameward.organization-closed': 'Blue Fig' });
});

const ofTopUps: Reading[] = [
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
  ...(['billingAddress', 'profile', 'overview', 'attention', 'attentionCounts'] as const),
];

test('top-ups are given up one after the other, and what waited for their payment waits no more', async () => {
  const cancel = (act: ReturnType<typeof useCancelTopUps>) => act.mutateAsync(['t1', 't2']);
  const { sent, again } = await asked(useCancelTopUps, cancel);
  expect(sent).toEqual([['POST /account/topup/t1/cancel'], ['POST /account/topup/t2/cancel']]);
  expect(again.sort()).toEqual([...ofTopUps].sort());
  const failed = await asked(useCancelTopUps, cancel, refused(503, 'upstream_unavailable'));
  expect(failed.sent).toHaveLength(1);
  expect(failed.again.sort()).toEqual([...ofTopUps].sort());
});

test.each([
  ['was closed', () => Response.json({ data: null }), true],
  ['was closed by a press before, whose answer was lost', refused(404, 'no_profile'), true],
  ['is in use', refused(409, 'organization_in_use'), false],
])('of an organization that %s', async (_what, answer, closed) => {
  const leave = vi.fn(async () => undefined);
  const { sent, again, gone } = await asked(
    () => useCloseOrganization('Blue Fig', leave),
    (close) => close.mutateAsync(),
    answer,
  );
  expect(sent).toEqual([['DELETE /user/organization']]);
  expect(leave).toHaveBeenCalledTimes(closed ? 1 : 0);
  expect(again).toEqual(closed ? ['profile'] : []);
  // All that was read of it.
  expect(gone.length > 40).toBe(closed);
  expect(gone).not.toContain('profile');
});
