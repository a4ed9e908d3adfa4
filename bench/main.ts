import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { buildWhenStale } from '../src/start/builds.ts';
import { measureIssues, measureNonces } from './acme.ts';
import { measureAttention } from './attention.ts';
import { measureCaller } from './caller.ts';
import { measureChanges } from './changes.ts';
import { measureCustomerExport } from './customer-export.ts';
import { measureCustomerImport } from './customer-import.ts';
import { measureCustomerList } from './customer-list.ts';
import { measureDomainList } from './domain-list.ts';
import { measureGrowth } from './growth.ts';
import { measureHealth } from './health.ts';
import { measureLighthouse } from './lighthouse.ts';
import { measureMemory } from './memory.ts';
import { measureOrderRate, measurePurchases } from './purchases.ts';
import { formatTable, movedSince, type Result } from './result.ts';
import { measureScaling } from './scaling.ts';
import { root, type Stand, withStand } from './stand.ts';
import { measureStartUp, measureWebStart } from './start-up.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWrites } from './writes.ts';
import { measureZones } from './zones.ts';

/**
 * `npm run bench`: the figures of a run, as a table and in `results.json`; ends with 1 when a target is missed.
 * `npm run bench -- start memory` measures only these, and `long` ones only so. `npm run bench -- lighthouse` is for itself: it fetches Lighthouse.
 */
const chosen = process.argv.slice(2);
/** Minutes each, and growth a quarter of an hour and 8 GB: only when they are asked for. */
const long: readonly string[] = ['changes', 'health', 'scaling', 'growth'];
const results: Result[] = [];
const resultsFile = join(import.meta.dirname, 'results.json');
const loadBefore = loadavg()[0] ?? 0;

type Measured = Promise<Result | Result[]> | AsyncIterable<Result>;

const isMeasured = (name: string) => (chosen.length > 0 ? chosen.includes(name) : !long.includes(name));

/** Says each figure as soon as it is known: a run that is interrupted has not measured for nothing. */
async function measure(name: string, work: () => Measured): Promise<void> {
  if (!isMeasured(name)) return;
  console.log(`measuring: ${name} …`);
  const beganAt = performance.now();
  for await (const result of eachOf(work())) {
    results.push(result);
    console.log(`  ${result.name}: ${result.measured}`);
  }
  console.log(`  (${((performance.now() - beganAt) / 1_000).toFixed(0)} s)`);
}

async function* eachOf(measured: Measured): AsyncIterable<Result> {
  if (Symbol.asyncIterator in measured) yield* measured;
  else yield* [await measured].flat();
}

const alone = chosen.includes('lighthouse');
if (alone) await measure('lighthouse', measureLighthouse);
// First, so that the web app that the others serve is built.
await measure('start', measureStartUp);
if (!alone) {
  // A part that is asked for alone measures the sources too, and not what was built of them some time ago.
  await buildWhenStale(root, (text) => console.log(`${text} …`));
  await withStand(measureOnStand);
}

async function measureOnStand(stand: Stand): Promise<void> {
  await measure('purchases', () => measurePurchases(stand));
  await measure('orders', () => measureOrderRate(stand));
  await measure('memory', async () => [await measureWebStart(stand), ...(await measureMemory(stand))]);
  await measure('caller', () => measureCaller(stand));
  await measure('import', () => measureCustomerImport(stand));
  await measure('export', () => measureCustomerExport(stand));
  // Beside the minute that the server of the lists has to come to rest.
  const meanwhile = async () => {
    await measure('webhooks', () => measureWebhooks(stand));
    await measure('zones', () => measureZones(stand));
    await measure('writes', () => measureWrites(stand));
  };
  if (isMeasured('list')) await measure('list', () => measureCustomerList(stand, meanwhile));
  else await meanwhile();
  await measure('changes', () => measureChanges(stand));
  await measure('domains', () => measureDomainList(stand));
  await measure('attention', () => measureAttention(stand));
  await measure('health', () => measureHealth(stand));
  await measure('nonces', () => measureNonces(stand));
  await measure('acme', () => measureIssues(stand));
  await measure('scaling', () => measureScaling(stand));
  await measure('growth', () => measureGrowth(stand));
}

console.log(`\n${formatTable(results)}\n`);
if (loadBefore > availableParallelism() / 4) {
  console.log(
    `The machine was busy with something else (load ${loadBefore.toFixed(1)}): these are too bad.\n`,
  );
}
const missed = results.filter((result) => result.passed === false);
const before = await resultsOf(resultsFile);
const moved = movedSince(before, results);
if (moved.length > 0) console.log(`Moved by more than the noise:\n  ${moved.join('\n  ')}\n`);
// What was not measured this time is as it was.
const measured = new Set(results.map(({ name }) => name));
const all = [...results, ...before.filter(({ name }) => !measured.has(name))];
const report = { at: new Date().toISOString(), node: process.version, loadBefore, results: all };
await writeFile(resultsFile, `${JSON.stringify(report, null, 2)}\n`);
if (missed.length > 0) console.log(`Missed: ${missed.map((result) => result.name).join('; ')}.`);
process.exitCode = missed.length > 0 ? 1 : 0;

async function resultsOf(file: string): Promise<Result[]> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? [] : (JSON.parse(text) as { results: Result[] }).results;
}
