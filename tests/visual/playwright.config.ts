import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { ensureChromium } from '../../tools/browser.ts';

const root = join(import.meta.dirname, '../..');

/**
 * `npm run screenshots:compare`: whether the screens still look as they did. The pictures to compare with are this
 * machine's own (letters are drawn differently elsewhere): `npm run screenshots:compare -- --update-snapshots` makes
 * them, before a change, of the seeded portal that runs on the data folder.
 */
export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '*.visual.ts',
  snapshotPathTemplate: join(root, 'screenshots/compared/{arg}{ext}'),
  outputDir: join(root, 'test-results'),
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 60_000, toHaveScreenshot: { maxDiffPixelRatio: 0.001 } },
  use: { launchOptions: { executablePath: ensureChromium(), args: ['--no-sandbox'] } },
});
