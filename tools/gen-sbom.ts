import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run gen`: writes docs/sbom.json, the list of all packages that the product needs (CycloneDX), out of
 * package-lock.json and without a network; a test compares the two. Those for development alone are marked as such (npm's
 * own `--omit=dev` forgets packages that both need). One package a line, no time and no serial number:
 * what changed shows in a comparison of two versions.
 */
const root = join(import.meta.dirname, '..');
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const made = JSON.parse(
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' }),
) as {
  specVersion: string;
  metadata: { component: Record<string, unknown> };
  components: Record<string, unknown>[];
  dependencies: unknown[];
};
// npm names it after the folder it lies in, and says which npm it was.
const product = { ...made.metadata.component, type: 'application', name: 'nameward' };
const lines = (list: readonly unknown[]) => list.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
writeFileSync(
  join(root, 'docs', 'sbom.json'),
  `{
  "$schema": "http://cyclonedx.org/schema/bom-${made.specVersion}.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "${made.specVersion}",
  "version": 1,
  "metadata": ${JSON.stringify({ component: product })},
  "components": [
${lines(made.components)}
  ],
  "dependencies": [
${lines(made.dependencies)}
  ]
}
`,
);
console.log(`wrote ${made.components.length} packages to docs/sbom.json`);
