import { expect, test } from 'vitest';
import { sentBy } from '../../../../tests/support/sent-by.tsx';
import { useReissue } from './api.ts';
import { useCsrReissue } from './use-csr-reissue.ts';

/** The first step of an issued certificate: a reissue with another request. */

const certificate = { orderId: '71', state: 'completed', csr: 'CSR that was ordered\n', reissue: null };
const reissue = { orderId: '72', state: 'running', automatic: false, startedAt: '2026-11-01T00:00:00Z' };
const sound = { certificate, mayChange: true, typed: 'CSR of a new key', read: 'CSR of a new key, read' };

type Given = Parameters<typeof useCsrReissue>[0];
type Change = Partial<Omit<Given, 'onReissued'>>;

async function offer(change: Change = {}) {
  const said: { isOffered: boolean; obstacle: string | null } = { isOffered: false, obstacle: null };
  const sent = await sentBy(
    () => useCsrReissue({ ...sound, ...change, onReissued: () => undefined }),
    ({ isOffered, obstacle, order }) => {
      Object.assign(said, { isOffered, obstacle });
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
  ['another reissue is under way', { certificate: { ...certificate, reissue } }],
  ...['awaiting-approval', 'in-progress', 'declined', 'cancelled', 'revoked'].map(
    (state): [string, Change] => [`the order is ${state}`, { certificate: { ...certificate, state } }],
  ),
])('is neither offered nor sent when %s', async (_why, change) => {
  expect(await offer(change)).toMatchObject({ isOffered: false, sent: [] });
});

test.each<[string, Change, RegExp]>([
  ['an order in progress', { certificate: { ...certificate, state: 'in-progress' } }, /order in progress/],
  ['an order that has ended', { certificate: { ...certificate, state: 'revoked' } }, /has ended/],
  ['a certificate that is being reissued', { certificate: { ...certificate, reissue } }, /in progress/],
])('of %s it is said why not, once another request is typed', async (_what, change, why) => {
  expect((await offer(change)).obstacle).toMatch(why);
  expect(await offer({ ...change, typed: certificate.csr })).toMatchObject({ obstacle: null });
  expect(await offer()).toMatchObject({ obstacle: null });
});

test('without another request keeps the key: nothing is sent in its place', async () => {
  const sent = await sentBy(
    () => useReissue('71'),
    (acts) => acts.mutateAsync({}),
  );
  expect(sent).toEqual([{ method: 'POST', path: '/api/ssl/order/71/reissue', body: {} }]);
});
