import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { PublicConfig } from '#contracts/operations/system.ts';
import { startApp } from './app-under-test.ts';

/** The page brings along what the web app would ask first. */

const webDir = mkdtempSync(join(tmpdir(), 'nameward-page-'));
writeFileSync(
  join(webDir, 'index.html'),
  '<!doctype html><meta name="public-config" content="__PUBLIC_CONFIG__" />',
);
afterAll(() => rmSync(webDir, { recursive: true }));

async function pageWith(publicConfig?: () => Promise<PublicConfig>): Promise<string> {
  const app = await startApp({ webDir, ...(publicConfig ? { publicConfig } : {}) });
  const { body, statusCode } = await app.inject('/domains/example.com');
  await app.close();
  expect(statusCode).toBe(200);
  return /content="(.*?)"/.exec(body)?.[1] ?? 'none';
}

test('as text that no page takes for anything else', async () => {
  const productName = `"><script>alert('$&')</script> & more`;
  const text = await pageWith(async () => ({ productName }) as PublicConfig);
  expect(text).not.toMatch(/[<>']|&(?!#)/);
  const read = text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  expect(JSON.parse(read)).toEqual({ productName });
});

test('and is asked for once by all who come within a moment', async () => {
  let asked = 0;
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const app = await startApp({
    webDir,
    publicConfig: async () => {
      asked += 1;
      return { productName: 'Nameward' } as PublicConfig;
    },
  });
  for (const ms of [1_000, 1_000, 2_999]) {
    now.mockReturnValue(ms);
    await app.inject('/');
  }
  expect(asked).toBe(1);
  now.mockReturnValue(3_000);
  await app.inject('/');
  await app.close();
  now.mockRestore();
  expect(asked).toBe(2);
});

test('and comes without where that is out of order, or not given', async () => {
  expect(await pageWith(() => Promise.reject(new Error('no database')))).toBe('');
  expect(await pageWith()).toBe('');
});

test('a file beside the page and one in a folder are served, also to HEAD; a hidden one, a missing one and a folder are not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'nameward-files-'));
  for (const folder of ['pictures/small', 'assets']) mkdirSync(join(dir, folder), { recursive: true });
  const files = ['index.html', 'icon.svg', 'icon.svg.gz', '.sources', 'assets/e.js', 'assets/e.js.gz'];
  files.push('pictures/small/a.webp', 'pictures/.b.webp');
  for (const file of files) writeFileSync(join(dir, file), file);
  const app = await startApp({ webDir: dir });
  const answers = async (url: string, method: 'GET' | 'HEAD' = 'GET') => {
    const { statusCode, body } = await app.inject({ url, method });
    return [statusCode, body];
  };
  expect(await answers('/icon.svg')).toEqual([200, 'icon.svg']);
  expect(await answers('/pictures/small/a.webp')).toEqual([200, 'pictures/small/a.webp']);
  expect(await answers('/pictures/small/a.webp', 'HEAD')).toEqual([200, '']);
  const none = ['/pictures/.b.webp', '/pictures/c.webp', '/assets/', '/assets/d.js', '/assets/e.js.gz'];
  for (const url of [...none, '/assets/..%2ficon.svg', '/assets/%00', `/assets/${'d'.repeat(90)}`])
    expect([url, (await answers(url))[0]]).toEqual([url, 404]);
  // Any other address is the page, which says by itself that there is nothing.
  for (const url of ['/.sources', '/icon.svg.gz', '/pictures/', '/pictures/small'])
    expect(await answers(url)).toEqual([200, 'index.html']);
  await app.close();
  rmSync(dir, { recursive: true });
});
