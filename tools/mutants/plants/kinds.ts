import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plant } from '../bug.ts';

const root = join(import.meta.dirname, '../../..');

interface Kinds {
  /** The passage without one of its lines; without a number the passage goes as a whole. */
  without(passage: string, line?: number): Plant;
  changed(from: string, to: string): Plant;
}

/** Bugs of one place that one test file notices. */
export function planted(place: string, test: string, make: (kinds: Kinds) => Plant[]): Plant[] {
  const changed = (from: string, to: string) => ({ in: place, test, from, to });
  const without = (passage: string, line?: number) => {
    const lines = passage.split(/(?<=\n)/);
    const left = lines.filter((_line, at) => at !== line).join('');
    return changed(passage, line === undefined ? '' : left);
  };
  return make({ without, changed });
}

const condition = /^\s+\.where(?:Ref)?\(.*\)(;?)$/;
const boundaries = [
  ["'<='", "'<'"],
  ["'>='", "'>'"],
  ["'<'", "'<='"],
  ["'>'", "'>='"],
] as const;

/**
 * Every condition of a file's statements, one at a time: it is missing, or its boundary is another. Not which organization
 * a row is of: row-level security says that a second time, and `tests/api/matrix.test.ts` looks at each of the two without
 * the other. Nor `but`, each with its reason: what no test can notice.
 */
export function conditionsOf(
  file: string,
  test: string,
  but: Readonly<Record<string, string>> = {},
): Plant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const [found, end = ''] = condition.exec(line) ?? [];
    const text = line.trim().replace(/;$/, '');
    if (found === undefined || text in but || /organisation_id/.test(text)) return [];
    const plant = (to: string): Plant => ({ in: file, test, from: line, to, line: at });
    // Nobody meets the database's own moment exactly.
    const boundary = text.includes('now()') ? null : boundaries.find(([from]) => line.includes(from));
    return [plant(end), ...(boundary ? [plant(line.replace(boundary[0], boundary[1]))] : [])];
  });
}

const clause = /^(.*\bWHERE |\s*AND )/;
const nextClause = /^ (?:ORDER BY|GROUP BY|LIMIT|RETURNING|FOR UPDATE|ON CONFLICT) /;
const textBoundaries = [
  [' <= ', ' < '],
  [' >= ', ' > '],
  [' < ', ' <= '],
  [' > ', ' >= '],
] as const;

/**
 * The same of statements that are written as text: every condition of a line's `WHERE` or `AND` is true, or its boundary is
 * another. A condition over several lines is left out.
 */
export function conditionsOfTexts(
  file: string,
  test: string,
  but: Readonly<Record<string, string>> = {},
): Plant[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const begin = clause.exec(line)?.[0].length;
    if (begin === undefined || /^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
    return conjunctsOf(line, begin).flatMap(([from, to]) => {
      const text = line.slice(from, to);
      if (text in but || text === 'true' || /organisation_id|organisationId/.test(text)) return [];
      const plant = (instead: string): Plant => {
        const changed = line.slice(0, from) + instead + line.slice(to);
        return { in: file, test, from: line, to: changed, line: at };
      };
      const boundary = text.includes('now()')
        ? undefined
        : textBoundaries.find(([one]) => text.includes(one));
      return [plant('true'), ...(boundary ? [plant(text.replace(boundary[0], boundary[1]))] : [])];
    });
  });
}

/** Where each whole condition of a line begins and ends. */
function conjunctsOf(line: string, begin: number): [number, number][] {
  const found: [number, number][] = [];
  let [depth, from] = [0, begin];
  for (let at = begin; at <= line.length; at += 1) {
    const letter = line[at];
    const ends = letter === undefined || letter === '`' || (letter === ')' && depth === 0);
    const isAnd = depth === 0 && line.startsWith(' AND ', at);
    const isNext = depth === 0 && nextClause.test(line.slice(at));
    if (depth === 0 && (ends || isAnd || isNext)) {
      if (at > from) found.push([from, at]);
      if (!isAnd) return found;
      from = at + ' AND '.length;
    }
    if (letter === '(' || letter === '{') depth += 1;
    if (letter === ')' || letter === '}') depth -= 1;
  }
  return found;
}
