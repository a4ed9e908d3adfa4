import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
