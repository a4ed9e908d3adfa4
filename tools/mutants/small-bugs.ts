import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSource } from '../../tests/architecture/source.ts';
import type { Plant } from './bug.ts';
import { conditionsOfTexts } from './plants/kinds.ts';

const root = join(import.meta.dirname, '../..');

/** A small mistake as people make it: something left out, asked the wrong way round, or off by one. */
export interface SmallBug {
  /** Below the project's folder. */
  file: string;
  line: number;
  kind: string;
  from: string;
  to: string;
  /** The file with the bug. */
  text: string;
}

interface Found {
  kind: string;
  start: number;
  end: number;
  to: string;
}

const others: Readonly<Record<string, string>> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*' },
};
/** Calls in the middle of a chain that the chain does without. */
const steps = new Set([
  ...['where', 'whereRef', 'limit', 'offset', 'orderBy', 'forUpdate', 'skipLocked', 'filter', 'slice'],
  ...['trim', 'toLowerCase', 'sort', 'toSorted', 'reverse', 'distinct', 'groupBy'],
]);
/** What is said to people who look after the portal, and not to the portal. */
const saying = /^(?:this\.)?(?:log|logger|console|options\.log|input\.log)\b/;
/** Looks, which pictures are for. */
const looks = /^(?:className|style|styles|size|c|fw|gap|mt|mb|p|variant|color|w|h|align|justify|wrap|key)$/;

/** Every small bug of a file, one at a time. */
export function smallBugsIn(file: string): SmallBug[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Found[] = [];
  look(parseSource(file.replace(/^src\//, ''), text).program, text, found);
  const bugs = found.map(({ kind, start, end, to }) => ({
    ...{ file, kind, to },
    line: text.slice(0, start).split('\n').length,
    from: text.slice(start, end),
    text: text.slice(0, start) + to + text.slice(end),
  }));
  return [...bugs, ...conditionsOfTexts(file, '').map((plant) => ofText(plant, text))];
}

function ofText({ in: file, from, to, line = 0 }: Plant, text: string): SmallBug {
  const changed = text.split('\n').with(line, to).join('\n');
  return {
    file,
    kind: 'condition in a text',
    line: line + 1,
    from: from.trim(),
    to: to.trim(),
    text: changed,
  };
}

function look(node: Node, text: string, found: Found[]): void {
  if (node.type.startsWith('TS') && node.type !== 'TSAsExpression' && node.type !== 'TSNonNullExpression')
    return;
  if (node.type === 'ImportDeclaration') return;
  if (node.type === 'CallExpression' && saying.test(text.slice(node.start, node.end))) return;
  if (node.type === 'JSXAttribute' && looks.test(String((node.name as Node).name))) return;
  found.push(...bugsAt(node, text));
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) look(child as Node, text, found);
    }
  }
}

function bugsAt(node: Node, text: string): Found[] {
  const of = (part: unknown) => text.slice((part as Node).start, (part as Node).end);
  const instead = (kind: string, part: unknown, to: string): Found => {
    const { start, end } = part as Node;
    return { kind, start, end, to };
  };
  switch (node.type) {
    case 'IfStatement':
      return [instead('never', node.test, 'false')];
    case 'ConditionalExpression':
      return [instead('never', node, of(node.alternate)), instead('always', node, of(node.consequent))];
    case 'LogicalExpression':
      return [
        // Without its default a value is undefined, which mostly is as good as null.
        ...(node.operator === '??' ? [] : [instead('one side', node, of(node.left))]),
        instead('one side', node, of(node.right)),
      ];
    case 'BinaryExpression':
      return ofBinary(node, of).map((to) => instead('operator', node, to));
    case 'ExpressionStatement':
      return isAct(node.expression as Node) ? [instead('act left out', node, ';')] : [];
    case 'CallExpression': {
      const callee = node.callee as Node;
      const name = callee.type === 'MemberExpression' ? String((callee.property as Node).name) : '';
      return steps.has(name) ? [instead('step left out', node, of(callee.object))] : [];
    }
    case 'ObjectExpression':
      return ofProperties(node, text);
    case 'Literal':
      return typeof node.value === 'boolean' ? [instead('flipped', node, String(!node.value))] : [];
    case 'JSXOpeningElement':
      return (node.attributes as Node[])
        .filter(
          ({ type, value }) =>
            type === 'JSXAttribute' && (value as Node | null)?.type === 'JSXExpressionContainer',
        )
        .filter(({ name }) => !looks.test(String((name as Node).name)))
        .map((attribute) => instead('attribute left out', attribute, ''));
    default:
      return [];
  }
}

function ofBinary(node: Node, of: (part: unknown) => string): string[] {
  const operator = String(node.operator);
  const other = others[operator];
  const sides = [node.left as Node, node.right as Node];
  const isText = ({ type, value }: Node) => type === 'TemplateLiteral' || typeof value === 'string';
  if (other === undefined || ('+' === operator && sides.some(isText))) return [];
  return [`${of(node.left)} ${other} ${of(node.right)}`];
}

function isAct(node: Node): boolean {
  const called =
    node.type === 'AwaitExpression' || node.type === 'UnaryExpression' ? (node.argument as Node) : node;
  return called.type === 'CallExpression' && (called.callee as Node).type !== 'Super';
}

/** Each part of an object is missing. A single one is left: nobody forgets it. */
function ofProperties(node: Node, text: string): Found[] {
  const parts = node.properties as Node[];
  if (parts.length < 2) return [];
  return parts.map(({ start, end }) => {
    const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0;
    return { kind: 'part left out', start, end: end + comma, to: '' };
  });
}
