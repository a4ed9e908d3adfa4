import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { firstScreenScripts } from '../support/first-screen.ts';

const mostScriptBytes = 150_000;
const mostStyleBytes = 30_000;
const mostFontBytes = 100_000;

test('the first screen needs at most 150 kB of JavaScript, 30 kB of CSS, gzipped, and 100 kB of typefaces', async ({
  page,
}) => {
  const styles: Promise<number>[] = [];
  const fonts: Promise<number>[] = [];
  page.on('response', (response) => {
    const kind = response.request().resourceType();
    if (kind === 'font') fonts.push(response.body().then((body) => body.byteLength));
    if (kind !== 'stylesheet') return;
    styles.push(response.body().then((body) => gzipSync(body, { level: 9 }).byteLength));
  });
  const { gzipBytes, files } = await firstScreenScripts(page, '/');
  expect(files.length).toBeGreaterThan(0);
  expect(gzipBytes, JSON.stringify(files)).toBeLessThanOrEqual(mostScriptBytes);
  const styleBytes = (await Promise.all(styles)).reduce((sum, bytes) => sum + bytes, 0);
  expect(styleBytes).toBeGreaterThan(0);
  expect(styleBytes).toBeLessThanOrEqual(mostStyleBytes);
  const fontBytes = (await Promise.all(fonts)).reduce((sum, bytes) => sum + bytes, 0);
  expect(fontBytes).toBeGreaterThan(0);
  expect(fontBytes).toBeLessThanOrEqual(mostFontBytes);
});
