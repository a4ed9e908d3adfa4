import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A syntax tree's node, as far as the rules look at it. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface Source {
  /** Below `src/`, with forward slashes. */
  path: string;
  text: string;
  program: Node;
  imports: Import[];
}

export interface Import {
  /** Below `src/` for our own files, else null. */
  file: string | null;
  /** `zod`, `@scope/name`; null for our own files and Node's modules. */
  package: string | null;
  builtin: boolean;
  /** It is gone when the code runs. */
  typeOnly: boolean;
  /** `await import(…)`: loaded when it is reached. */
  deferred: boolean;
  /** Null when it is computed. */
  specifier: string | null;
  line: number;
}

const srcDir = join(import.meta.dirname, '../../src');
const codeFile = /\.(ts|tsx)$/;
const withSource = new Set([
  ...[
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'ExportAllDeclaration',
    'ImportExpression',
    'TSImportType',
  ],
]);

/** All code below `src/`. Tests are left out: they may bring anything together. */
export function readSources(): Source[] {
  return readdirSync(srcDir, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => codeFile.test(path) && !/\.test\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(srcDir, path), 'utf8')));
}

/** One file, real or planted. */
export function parseSource(path: string, text: string): Source {
  const parsed = parseSync(path, text, { sourceType: 'module' });
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]?.message}`);
  const program = parsed.program as unknown as Node;
  const imports: Import[] = [];
  walk(program, (node) => {
    if (!withSource.has(node.type) || !node.source) return;
    const { value } = node.source as { value?: unknown };
    const specifier = typeof value === 'string' ? value : null;
    const typeOnly = node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type';
    imports.push({
      ...describeImport(path, specifier),
      typeOnly,
      deferred: node.type === 'ImportExpression',
      line: lineOf(text, node.start),
    });
  });
  return { path, text, program, imports };
}

function describeImport(
  from: string,
  specifier: string | null,
): Omit<Import, 'typeOnly' | 'deferred' | 'line'> {
  const none = { file: null, package: null, builtin: false, specifier };
  if (specifier === null) return none;
  if (specifier.startsWith('node:')) return { ...none, builtin: true };
  if (specifier.startsWith('.')) return { ...none, file: posix.join(posix.dirname(from), specifier) };
  if (specifier.startsWith('#contracts/')) return { ...none, file: `contracts/${specifier.slice(11)}` };
  if (specifier.startsWith('#kernel/')) return { ...none, file: `server/kernel/${specifier.slice(8)}` };
  const parts = specifier.split('/');
  return { ...none, package: parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/') };
}

/** Visits a node and all below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** `a.b().c(…)` as ['a', 'b', 'c']; what is not a name in the chain is left out. */
export function calleeNames(call: Node): string[] {
  const names: string[] = [];
  for (let at = call.callee as Node | undefined; at; at = (at.object ?? at.callee) as Node | undefined) {
    if (at.type === 'MemberExpression') names.unshift(nameOf(at.property as Node));
    else if (at.type === 'Identifier') names.unshift(nameOf(at));
  }
  return names.filter((name) => name !== '');
}

function nameOf(node: Node): string {
  return typeof node.name === 'string' ? node.name : '';
}

/** Whether a path is the place itself, a file of it, or (with `X`) lies in a folder of that kind. */
export function liesIn(path: string, place: string): boolean {
  const wanted = place.split('/');
  const parts = path.split('/');
  return (
    wanted.length <= parts.length && wanted.every((part, index) => part === 'X' || part === parts[index])
  );
}
