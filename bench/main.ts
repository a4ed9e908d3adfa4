import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measureCustomerList } from './customer-list.ts';
import { measureOrderRate, measurePurchases } from './purchases.ts';
import { formatTable, type Result } from './result.ts';
import { withStand } from './stand.ts';

const results: Result[] = [];
await withStand(async (stand) => {
  results.push(...(await measurePurchases(stand)));
  results.push(await measureOrderRate(stand));
  results.push(await measureCustomerList(stand));
});
console.log(`\n${formatTable(results)}\n`);
await writeFile(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
process.exitCode = results.some((result) => result.passed === false) ? 1 : 0;
