import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { changedSince } from './changed.ts';
import { unlistedOf } from './survivors.ts';

/** Pure rules: what decides without a database. Their tests take milliseconds, so each mutant is tried on all of them. */
const scope = ['src/contracts/values/*.ts', 'src/contracts/permissions.ts', 'src/**/*.rules.ts'];
const rulesOfWeb = ['orders/{cart,cart-state,summary}', 'renewals/{runway,weeks}', 'dns/*-{form,rows}'];
const webScope = rulesOfWeb.map((name) => `src/web/features/${name}.ts`);
/** Lists and tables: what a mutation changes in them is no rule. */
const data = ['regions', 'countries', 'crm-profiles', 'audit-actions', 'logo'].map(
  (name) => `src/contracts/values/${name}.ts`,
);

const root = join(import.meta.dirname, '../..');
const least = 90;
const largestPiece = 8;

interface Mutant {
  mutatorName: string;
  replacement: string;
  status: string;
  location: { start: Position; end: Position };
}
interface Position {
  line: number;
  column: number;
}
interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

/** Mutates the rules, all or those named or changed since a commit. Returns the number of faults. */
export function runRules(wanted: { files: readonly string[]; since: string | null }): number {
  const files = filesOf(wanted);
  if (files.length === 0) {
    console.log('No rule in this scope was changed.');
    return 0;
  }
  let faults = 0;
  const sum = { tried: 0, noticed: 0 };
  for (const piece of piecesOf(files)) {
    const report = mutate(piece);
    faults += report ? judged(report, new Set(piece), sum) : 1;
  }
  console.log(`${sum.noticed} of ${sum.tried} mutants noticed: ${percent(sum)} %`);
  return faults;
}

/** By folder, a few files each: what was tried is kept at the end of a piece, so an interrupted run loses one. */
function piecesOf(files: readonly string[]): string[][] {
  return [...Map.groupBy(files, (file) => dirname(file)).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / largestPiece) }, (_, n) =>
      own.slice(n * largestPiece, (n + 1) * largestPiece),
    ),
  );
}

interface Sum {
  tried: number;
  noticed: number;
}

function percent({ tried, noticed }: Sum): number {
  return tried === 0 ? 100 : Math.floor((1_000 * noticed) / tried) / 10;
}

function filesOf({ files, since }: { files: readonly string[]; since: string | null }): string[] {
  const all = globSync([...scope, ...webScope], { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !data.includes(file),
  );
  if (files.length > 0) return all.filter((file) => files.some((name) => file.includes(name)));
  if (since === null) return all;
  // A changed test may notice less than before: its rules are tried as well.
  const changed = new Set([...changedSince(since)].map((name) => name.replace(/\.test\.ts$/, '.ts')));
  return all.filter((file) => changed.has(file));
}

function mutate(files: readonly string[]): Report | null {
  const part = files[0]?.split(/[/\\]/)[1] ?? '';
  const dir = mkdtempSync(join(tmpdir(), 'nameward-mutants-'));
  try {
    const reportFile = join(dir, 'report.json');
    writeFileSync(join(dir, 'config.json'), JSON.stringify(configOf(part, files, reportFile)));
    const program = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
    spawnSync(process.execPath, [program, 'run', join(dir, 'config.json')], { cwd: root, stdio: 'inherit' });
    return existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report) : null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function configOf(part: string, mutated: readonly string[], fileName: string) {
  return {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // A rule is judged by the tests of its part: those of everything that uses it would take hours.
    vitest: { configFile: 'tools/mutants/vitest.config.ts', dir: `src/${part}` },
    mutate: mutated,
    // Words and patterns have tests of their own; what is computed once at the start cannot be switched per test.
    mutator: { excludedMutations: ['StringLiteral', 'Regex', 'ObjectLiteral'] },
    ignoreStatic: true,
    // What was tried stays tried until its rule or a test that reaches it changes.
    incremental: true,
    incrementalFile: `data/mutants-${part}.json`,
    concurrency: 1,
    coverageAnalysis: 'perTest',
    // A busy machine is slow: what ends late was not noticed.
    timeoutMS: 60_000,
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName },
    tempDirName: 'data/mutants',
    ignorePatterns: ['data', 'docs/images', '**/*biome.json'],
    // TypeScript 7 has no programming interface with which its configuration could be rewritten; nothing needs it.
    tsconfigFile: 'none',
    allowConsoleColors: false,
  };
}

/** Prints the score of each file and what survived unlisted. */
function judged({ files }: Report, wanted: ReadonlySet<string>, sum: Sum): number {
  let faults = 0;
  for (const [file, { source, mutants }] of Object.entries(files)) {
    // What was kept of other files is in the report, too.
    if (!wanted.has(file)) continue;
    const tried = mutants.filter(({ status }) =>
      ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status),
    );
    const left = tried
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map((mutant) => ({ line: mutant.location.start.line, text: mutationOf(source, mutant) }));
    const unlisted = unlistedOf(file, left);
    const own = { tried: tried.length, noticed: tried.length - left.length };
    sum.tried += own.tried;
    sum.noticed += own.noticed;
    const score = percent(own);
    const endless = tried.filter(({ status }) => status === 'Timeout').length;
    const late = endless > 0 ? `, ${endless} of them because no test came to its end` : '';
    console.log(`${String(score).padStart(5)} %  ${file}: ${own.noticed} of ${own.tried} noticed${late}`);
    for (const { line, text } of unlisted) console.log(`         ${file}:${line}  ${text}`);
    // What is listed makes no difference: no test could notice it.
    const isLow = percent({ tried: own.noticed + unlisted.length, noticed: own.noticed }) < least;
    if (isLow) console.log(`         less than ${least} %: write the tests that notice these`);
    faults += unlisted.length + (isLow ? 1 : 0);
  }
  if (faults > 0) {
    console.log(
      'Write a test that notices it, or, where the change makes no difference, list it with the reason in',
    );
    console.log('tools/mutants/survivors.ts.');
  }
  return faults;
}

/** What was written, and what it became: found again wherever the line has moved to. */
function mutationOf(source: string, { location: { start, end }, replacement }: Mutant): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  const short = (text: string) => text.replace(/\s+/g, ' ').trim();
  return `${short(lines.join('\n'))} -> ${short(replacement)}`;
}
