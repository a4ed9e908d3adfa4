import { expect, test, vi } from 'vitest';
import { id, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { useSaveAudit, useVerifyAudit, verifyWholeLog } from './api.ts';

test('a long log is verified part by part, each from where the one before ended', async () => {
  const head = (letter: string) => letter.repeat(64);
  const parts = [
    { rows: 1_000, head: head('a'), broken: null, whole: false },
    { rows: 2_000, head: head('b'), broken: null, whole: false },
    { rows: 2_500, head: head('c'), broken: null, whole: true },
  ];
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL) => {
    asked.push(String(url).replace(/^.*\/audit/, ''));
    return Response.json({ data: parts[asked.length - 1] });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  try {
    expect(await verifyWholeLog()).toEqual(parts[2]);
    expect(asked).toEqual([
      '/verification',
      `/verification?rows=1000&head=${head('a')}`,
      `/verification?rows=2000&head=${head('b')}`,
    ]);
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
});

testFiles(useSaveAudit, [
  [
    'the log',
    (save) =>
      save.mutateAsync({
        ...{ person: 'u1', customerId: id, action: 'domains.lock', domain: 'acme.com' },
        ...{ from: '2026-10-01', to: '2026-10-31', search: 'ann' },
      }),
    `GET /audit/csv?person=u1&customerId=${id}&action=domains.lock&domain=acme.com&from=2026-10-01&to=2026-10-31&search=ann`,
  ],
]);

testWrites(useVerifyAudit, [
  ['a verification', (verify) => verify.mutateAsync(), ['GET /audit/verification'], [], []],
]);
