import type { Source } from '../source.ts';

/** What package-lock.json says about one package. */
export interface LockEntry {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  [kind: string]: unknown;
}
export interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockEntry>;
}

const needs = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
const registry = 'https://registry.npmjs.org/';

/** The packages, each under its name and version, without the product itself. */
export function packagesIn(lock: Lock): { path: string; name: string; entry: LockEntry }[] {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({ path, name: entry.name ?? path.replace(/^.*node_modules\//, ''), entry }));
}

/** Packages that are not exactly what was once looked at: no hash, or from elsewhere than the registry. */
export function sourceViolations(lock: Lock): string[] {
  const faults = lock.lockfileVersion === 3 ? [] : [`lockfileVersion ${lock.lockfileVersion}`];
  for (const { path, entry } of packagesIn(lock)) {
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push(`${path}: no hash`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith(registry)) {
      faults.push(`${path}: from ${entry.resolved}`);
    }
    if (entry.link) faults.push(`${path}: a link`);
  }
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const kind of needs) {
      for (const [name, range] of Object.entries((entry[kind] ?? {}) as Record<string, string>)) {
        // `npm:other@1` names another package of the registry; whatever else has a colon or slash is an address.
        if (/[:/]/.test(range.replace(/^npm:(@[\w.-]+\/)?/, ''))) {
          faults.push(`${path} wants ${name} from ${range}`);
        }
      }
    }
  }
  return faults;
}

/** Packages with an install script that nobody looked at, and names on the list that have none any more. */
export function scriptViolations(lock: Lock, known: readonly string[]): string[] {
  const scripted = new Set(
    packagesIn(lock)
      .filter(({ entry }) => entry.hasInstallScript)
      .map(({ name }) => name),
  );
  const fits = (name: string) => known.some((each) => name === each || name.startsWith(`${each}/`));
  return [
    ...[...scripted].filter((name) => !fits(name)).map((name) => `${name} has an install script`),
    ...known
      .filter((each) => ![...scripted].some((name) => name === each || name.startsWith(`${each}/`)))
      .map((each) => `${each} has none any more`),
  ];
}

/** Direct dependencies that are a range rather than one version. */
export function looseVersions(manifest: Record<string, unknown>): string[] {
  return needs.flatMap((kind) =>
    Object.entries((manifest[kind] ?? {}) as Record<string, string>)
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name} ${version}`),
  );
}

/** Packages whose licence is not on the list; `known`: those that do not say theirs in a word, looked at by hand. */
export function licenceViolations(
  lock: Lock,
  allowed: ReadonlySet<string>,
  known: Readonly<Record<string, string>>,
): string[] {
  const isAllowed = (licence: string): boolean => {
    const plain = licence.replace(/^\((.*)\)$/, '$1');
    if (/ OR /.test(plain)) return plain.split(' OR ').some(isAllowed);
    return plain.split(' AND ').every((part) => allowed.has(part));
  };
  return packagesIn(lock)
    .filter(({ name, entry }) => !(name in known) && !isAllowed(entry.license ?? 'none'))
    .map(({ name, entry }) => `${name}: ${entry.license ?? 'none'}`);
}

/** The packages that are imported, directly or through others of our files, when `entry` runs. Sorted. */
export function packagesReachedFrom(entry: string, sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const packages = new Set<string>();
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const one of byPath.get(path)?.imports ?? []) {
      if (one.typeOnly) continue;
      if (one.package) packages.add(one.package);
      if (one.file) seen.add(one.file);
    }
  }
  return [...packages].sort();
}

/** What is in memory as soon as `entry` runs: packages and modules of Node that it imports, directly or through others of our files. Sorted. */
export function loadedAtOnce(
  entry: string,
  sources: readonly Source[],
): { modules: string[]; files: Source[] } {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const modules = new Set<string>();
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const one of byPath.get(path)?.imports ?? []) {
      if (one.typeOnly || one.deferred) continue;
      if (one.file) seen.add(one.file);
      else if (one.specifier) modules.add(one.specifier);
    }
  }
  return { modules: [...modules].sort(), files: sources.filter(({ path }) => seen.has(path)) };
}
