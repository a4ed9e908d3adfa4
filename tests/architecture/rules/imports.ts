import {
  behindOneFile,
  computedImports,
  heavy,
  onlyIn,
  openedLate,
  type Zone,
  zones,
} from '../import-table.ts';
import { type Import, liesIn, type Source } from '../source.ts';

/** Every import is one that the table allows. */
export function importViolations(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const zone = zoneOf(source.path);
    if (!zone) return [`${source.path}: has no place in the import table`];
    return source.imports.flatMap((imported) => {
      const complaint = complaintAbout(source.path, zone, imported);
      return complaint ? [`${source.path}:${imported.line}: ${complaint}`] : [];
    });
  });
}

function complaintAbout(path: string, zone: Zone, imported: Import): string | null {
  if (imported.specifier === null) {
    const known = liesIn(path, 'sandbox') || computedImports.includes(path);
    return known ? null : 'imports a computed name';
  }
  if (imported.builtin) return zone.builtins ? null : `${zone.path} does no I/O: ${imported.specifier}`;
  if (imported.file !== null) {
    const own = ownPlace(path, zone);
    const allowed =
      liesIn(imported.file, own) || zone.mayImport.some((place) => liesIn(imported.file ?? '', place));
    return allowed ? null : `${zone.path} may not import ${imported.file}`;
  }
  return packageComplaint(path, zone, imported.package ?? '');
}

function packageComplaint(path: string, zone: Zone, name: string): string | null {
  const places = onlyIn[name];
  if (places && !places.some((place) => liesIn(path, place)))
    return `${name} belongs to ${places.join(', ')} only`;
  if (zone.packages === 'any' || zone.packages.some((pattern) => fits(name, pattern))) return null;
  return `${zone.path} may not use the package ${name}`;
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** `server/adapters/X` of `server/adapters/smtp/index.ts` is `server/adapters/smtp`: never another adapter. */
function ownPlace(path: string, zone: Zone): string {
  return path.split('/').slice(0, zone.path.split('/').length).join('/');
}

function zoneOf(path: string): Zone | undefined {
  return zones
    .filter((zone) => liesIn(path, zone.path))
    .sort((a, b) => b.path.split('/').length - a.path.split('/').length)[0];
}

/** A vendor's browser part is reached through one file, so that it can be replaced or loaded late. */
export function scatteredVendors(sources: readonly Source[]): string[] {
  return behindOneFile.flatMap((packages) => {
    const files = sources
      .filter(({ path }) => liesIn(path, 'web'))
      .filter(({ imports }) =>
        imports.some(({ package: name, typeOnly }) => !typeOnly && packages.includes(name ?? '')),
      )
      .map(({ path }) => path);
    return files.length > 1 ? [`${packages.join(', ')} in more than one file: ${files.join(', ')}`] : [];
  });
}

/** What takes tens of megabytes and few requests need is loaded by the first that does (the server's rest: 150 MB). */
export function earlyHeavyLoads(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ typeOnly, deferred }) => !typeOnly && !deferred)
        .filter(({ package: name, file }) => heavy.includes(name ?? '') || isLate(path, name, file))
        .map((imported) => `${path}:${imported.line}: loads ${imported.specifier} before anything needs it`),
    );
}

function isLate(path: string, name: string | null, file: string | null): boolean {
  const folder = openedLate.find((place) => path === `${place}/index.ts`);
  return folder !== undefined && (name !== null || liesIn(file ?? '', folder));
}

/** The registrar's port is six interfaces: a feature that asks for all of them could not start with a second registrar. */
export function wholeRegistrars(sources: readonly Source[]): string[] {
  const whole = /import type \{[^}]*\bRegistrar\b[^}]*\} from '[./]*ports\/registrar\.ts'/;
  return sources
    .filter(({ path, text }) => path.startsWith('server/features/') && whole.test(text))
    .map(({ path }) => `${path}: asks for the whole registrar`);
}
