import { AndNode, type KyselyPlugin, type OperationNode, UpdateQueryNode, WhereNode } from 'kysely';

/**
 * A mistake in SQL, planted without touching the product: updates of these tables are sent without the conditions in
 * which one of their words stands.
 */
export function forgetting(wordsOf: Readonly<Record<string, readonly string[]>>): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      if (!UpdateQueryNode.is(node) || !node.where) return node;
      const table = Object.keys(wordsOf).find((name) => mentions(node.table, [`"name":"${name}"`]));
      if (!table) return node;
      const kept = conditions(node.where.where).filter((one) => !mentions(one, wordsOf[table] ?? []));
      const [first, ...others] = kept;
      const { where: _, ...rest } = node;
      if (!first) return rest;
      return { ...rest, where: WhereNode.create(others.reduce(AndNode.create, first)) };
    },
    transformResult: async ({ result }) => result,
  };
}

function conditions(node: OperationNode): OperationNode[] {
  return AndNode.is(node) ? [...conditions(node.left), ...conditions(node.right)] : [node];
}

const mentions = (node: OperationNode | undefined, words: readonly string[]) =>
  words.some((word) => JSON.stringify(node).includes(word));
