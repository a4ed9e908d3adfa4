import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { firstScreenScripts } from '../support/first-screen.ts';

const mostScriptBytes = 150_000;
const mostStyleBytes = 25_000;

test('the first screen needs at most 150 kB of JavaScript and 25 kB of CSS, gzipped', async ({ page }) => {
  const styles: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'stylesheet') return;
    styles.push(response.body().then((body) => gzipSync(body, { level: 9 }).byteLength));
  });
  const { gzipBytes, files } = await firstScreenScripts(page, '/');
  expect(files.length).toBeGreaterThan(0);
  expect(gzipBytes, JSON.stringify(files)).toBeLessThanOrEqual(mostScriptBytes);
  const styleBytes = (await Promise.all(styles)).reduce((sum, bytes) => sum + bytes, 0);
  expect(styleBytes).toBeGreaterThan(0);
  expect(styleBytes).toBeLessThanOrEqual(mostStyleBytes);
});
