import { afterEach, expect, test, vi } from 'vitest';
import { healthBoard } from '#contracts/operations/health.ts';
import { mostChangeItems } from '#contracts/values/changes.ts';
import { domain, id, type Reading, testFiles, testWrites } from '../../../../tests/support/asked.tsx';
import { setTokenSource } from '../../lib/api-client.ts';
import { isDue, useCheckHealth, useHealthReport, useMuteFinding, wishOfBoard } from './api.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  setTokenSource({ token: async () => null, renew: async () => null });
});

const fix = { kind: 'add-dmarc' };
type Row = { domain: string; fix: object | null };
const named = (count: number) => Array.from({ length: count }, (_, n): Row => ({ domain: `n${n}.com`, fix }));

/** A portal with these findings of the one kind, page by page; it returns how many pages were read. */
function portalWith(rows: readonly Row[]): () => number {
  const idOf = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
  const listed = rows.map((row, place) => ({ ...row, id: idOf(place) }));
  let read = 0;
  vi.stubGlobal('fetch', async (address: string) => {
    read += 1;
    const { searchParams } = new URL(address, 'https://portal.example');
    const { after, limit, kind } = healthBoard.query.parse(Object.fromEntries(searchParams));
    const found = kind === 'dmarc-missing' ? listed : [];
    const from = after ? found.findIndex(({ id }) => id === after) + 1 : 0;
    const page = found.slice(from, from + limit);
    return Response.json({ data: { rows: page, more: from + limit < found.length, counts: [] } });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  return () => read;
}

const wish = () => wishOfBoard({ kind: 'dmarc-missing' });

test.each([0, 1, 200, 201, 1_999, 2_000])(
  'a finding is mended in every domain that has it, whatever page it is on: %i',
  async (count) => {
    portalWith(named(count));
    const { fix: made, names } = await wish();
    expect(names).toEqual(named(count).map(({ domain }) => domain));
    expect(made).toEqual(count === 0 ? {} : fix);
  },
);

test('no more domains are mended than one change may have, and no page is read beyond them', async () => {
  const pagesRead = portalWith(named(2_401));
  expect((await wish()).names).toHaveLength(mostChangeItems);
  expect(pagesRead()).toBe(10);
});

test('what is held elsewhere is left out, and a domain with two such findings is mended once', async () => {
  const [one, two] = ['a.com', 'b.com'];
  portalWith([
    { domain: one, fix },
    { domain: 'elsewhere.com', fix: null },
    { domain: one, fix },
    { domain: two, fix },
  ]);
  expect(await wish()).toEqual({ fix, names: [one, two] });
});

test('a look is due or under way within three minutes of its time; the next one, a day ahead, is not', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    const at = (ms: number) => isDue(new Date(now.getTime() + ms).toISOString());
    expect([at(-1), at(0), at(180_000), at(180_001), at(86_400_000)]).toEqual([
      ...[true, true, true, false, false],
    ]);
    expect([isDue(null), isDue(undefined)]).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});

const findings: Reading[] = ['health', 'board', 'healthCount', 'customerHealth', 'watched'];
const muted = { until: '2030-01-01T00:00:00.000Z', reason: 'Known' };
const muting: Reading[] = [...findings, 'attention', 'attentionCounts', 'overview'];

testWrites(
  () => ({ check: useCheckHealth(domain), mute: useMuteFinding() }),
  [
    [
      'a look at a domain',
      ({ check }) => check.mutateAsync(),
      ['POST /domain/health/acme.com'],
      ...([findings, findings] as const),
    ],
    [
      'a finding that is muted',
      ({ mute }) => mute.mutateAsync({ id, muted }),
      [`PUT /health/${id}/mute`, { muted }],
      ...([muting, muting] as const),
    ],
    [
      'a finding that speaks again',
      ({ mute }) => mute.mutateAsync({ id, muted: null }),
      [`PUT /health/${id}/mute`, { muted: null }],
      ...([muting, muting] as const),
    ],
  ],
);

testFiles(useHealthReport, [
  ["a customer's report", (report) => report.mutateAsync(id), `GET /customer/${id}/health-report`],
]);
