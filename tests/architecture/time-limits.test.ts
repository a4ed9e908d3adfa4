import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Limits of time only end what hangs, and are stated once, in the two configurations (docs/decisions/0221). A shorter one
 * makes a test depend on the speed of the machine.
 */
const leastMs = 1_800_000;
const places = [
  // The last argument of a test or a hook.
  /^\s*\}, ([\d_]{4,})\);$/,
  // The same on a line of its own, before the closing parenthesis.
  /^ +([\d_]{5,}),?$/,
  /^\s*(?:\{ )?timeout: ([\d_]+),?(?: \},)?$/,
];

function shortLimitsIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const given = places.map((place) => place.exec(line)?.[1]).find((found) => found !== undefined);
    return given !== undefined && Number(given.replaceAll('_', '')) < leastMs
      ? [`line ${index + 1}: ${line.trim()}`]
      : [];
  });
}

const root = new URL('../../', import.meta.url).pathname;

/** In the browser a try that is made again (`toPass`) may be short; every other wait is the configuration's. */
function ownLimitsIn(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const given = /\btimeout: ([\d_]+)|\btest\.setTimeout\(([\d_]+)/.exec(line);
    const isWhole = given?.[2] !== undefined || Number(given?.[1]?.replaceAll('_', '')) >= 10_000;
    return given && isWhole ? [`line ${index + 1}: ${line.trim()}`] : [];
  });
}

test('no test sets a limit of time that a slow machine meets', () => {
  const files = globSync(['tests/{api,acme,faults,rounds,start}/**/*.test.ts', 'src/**/*.test.{ts,tsx}'], {
    cwd: root,
  });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    shortLimitsIn(readFileSync(root + file, 'utf8')).map((line) => `${file} ${line}`),
  );
  expect(found).toEqual([]);
});

/** The library gives up after a second, which a busy machine may need for one step. */
function impatienceIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /\bvi\.waitFor\((?!\s*$)(?!.*timeout)/.test(line) ? [`line ${index + 1}: ${line.trim()}`] : [],
    );
}

test('no test waits for one second only', () => {
  const files = globSync(['tests/**/*.{ts,tsx}', 'src/**/*.test.{ts,tsx}'], {
    cwd: root,
    exclude: ['tests/support/eventually.ts', 'tests/architecture/**'],
  });
  expect(files.length).toBeGreaterThan(700);
  const found = files.flatMap((file) =>
    impatienceIn(readFileSync(root + file, 'utf8')).map((line) => `${file} ${line}`),
  );
  expect(found, 'use `eventually` of tests/support/eventually.ts').toEqual([]);
  expect(impatienceIn('  await vi.waitFor(() => expect(seen).toBe(1));')).toHaveLength(1);
});

test('no test in the browser has a limit of time of its own', () => {
  const files = globSync('tests/e2e/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(30);
  const found = files.flatMap((file) =>
    ownLimitsIn(readFileSync(root + file, 'utf8')).map((line) => `${file} ${line}`),
  );
  expect(found, 'leave the limit out: playwright.config.ts has one for all').toEqual([]);
});

test.each(['  test.setTimeout(120_000);', '  }).toPass({ timeout: 60_000 });', '    timeout: 90_000,'])(
  '%s is found in the browser',
  (line) => {
    expect(ownLimitsIn(line)).toHaveLength(1);
  },
);

test.each(['}, 60_000);', '  60_000,', '    timeout: 90_000,', '    { timeout: 120_000 },'])(
  '%s is found',
  (line) => {
    expect(shortLimitsIn(line)).toHaveLength(1);
  },
);

/** Of modules that the project wrote: one that another file of the same process has read already is not replaced. */
const replacements = (text: string) => text.match(/\bvi\.mock\(/g) ?? [];

test('no test replaces a module: whether it does would depend on which file ran before it', () => {
  const files = globSync(['tests/**/*.{ts,tsx}', 'src/**/*.test.{ts,tsx}'], {
    cwd: root,
    exclude: ['tests/architecture/**'],
  });
  expect(files.filter((file) => replacements(readFileSync(root + file, 'utf8')).length > 0)).toEqual([]);
  expect(replacements("vi.mock('./key.ts', () => ({}))")).toHaveLength(1);
});
