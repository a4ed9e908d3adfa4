import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Limits of time only end what hangs, and are stated once, in the two configurations (docs/decisions/0221). A shorter one
 * makes a test depend on the speed of the machine.
 */
const leastMs = 900_000;
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

test('no test sets a limit of time that a slow machine meets', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const files = globSync(['tests/{api,acme,faults,rounds,start}/**/*.test.ts', 'src/**/*.test.{ts,tsx}'], {
    cwd: root,
  });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    shortLimitsIn(readFileSync(root + file, 'utf8')).map((line) => `${file} ${line}`),
  );
  expect(found).toEqual([]);
});

test.each(['}, 60_000);', '  60_000,', '    timeout: 90_000,', '    { timeout: 120_000 },'])(
  '%s is found',
  (line) => {
    expect(shortLimitsIn(line)).toHaveLength(1);
  },
);
