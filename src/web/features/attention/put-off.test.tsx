import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { worseText } from '#contracts/values/put-off.ts';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { useChangeAttention } from './api.ts';
import { KeptNotice } from './kept-notice.tsx';
import { type NotChanged, notChangedOf, putOffBody } from './put-off.ts';

const item: AttentionItem = {
  ...{ id: '01a1fdfa-4600-7dd9-94c2-24b68de27e87', cause: 'charge', severity: 'now', name: 'a.com' },
  ...{ title: 'Payment of $9.00 failed', detail: 'Your card was declined.', when: 'needs you' },
  ...{ deadline: null, openedAt: '2026-11-26T12:00:00Z', customerId: null, customer: '', owner: null },
  ...{ snoozedUntil: null, version: 2, action: { label: 'Review', to: '/direct-billing' }, renewal: null },
};
const conflict = { code: 'conflict', message: 'It has become more urgent.', data: item };
const lists = [['attention'], ['overview']];
const told: (NotChanged | null)[] = [];
const kept = { item, text: 'It has become more urgent.' };
const useActs = () => useChangeAttention((now) => told.push(now));

test('what is put off is the entry as it was seen', () => {
  expect(putOffBody({ ...item, version: 7 }, 7, new Date('2026-11-26T12:00:00Z'))).toEqual({
    ...{ id: item.id, version: 7, snoozedUntil: '2026-12-03T12:00:00.000Z' },
  });
});

test('an entry that is worse by now is told as it is, and the lists are read again', async () => {
  told.length = 0;
  const putOff = (acts: ReturnType<typeof useActs>) => acts.mutateAsync(putOffBody(item, 1, new Date()));
  const refused = async (acts: ReturnType<typeof useActs>) =>
    expect(putOff(acts)).rejects.toMatchObject({ code: 'conflict' });
  const answer = () => Response.json(conflict, { status: 409 });
  expect(await readAgainAfter(useActs, lists, refused, answer)).toEqual(lists);
  expect(told).toEqual([kept]);
  // Done after all, there is nothing to tell any more.
  expect(await readAgainAfter(useActs, lists, putOff)).toEqual(lists);
  expect(told).toEqual([kept, null]);
});

test('only a conflict brings the entry along', () => {
  const error = (code: string, data: unknown) =>
    new ApiError('Refused', { code, status: 409, data } as never);
  expect(notChangedOf(error('conflict', item))).toEqual({ item, text: 'Refused' });
  for (const other of [error('conflict', undefined), error('not_found', item), new Error('no'), null]) {
    expect(notChangedOf(other)).toBeNull();
  }
});

test('the notice has the entry as it is now', () => {
  const markup = renderToStaticMarkup(
    <MantineProvider>
      <KeptNotice kept={{ item, text: worseText }} onClose={() => undefined} />
    </MantineProvider>,
  );
  for (const part of [
    'a.com Payment of $9.00 failed',
    'Your card was declined. · needs you',
    'since you saw it',
  ]) {
    expect(markup).toContain(part);
  }
});
