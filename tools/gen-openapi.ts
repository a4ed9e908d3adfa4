import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../src/contracts/operations.ts';
import { openApiOf } from '../src/server/http/openapi.ts';

/** `npm run gen`: writes docs/openapi.json from the contract; a test compares the two. */
const target = join(import.meta.dirname, '..', 'docs', 'openapi.json');
writeFileSync(target, `${JSON.stringify(openApiOf(operations), null, 2)}\n`);
console.log(`wrote ${operations.length} operations to docs/openapi.json`);
