import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { leftToOthers } from './tests/support/turn.ts';

const specs = readdirSync(join(import.meta.dirname, 'tests/e2e'))
  .filter((name) => name.endsWith('.spec.ts'))
  .sort();

/** Browser tests: the whole product from `src/start.ts`, on the sandbox, in a real Chromium. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  testIgnore: leftToOthers(specs),
  globalSetup: './tests/e2e/support/portal.ts',
  // One portal serves all; each test signs up its own organisation, so they do not meet.
  fullyParallel: true,
  // One more than the cores: a test waits half of its time, for a page, a job or a letter.
  workers: Math.min(availableParallelism() + 1, 4),
  retries: 0,
  // Generous: a hung test ends, and a slow or busy machine fails none. With less patience (`PATIENCE_MS`) a fault shows sooner.
  timeout: 1_200_000,
  expect: { timeout: Number(process.env.PATIENCE_MS ?? 240_000) },
  forbidOnly: process.env.CI !== undefined,
  use: {
    browserName: 'chromium',
    // Set by the global setup before any test runs.
    baseURL: process.env.E2E_URL ?? '',
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'America/New_York',
    // Nothing fades: a look that meets a colour half-way would find fault with it, and waiting for it takes time.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace of every test takes a third of the whole time: asked for when one is wanted.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // Without a graphics card the browser would play one, with a sixth of all processor time.
        '--disable-gpu',
        // What the test runner switches off, since only the last list counts, and the browser's own pages beside each
        // window: those took a process and half a second of it for each test.
        `--disable-features=${[
          ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
          ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
          ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
          ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
          'PreloadTopChromeWebUI',
        ].join(',')}`,
      ],
    },
  },
});
