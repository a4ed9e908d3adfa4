import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
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

test('and comes without where that is out of order, or not given', async () => {
  expect(await pageWith(() => Promise.reject(new Error('no database')))).toBe('');
  expect(await pageWith()).toBe('');
});
