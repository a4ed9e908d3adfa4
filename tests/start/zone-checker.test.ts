import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toZoneFile } from '../../src/server/features/dns/zone-file.ts';
import { recordOf, zonesOf } from '../support/zones.ts';

const domain = 'example.com';

/** Debian's bind9-utils: `tools/test.ts` installs it where it can. */
const checkzone = spawnSync('named-checkzone', ['-v']).status === 0;

test.runIf(checkzone)('an exported zone passes named-checkzone', async () => {
  const zones = fc.sample(zonesOf(domain), { numRuns: 60, seed: 1 });
  const longest = [recordOf({ type: 'TXT', text: `"\\;é${'x'.repeat(4_000)}` })];
  const folder = mkdtempSync(join(tmpdir(), 'nameward-zone-'));
  const file = join(folder, 'example.com.zone');
  for (const zone of [[], longest, ...zones]) {
    writeFileSync(file, await toZoneFile(domain, zone, ['ns1.example.net']));
    const checked = spawnSync('named-checkzone', ['-i', 'local', domain, file]);
    expect(`${checked.stdout}`).toMatch(/\nOK\n$/);
    expect(checked.status).toBe(0);
  }
  rmSync(folder, { recursive: true });
});
