import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/**
 * Opens an address on an empty cache and adds up the JavaScript that the browser fetched until the screen showed its
 * heading: what a person waits for, each file gzipped as the server has it.
 */
export async function firstScreenScripts(
  page: Page,
  url: string,
): Promise<{ gzipBytes: number; files: { name: string; gzipBytes: number }[] }> {
  const waiting: Promise<{ name: string; gzipBytes: number }>[] = [];
  const shown = { yet: false };
  page.on('response', (response) => {
    if (shown.yet || response.request().resourceType() !== 'script') return;
    const name = new URL(response.url()).pathname;
    waiting.push(
      response.body().then((body) => ({ name, gzipBytes: gzipSync(body, { level: 9 }).byteLength })),
    );
  });
  await page.goto(url, { waitUntil: 'commit' });
  await page.getByRole('heading').first().waitFor();
  shown.yet = true;
  const files = await Promise.all(waiting);
  return { gzipBytes: files.reduce((sum, file) => sum + file.gzipBytes, 0), files };
}
