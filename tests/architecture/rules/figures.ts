import { liesIn, lineOf, type Node, type Source, walk } from '../source.ts';

/** The one home of amounts, counts and dates as people and files have them. */
const home = 'contracts/values/format.ts';
const ownMethods = new Set(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString', 'toDateString']);
const ownFormats = new Set(['NumberFormat', 'DateTimeFormat', 'RelativeTimeFormat']);

/** Forms of money, counts and dates that a file makes by itself. The sandbox is others' systems, with forms of their own. */
export function ownFigures(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path !== home && !liesIn(path, 'sandbox'))
    .flatMap((source) => {
      const found: string[] = [];
      walk(source.program, (node) => {
        if (makesFigure(node)) found.push(`${source.path}:${lineOf(source.text, node.start)}: use ${home}`);
      });
      return found;
    });
}

function makesFigure(node: Node): boolean {
  switch (node.type) {
    case 'CallExpression':
      return callsForm(node);
    case 'MemberExpression':
      return wordOf(node.object) === 'Intl' && ownFormats.has(wordOf(node.property));
    // `$${amount}`
    case 'TemplateLiteral':
      return (node.quasis as Node[]).some((part) => !part.tail && endsInSign(cookedOf(part)));
    // '$' + amount
    case 'BinaryExpression':
      return node.operator === '+' && endsInSign(literalOf(node.left as Node));
    // <b>${amount}</b>
    case 'JSXElement':
    case 'JSXFragment':
      return signBeforeValue(node.children as Node[]);
    default:
      return false;
  }
}

/** `toFixed(2)`, `toLocaleString()`, `toISOString().slice(…)` */
function callsForm(call: Node): boolean {
  const callee = call.callee as Node;
  if (callee.type !== 'MemberExpression') return false;
  const name = wordOf(callee.property);
  if (ownMethods.has(name)) return true;
  if (name === 'toFixed') return literalOf((call.arguments as Node[])[0]) === 2;
  const on = callee.object as Node;
  return on.type === 'CallExpression' && wordOf((on.callee as Node).property) === 'toISOString';
}

function signBeforeValue(children: readonly Node[]): boolean {
  return children.some(
    (child, at) =>
      child.type === 'JSXText' &&
      endsInSign(child.value) &&
      children[at + 1]?.type === 'JSXExpressionContainer',
  );
}

const endsInSign = (text: unknown) => typeof text === 'string' && /\$\s*$/.test(text);
const cookedOf = (part: Node) => (part.value as { cooked?: unknown }).cooked;
const literalOf = (node: Node | undefined) => node?.value;
/** The name of an identifier, or the text of a literal. */
function wordOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown };
  return typeof name === 'string' ? name : typeof value === 'string' ? value : '';
}
