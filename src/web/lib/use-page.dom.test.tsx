import { expect, onTestFinished, test } from 'vitest';
import { openScreen, paged } from '../../../tests/support/screen.tsx';
import { callPage } from './api-client.ts';
import { usePage } from './use-page.ts';

function List() {
  const query = { page: 1, pageSize: 50 };
  return usePage(['orders'], query, (wanted) => callPage('GET /order', { query: wanted })).data?.meta.total;
}

test('the next page of a list is asked for when the browser has nothing better to do', async () => {
  const { requestIdleCallback } = window;
  onTestFinished(() => void Object.assign(window, { requestIdleCallback }));
  const waiting: (() => void)[] = [];
  Object.assign(window, { requestIdleCallback: (does: () => void) => waiting.push(does) });
  const { sent, settled } = await openScreen(List, { answers: { 'GET /order': paged([], { total: 60 }) } });
  const asked = () => sent('GET /order').map(({ query }) => query.page);
  expect(asked()).toEqual(['1']);
  for (const does of waiting) does();
  await settled();
  expect(asked()).toEqual(['1', '2']);
});
