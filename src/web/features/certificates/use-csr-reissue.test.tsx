import { expect, test } from 'vitest';
import { sentBy } from '../../../../tests/support/sent-by.tsx';
import { useReissue } from './api.ts';
import { useCsrReissue } from './use-csr-reissue.ts';

/** The first step of an issued certificate: a reissue with another request. */

const certificate = { orderId: '71', state: 'completed', csr: 'CSR that was ordered\n' };
const sound = { certificate, mayChange: true, typed: 'CSR of a new key', read: 'CSR of a new key, read' };

type Change = Partial<Omit<typeof sound, 'read'>> & { read?: string | null };

async function offer(change: Change = {}) {
  const said = { isOffered: false, comesTooEarly: false };
  const sent = await sentBy(
    () => useCsrReissue({ ...sound, ...change, onReissued: () => undefined }),
    ({ isOffered, comesTooEarly, order }) => {
      Object.assign(said, { isOffered, comesTooEarly });
      order();
    },
  );
  return { ...said, sent };
}

test.each(['completed', 'expired'])(
  'of a certificate that is %s, sends the request that was read',
  async (state) => {
    const { isOffered, sent } = await offer({ certificate: { ...certificate, state } });
    expect(isOffered).toBe(true);
    const body = { csr: 'CSR of a new key, read' };
    expect(sent).toEqual([{ method: 'POST', path: '/api/ssl/order/71/reissue', body }]);
  },
);

test.each<[string, Change]>([
  ['what is typed was not read', { read: null }],
  ['it is the request that was ordered', { typed: ' CSR that was ordered', read: 'CSR that was ordered' }],
  ['the person may only look', { mayChange: false }],
  ...['awaiting-approval', 'in-progress', 'declined', 'cancelled', 'revoked'].map(
    (state): [string, Change] => [`the order is ${state}`, { certificate: { ...certificate, state } }],
  ),
])('is neither offered nor sent when %s', async (_why, change) => {
  expect(await offer(change)).toMatchObject({ isOffered: false, sent: [] });
});

test('of an order in progress is said to come too early, once another request is typed', async () => {
  const open = { ...certificate, state: 'in-progress' };
  expect(await offer({ certificate: open })).toMatchObject({ comesTooEarly: true });
  expect(await offer({ certificate: open, typed: open.csr })).toMatchObject({ comesTooEarly: false });
  expect(await offer()).toMatchObject({ comesTooEarly: false });
});

test('without another request keeps the key: nothing is sent in its place', async () => {
  const sent = await sentBy(
    () => useReissue('71'),
    (acts) => acts.mutateAsync({}),
  );
  expect(sent).toEqual([{ method: 'POST', path: '/api/ssl/order/71/reissue', body: {} }]);
});
