import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decisionsIn, indexOf } from './decisions.ts';

/** `npm run gen`: writes the index of docs/decisions; a test compares the two. */
const folder = join(import.meta.dirname, '..', 'docs', 'decisions');
const decisions = decisionsIn(folder);
writeFileSync(join(folder, 'README.md'), indexOf(decisions));
console.log(`wrote ${decisions.length} decisions to docs/decisions/README.md`);
