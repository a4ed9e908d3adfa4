import { afterEach, expect, test, vi } from 'vitest';

/** What the server says to everyone, as the page brings it or as it is asked for. */

afterEach(() => {
  document.head.replaceChildren();
  vi.resetModules();
  vi.unstubAllGlobals();
});

async function loaded(content: string | null) {
  if (content !== null) {
    const meta = document.createElement('meta');
    meta.name = 'public-config';
    meta.content = content;
    document.head.append(meta);
  }
  const asked = vi.fn(async () => Response.json({ data: { productName: 'Asked' } }));
  vi.stubGlobal('fetch', asked);
  const { loadConfig } = await import('./config.ts');
  const { productName } = await loadConfig();
  return { productName, asked: asked.mock.calls.length };
}

test('comes with the page, and is not asked for', async () => {
  expect(await loaded('{"productName":"With the page"}')).toEqual({ productName: 'With the page', asked: 0 });
});

test.each([null, '', '__PUBLIC_CONFIG__'])(
  'is asked for where the page came without: %s',
  async (content) => {
    expect(await loaded(content)).toEqual({ productName: 'Asked', asked: 1 });
  },
);
