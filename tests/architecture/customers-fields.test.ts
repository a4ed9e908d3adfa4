import { expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../../src/contracts/operations.ts';
import { may, type Permission, permissions } from '../../src/contracts/permissions.ts';
import { customersFields } from './customers-fields.ts';

interface Shape {
  $ref?: string;
  properties?: Record<string, Shape>;
  items?: Shape | boolean;
  prefixItems?: Shape[];
  additionalProperties?: Shape | boolean;
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
  $defs?: Record<string, Shape>;
}

/** The path of each field: `a.b`, `list[].c` for what each one of a list has, `map{}.d` for what each value of a map has. */
function pathsOf(reply: z.ZodType): string[] {
  const root = z.toJSONSchema(reply, { unrepresentable: 'any' }) as Shape;
  const found = new Set<string>();
  const walk = (shape: Shape | boolean | undefined, path: string, inside: readonly string[]): void => {
    if (typeof shape !== 'object') return;
    const to = referredTo(root, shape, path);
    if (to && !inside.includes(to.ref)) walk(to.shape, path, [...inside, to.ref]);
    for (const [name, field] of Object.entries(shape.properties ?? {})) {
      const of = path === '' ? name : `${path}.${name}`;
      found.add(of);
      walk(field, of, inside);
    }
    for (const each of [shape.items, ...(shape.prefixItems ?? [])]) walk(each, `${path}[]`, inside);
    walk(shape.additionalProperties, `${path}{}`, inside);
    for (const each of choicesOf(shape)) walk(each, path, inside);
  };
  walk(root, '', ['#']);
  return [...found].toSorted();
}

function referredTo(root: Shape, { $ref: ref }: Shape, path: string): { ref: string; shape: Shape } | null {
  if (ref === undefined) return null;
  const shape = ref === '#' ? root : root.$defs?.[ref.replace('#/$defs/', '')];
  if (shape === undefined) throw new Error(`${path}: ${ref} leads nowhere`);
  return { ref, shape };
}

const choicesOf = ({ anyOf = [], oneOf = [], allOf = [] }: Shape) => [...anyOf, ...oneOf, ...allOf];

const read = operations.filter(
  ({ access }) => access in permissions && may('MSP_CUSTOMER', access as Permission),
);

test("each new field of a reply that customers' users may be sent is decided on", () => {
  const wrong = read.flatMap(({ id, reply }) => {
    const told = (customersFields[id] ?? '').split(/\s+/).filter((path) => path !== '');
    const sent = pathsOf(reply);
    return [
      ...sent
        .filter((path) => !told.includes(path))
        .map(
          (path) =>
            `${id} replies with ${path}: decide whether a customer's users may see it. If they may, add it to ` +
            'tests/architecture/customers-fields.ts; if not, the service makes it null for them, as visibleTo of customers/rights.rules.ts does with billing and markups',
        ),
      ...told
        .filter((path) => !sent.includes(path))
        .map((path) => `${id} no longer replies with ${path}: take it out of customers-fields.ts`),
    ];
  });
  const unknown = Object.keys(customersFields).filter((id) => !read.some((one) => one.id === id));
  expect([...wrong, ...unknown.map((id) => `${id}: customers' users may not call it; take it out`)]).toEqual(
    [],
  );
});

test('the path of a field is found in lists, maps, choices, and shapes that contain themselves', () => {
  const tree: z.ZodType = z.object({
    name: z.string(),
    get below() {
      return z.array(tree);
    },
  });
  const reply = z.object({
    list: z.array(z.object({ cost: z.int().nullable() })),
    map: z.record(z.string(), z.object({ note: z.string() })),
    choice: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), margin: z.int() }),
        z.object({ kind: z.literal('b') }),
      ])
      .nullable(),
    tree,
  });
  expect(pathsOf(reply)).toEqual(
    'choice choice.kind choice.margin list list[].cost map map{}.note tree tree.below tree.name'.split(' '),
  );
});
