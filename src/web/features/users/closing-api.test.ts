import { expect, test, vi } from 'vitest';
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

test('what the tab kept of an organization is gone once it is closed, before the person comes to the next one', async () => {
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
    () => useCloseOrganization(leave),
    [],
    (close) => close.mutateAsync(),
  );
  expect(leave).toHaveBeenCalledOnce();
  expect(kept).toEqual({ 'nameward.tab-of': 'ann' });
});
