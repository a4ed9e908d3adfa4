import { afterEach, expect, test, vi } from 'vitest';
import { listTemplateUses } from '#contracts/operations/dns-templates.ts';
import { mostChangeItems } from '#contracts/values/changes.ts';
import { setTokenSource } from '../../lib/api-client.ts';
import { bringBackLabel, rollOutLabel } from './act-labels.ts';
import { namesOf } from './api.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  setTokenSource({ token: async () => null, renew: async () => null });
});

const named = (count: number) => Array.from({ length: count }, (_, n) => `n${n + 1}.com`);

/** A portal with so many uses that drifted, and three times as many in all. */
function portalWith(drifted: number): void {
  const total = named(3 * drifted);
  vi.stubGlobal('fetch', async (address: string) => {
    const { searchParams } = new URL(address, 'https://portal.example');
    const { state, limit } = listTemplateUses.query.parse(Object.fromEntries(searchParams));
    const found = state === 'drifted' ? total.slice(0, drifted) : total;
    const uses = found.slice(0, limit).map((domain) => ({ domain }));
    return Response.json({ data: { uses, more: found.length > limit } });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
}

test.each([0, 1, 100, 101, 1_999, 2_000])(
  'what is brought back or rolled out is every domain that is counted on the button, and no other: %i',
  async (count) => {
    portalWith(count);
    expect(await namesOf('id', { state: 'drifted' })).toEqual(named(count));
    const figure = count.toLocaleString('en-US');
    expect(bringBackLabel(count)).toBe(`Bring ${figure} back`);
    expect(rollOutLabel(count)).toBe(`Roll out to ${figure}`);
  },
);

test('of more domains than a change may have it takes the first ones, and the button says so', async () => {
  portalWith(2_001);
  expect(await namesOf('id', { state: 'drifted' })).toEqual(named(mostChangeItems));
  expect(bringBackLabel(2_001)).toBe('Bring the first 2,000 of 2,001 back');
  expect(rollOutLabel(2_001)).toBe('Roll out to the first 2,000 of 2,001');
});
