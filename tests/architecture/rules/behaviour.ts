import { calleeNames, type Node, parseSource, walk } from '../source.ts';

/** One row of `docs/behaviour/*.md`: what the product does, where, and the tests that show it. */
export interface Statement {
  text: string;
  shownBy: { path: string; title: string }[];
}

/** The rows of all tables of a page; its head and its rule are no rows. */
export function statementsIn(page: string): Statement[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| What the product does'))
    .map((line) => {
      const [, text = '', , shown = ''] = line.split(/(?<!\\)\|/);
      const shownBy = [...shown.matchAll(/`([^`›]+?) › ([^`]+)`/g)].map(([, path = '', title = '']) => ({
        path,
        title,
      }));
      return { text: text.trim(), shownBy };
    });
}

/** Statements whose tests are not there, and specified texts ("…", `{x}` for what varies) that no test of theirs has. */
export function behaviourViolations(page: string, read: (path: string) => string | null): string[] {
  return statementsIn(page).flatMap(({ text, shownBy }) => {
    const about = `"${text.slice(0, 60)}…"`;
    if (shownBy.length === 0) return [`${about} names no test`];
    const files = shownBy.map(({ path, title }) => ({ path, title, code: read(path) }));
    const missing = files.filter(({ code }) => code === null).map(({ path }) => `${about}: no file ${path}`);
    const untitled = files
      .filter(({ path, title, code }) => code !== null && !hasTitle(path, code, title))
      .map(({ path, title }) => `${about}: no test of ${path} says "${title}"`);
    const shown = files.map(({ code }) => plain(code ?? ''));
    const unseen = quotedIn(text)
      .filter((quoted) => !shown.some((code) => piecesOf(quoted).every((piece) => code.includes(piece))))
      .map((quoted) => `${about}: no test of it has the text "${quoted}"`);
    return [...missing, ...untitled, ...unseen];
  });
}

function hasTitle(path: string, code: string, title: string): boolean {
  return titlesOf(path, code).some((given) => given.includes(plain(title)));
}

/** Many rows name the same files: each is parsed once. */
const titlesByCode = new Map<string, string[]>();

function titlesOf(path: string, code: string): string[] {
  const known = titlesByCode.get(code);
  if (known) return known;
  const titles: string[] = [];
  walk(parseSource(path, code).program, (node) => {
    if (node.type !== 'CallExpression' || !['test', 'it', 'describe'].includes(calleeNames(node)[0] ?? ''))
      return;
    const [first] = node.arguments as Node[];
    if (first && ['Literal', 'TemplateLiteral'].includes(first.type)) {
      titles.push(plain(code.slice(first.start, first.end)));
    }
  });
  titlesByCode.set(code, titles);
  return titles;
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, quoted = '']) => quoted);
}

function piecesOf(quoted: string): string[] {
  return plain(quoted)
    .split(/\{[^}]*\}/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

/** Without escapes, kinds of quotes, case and the width of spaces: as a string, a template and a pattern are alike. */
function plain(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1').replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, ' ').toLowerCase();
}
