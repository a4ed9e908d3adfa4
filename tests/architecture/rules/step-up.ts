import { calleeNames, liesIn, type Node, type Source, walk } from '../source.ts';

/** Who may know when a person signed in: the edge, which decides, and who verifies tokens. */
const knowing = ['server/http', 'server/adapters/oidc', 'server/kernel/verified-identity.ts', 'server/ports'];
const words = /\b(authenticatedAt|isFreshSignIn|freshSignInSeconds|fresh_sign_in_required)\b/;

/** A fresh sign-in is demanded by the contract and judged at the edge, by one clock: no service does it by itself. */
export function ownStepUps(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => liesIn(path, 'server') && !knowing.some((place) => liesIn(path, place)))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1}: judges the sign-in`] : [])),
    );
}

/** An operation that asks for a fresh sign-in in some case is bound to a handler that asks. */
export function forgottenStepUps(sources: readonly Source[]): string[] {
  const wanted = new Set<string>();
  const asking = new Set<string>();
  for (const source of sources) {
    walk(source.program, (node) => {
      if (node.type === 'VariableDeclarator' && asksSometimes(node)) wanted.add(nameOf(node.id as Node));
      if (node.type !== 'CallExpression' || calleeNames(node).join() !== 'bind') return;
      const [operation] = node.arguments as Node[];
      const text = source.text.slice(node.start, node.end);
      if (operation && text.includes('requireFreshSignIn')) {
        asking.add(nameOf((operation.property as Node | undefined) ?? operation));
      }
    });
  }
  return [...wanted]
    .filter((name) => !asking.has(name))
    .map((name) => `${name}: nobody asks for its sign-in`);
}

/** `export const x = defineOperation({ …, freshSignIn: { when: … } })` */
function asksSometimes(node: Node): boolean {
  const call = node.init as Node | null;
  if (call?.type !== 'CallExpression' || calleeNames(call).join() !== 'defineOperation') return false;
  const [spec] = call.arguments as Node[];
  return ((spec?.properties ?? []) as Node[]).some(
    ({ key, value }) =>
      nameOf(key as Node) === 'freshSignIn' && (value as Node | undefined)?.type === 'ObjectExpression',
  );
}

function nameOf(node: Node | undefined): string {
  return typeof node?.name === 'string' ? node.name : '';
}
