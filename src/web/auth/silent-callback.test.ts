import { afterEach, expect, test, vi } from 'vitest';
import { silentCallbackPath } from '../lib/sign-in-paths.ts';

/** The page in the hidden frame, which hands on what the provider said. */

const origin = 'https://portal.test';

async function handedOn(answer: string): Promise<URL> {
  const postMessage = vi.fn();
  const { href, search, hash, pathname } = new URL(`${origin}${silentCallbackPath}${answer}`);
  vi.stubGlobal('window', { location: { href, search, hash, pathname, origin }, parent: { postMessage } });
  vi.resetModules();
  await import('./silent-callback.ts');
  // To a page of our own alone: it is a code.
  expect(postMessage.mock.calls).toEqual([
    [{ source: 'oidc-client', url: expect.any(String), keepOpen: false }, origin],
  ]);
  return new URL(postMessage.mock.calls[0]?.[0].url);
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const code = 'code=c%2B1&state=s';
const refusal = 'error=login_required&state=s';
test.each([
  [`?${code}`, code],
  [`#${code}`, code],
  [`?${code}#_=_`, code],
  [`#${refusal}`, refusal],
  [`?${refusal}#`, refusal],
])('an answer is found in either place, whichever the provider has put it in: %s', async (put, answer) => {
  const { search, hash, pathname } = await handedOn(put);
  expect([pathname, search, hash]).toEqual([silentCallbackPath, `?${answer}`, `#${answer}`]);
});

test('what fits no question is no answer', async () => {
  expect((await handedOn('?x=1')).searchParams.has('state')).toBe(false);
});
