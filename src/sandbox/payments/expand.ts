import { invalidParam } from './errors.ts';
import { accountV1 } from './objects/account-views.ts';
import type { AccountRecord } from './objects/kinds.ts';
import type { World } from './world.ts';

const DEEPEST = 4;

type Tree = Record<string, unknown>;

/** `expand[]=latest_charge.balance_transaction`: ids are replaced by what they name. */
export function expand(world: World, account: string, reply: unknown, paths: readonly string[]): unknown {
  for (const path of paths) {
    const parts = path.split('.');
    if (parts.length > DEEPEST) {
      throw invalidParam('expand', `You cannot expand more than 4 levels of a property. Property: ${path}`);
    }
    walk(world, account, reply, parts, path);
  }
  return reply;
}

function walk(world: World, account: string, node: unknown, parts: string[], path: string): void {
  const [part, ...rest] = parts;
  if (part === undefined || node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) walk(world, account, item, parts, path);
    return;
  }
  const tree = node as Tree;
  if (!(part in tree)) {
    throw invalidParam('expand', `This property cannot be expanded (${path}).`);
  }
  const value = tree[part];
  if (typeof value === 'string') tree[part] = named(world, account, value) ?? value;
  walk(world, account, tree[part], rest, path);
}

function named(world: World, account: string, id: string): unknown {
  const found = world.objects.anywhere(id);
  if (!found || (found.account !== account && found.account !== '')) return null;
  if (found.kind === 'link') return null;
  if (found.kind === 'account') return accountV1(found.object as unknown as AccountRecord);
  return found.object;
}
