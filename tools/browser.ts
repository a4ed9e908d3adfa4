import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

// The first is the same browser without what only a desktop needs: the tests take a quarter less time with it.
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];

/** The path of a Chromium on this machine: CHROMIUM_PATH, the path's, or Playwright's own; null when none is found. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) return named;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = names.map((name) => join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  const own = chromium.executablePath();
  return existsSync(own) ? own : null;
}

/** Finds a Chromium, or installs one: Debian's as root or by sudo, else Playwright's. Throws with what to do. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found) return found;
  process.stderr.write('nameward: no Chromium found for the browser tests; installing one …\n');
  installFromDebian(['chromium-headless-shell', 'fonts-dejavu-core']);
  // Ubuntu and older Debians have only the whole of it.
  if (findChromium() === null) installFromDebian(['chromium', 'fonts-dejavu-core']);
  if (findChromium() === null) run(process.execPath, [playwrightProgram(), 'install', 'chromium']);
  const installed = findChromium();
  if (installed) return installed;
  throw new Error(
    'The browser tests need Chromium. Please install it (Debian, Ubuntu: "apt-get install chromium" as root), or name one in CHROMIUM_PATH.',
  );
}

/** Installs packages of Debian's where that is possible: as root, or by sudo without a question. */
export function installFromDebian(packages: readonly string[]): void {
  if (spawnSync('apt-get', ['--version']).status !== 0) return;
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (prefix.length > 0 && spawnSync('sudo', ['-n', 'true']).status !== 0) return;
  const [command = 'apt-get', ...args] = [...prefix, 'apt-get'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run(command, [...args, 'update', '-q'], env);
  run(command, [...args, 'install', '-y', '-q', '--no-install-recommends', ...packages], env);
}

function playwrightProgram(): string {
  return join(import.meta.dirname, '..', 'node_modules', '@playwright', 'test', 'cli.js');
}

function run(command: string, args: string[], env = process.env): void {
  spawnSync(command, args, { stdio: 'inherit', env });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
