import { useQueryClient } from '@tanstack/react-query';
import { describe, expect, test, vi } from 'vitest';
import { asked, id, ofOrders, refused, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import {
  certificateQuery,
  customerCountQuery,
  isMoving,
  noOwner,
  noPrices,
  useApprovers,
  useAutoReissue,
  useCancelCertificate,
  useCertificate,
  useCertificateOffer,
  useCustomerCount,
  useParseCsr,
  useReissue,
  useResendApproval,
  useRevoke,
  useSaveCertificate,
  useSetProof,
} from './api.ts';

test('how many certificates of a customer need somebody is counted over all of them, not over a page', async () => {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    const url = new URL(address, 'https://portal.test');
    asked.push(url);
    const total = url.searchParams.get('band') === 'attention' ? 4 : 60;
    return Response.json({ data: [], meta: { page: 1, pageSize: 1, total } });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    const { signal } = new AbortController();
    expect(await customerCountQuery('c').queryFn({ signal })).toEqual({ all: 60, attention: 4 });
    for (const url of asked) {
      expect([url.pathname, url.searchParams.get('pageSize')]).toEqual(['/api/ssl/c', '1']);
    }
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
});

test('a certificate is read again while its order or its reissue is under way, and not once it rests', () => {
  const startedAt = '2026-11-22T12:00:00Z';
  const reissue = { orderId: '8', state: 'running', automatic: true, startedAt };
  expect(isMoving({ state: 'awaiting-approval', reissue: null })).toBe(true);
  expect(isMoving({ state: 'completed', reissue })).toBe(true);
  expect(isMoving({ state: 'completed', reissue: null })).toBe(false);
  expect(isMoving(undefined)).toBe(false);
});

const orderId = '71';
const more = {
  certificate: () => useCertificate(orderId),
  approvers: () => useApprovers(orderId, true),
  count: () => useCustomerCount(id),
  found: ['certificates', 'matches', 'acme'],
};
const own = ['certificate', 'approvers'] as const;
const lists = ['certificates', 'customerCertificates', 'count', 'found'] as const;
const changed = [
  ...[...own, ...lists],
  ...(['domains', 'details', 'overview', 'attention', 'attentionCounts'] as const),
] as const;
const paidBack = [...ofOrders, ...own, 'count', 'found'] as const;

function useWrites() {
  const [proof, reissue, cancel] = [useSetProof(orderId), useReissue(orderId), useCancelCertificate(orderId)];
  const [revoke, auto, parse] = [useRevoke(orderId), useAutoReissue(orderId), useParseCsr()];
  return { proof, reissue, cancel, revoke, auto, parse, resend: useResendApproval(orderId) };
}
const chosen = { method: 'Email', approverEmail: 'admin@acme.com' } as const;
const wish = { csr: 'CSR', opensrsorderid: orderId, domain: 'acme.com', productType: 'rapidssl' };

testWrites(
  useWrites,
  [
    [
      'a proof of control',
      ({ proof }) => proof.mutateAsync(chosen),
      ['POST /ssl/order/71/validation', chosen],
      ...([changed, changed] as const),
    ],
    [
      'a reissue with a new signing request',
      ({ reissue }) => reissue.mutateAsync({ csr: 'CSR of a new key' }),
      ['POST /ssl/order/71/reissue', { csr: 'CSR of a new key' }],
      ...([changed, changed] as const),
    ],
    [
      'a cancellation',
      ({ cancel }) => cancel.mutateAsync(),
      ['POST /ssl/order/71/cancel'],
      ...([paidBack, paidBack] as const),
    ],
    [
      'a revocation',
      ({ revoke }) => revoke.mutateAsync('www.acme.com'),
      ['POST /ssl/order/71/revoke', { confirm: 'www.acme.com' }],
      ...([changed, changed] as const),
    ],
    [
      'an end of automatic reissues',
      ({ auto }) => auto.mutateAsync(false),
      ['POST /ssl/order/71/auto-reissue', { enabled: false }],
      ...([changed, changed] as const),
    ],
    // The certificate is read every few seconds while it waits for the approval.
    [
      'an approval mail',
      ({ resend }) => resend.mutateAsync(),
      ['POST /ssl/order/71/resend'],
      ...([[], []] as const),
    ],
    [
      'a signing request to read',
      ({ parse }) => parse.mutateAsync(wish),
      ['POST /ssl/parsecsr', wish],
      ...([[], []] as const),
    ],
  ],
  { more },
);

test.each(['proof', 'reissue', 'cancel', 'revoke', 'auto'] as const)(
  'the answer to an act is on the screen at once: %s',
  async (act) => {
    const data = { orderId, state: 'in-progress' };
    const { put } = await asked(useWrites, (writes) => writes[act].mutateAsync({} as never), undefined, {
      ...{ more, data },
    });
    expect(put).toEqual(['certificate']);
  },
);

testFiles(
  () => useSaveCertificate(orderId),
  [['a file', (save) => save.mutateAsync('fullchain.pem'), 'GET /ssl/order/71/files/fullchain.pem']],
);

function useRead() {
  const client = useQueryClient();
  return () => client.fetchQuery(certificateQuery(client, orderId));
}

describe('a certificate that is read again', () => {
  const before = { state: 'in-progress', serial: 'A', reissue: null };
  const readAs = async (now: object) =>
    asked(useRead, (read) => read(), undefined, { more, kept: { certificate: before }, data: now });

  test.each([
    { ...before, state: 'completed' },
    { ...before, serial: 'B' },
    { ...before, reissue: { state: 'running' } },
  ])('and has gone on has all that shows it read again, but not itself once more: %j', async (now) => {
    const { sent, again } = await readAs(now);
    expect(sent).toEqual([['GET /ssl/order/71']]);
    expect(again.sort()).toEqual([...new Set([...ofOrders, ...lists])].sort());
  });

  test('and is as it was has nothing read again', async () => {
    expect((await readAs({ ...before, remark: 'It is being checked.' })).again).toEqual([]);
  });
});

describe('what "Purchase SSL Certificate" puts into the cart', () => {
  const offer = (domain: object) => (act: ReturnType<typeof useCertificateOffer>) =>
    act.mutateAsync({ address: 'acme.com', customerId: id, ...domain });
  const data = [
    { provider: 'p', productType: 'dv', price: 10 },
    { provider: 'q', productType: 'ev', price: 90 },
  ];
  const offered = async (domain: object) => {
    let item: unknown;
    const act = async (hook: ReturnType<typeof useCertificateOffer>) => {
      item = await offer(domain)(hook);
    };
    const { sent, again } = await asked(useCertificateOffer, act, undefined, { data });
    return { item, sent, again };
  };

  test('is the first product on offer, for the customer of the domain', async () => {
    expect(await offered({})).toEqual({
      item: {
        ...{ type: 'certificate', address: 'acme.com', customerId: id },
        ...{ provider: 'p', productType: 'dv', csr: '', csrName: '' },
      },
      ...{ sent: [['GET /ssl/prices']], again: [] },
    });
  });

  test('waits for the owner only of a domain that is about to be bought', async () => {
    await expect(offered({ customerId: null })).rejects.toThrow(noOwner);
    expect((await offered({ customerId: null, ownerLater: true })).item).toMatchObject({ customerId: null });
  });

  test('is nothing without prices, and that is said', async () => {
    const act = async (hook: ReturnType<typeof useCertificateOffer>) => {
      await expect(offer({})(hook)).rejects.toThrow(noPrices);
    };
    await asked(useCertificateOffer, act, refused(503, 'upstream_unavailable'));
  });
});
