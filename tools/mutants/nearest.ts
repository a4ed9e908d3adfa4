import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSource } from '../../tests/architecture/source.ts';

const root = join(import.meta.dirname, '../..');
/** So many test files of a kind: what is further away asks for something else. */
const most = 12;

export interface Nearest {
  unit: string[];
  dom: string[];
  db: string[];
}

/** Which tests reach a file by what they import: those of its feature first, each time the nearest first. */
export function nearestTests(): (file: string) => Nearest {
  const importedBy = importersOf(globSync(['src/**/*.{ts,tsx}', 'tests/**/*.{ts,tsx}'], { cwd: root }));
  return (file) => {
    const tests = testsAround(file, importedBy);
    const isDb = (name: string) => name.endsWith('.db.test.ts') || /^tests\/(?!architecture)/.test(name);
    const isDom = (name: string) => name.endsWith('.dom.test.tsx');
    return {
      unit: tests.filter((name) => !isDb(name) && !isDom(name)).slice(0, most),
      dom: tests.filter(isDom).slice(0, most),
      db: tests.filter(isDb).slice(0, most),
    };
  };
}

function importersOf(files: readonly string[]): Map<string, string[]> {
  const importedBy = new Map<string, string[]>();
  for (const name of files) {
    const file = name.replaceAll('\\', '/');
    // From here on relative to the project's folder: `../` of a test leads into `src/`.
    const { imports } = parseSource(file, readFileSync(join(root, file), 'utf8'));
    for (const { file: found, specifier, typeOnly } of imports) {
      if (found === null || typeOnly) continue;
      const target = specifier?.startsWith('#') ? `src/${found}` : posix.normalize(found);
      importedBy.set(target, [...(importedBy.get(target) ?? []), file]);
    }
  }
  return importedBy;
}

function testsAround(file: string, importedBy: ReadonlyMap<string, readonly string[]>): string[] {
  const folder = posix.dirname(file).split('/').slice(0, 4).join('/');
  const isOwn = (name: string) => posix.dirname(name).startsWith(folder);
  const seen = new Set([file]);
  const tests: string[] = [];
  for (let ring = [file]; ring.length > 0; ) {
    const next = [...new Set(ring.flatMap((name) => importedBy.get(name) ?? []))].filter(
      (name) => !seen.has(name),
    );
    for (const name of next) seen.add(name);
    tests.push(...next.filter((name) => /\.test\.tsx?$/.test(name)).sort());
    ring = next;
  }
  return [...tests.filter(isOwn), ...tests.filter((name) => !isOwn(name))];
}
