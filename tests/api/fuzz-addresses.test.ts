import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationSpec } from '../../src/contracts/operation.ts';
import { operations } from '../../src/contracts/operations.ts';
import { inTurn } from '../support/turn.ts';
import { inside } from './support/inside.ts';
import { ask, operatorToken, type Portal, startPortal } from './support/portal.ts';
import { requestFor, type Subject, sampleOf } from './support/samples.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

/** Paths, queries and headers as odd as the bodies of fuzz.test.ts. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'fa');
  // The seed invents a row for every table; a kind of difference that no code writes fits no contract.
  await portal.owner.query('DELETE FROM reconciliation_differences');
});
afterAll(() => portal[Symbol.asyncDispose]());

const each = 1_000;
const keyFor = (access: string) =>
  access === 'operator' ? portal.operatorKey : access === 'bootstrap' ? operatorToken : a.tokens.MSP_OWNER;

/** What people and scripts put where a day, a number, an id or a name belongs. */
const oddText = fc.oneof(
  fc.constantFrom(
    ...['2026-99-99', '2026-02-30', '0000-01-01', '9999-12-31', '2026-01-01T25:00:00Z', '20261121'],
  ),
  fc.constantFrom(
    ...['-1', '0', '1.5', '1e309', 'NaN', '99999999999999999999', '0x10', '%', '[]', '{}', 'null'],
  ),
  fc.constantFrom(
    ...["'; DROP TABLE users; --", '\u0000', '../../etc/passwd', '<script>', '..', '.', '/', ' ', ''],
  ),
  fc.constantFrom(...['00000000-0000-0000-0000-000000000000', 'xn--a.com', 'bücher.com', 'a'.repeat(5_000)]),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
);
/** What Node lets through as a header. */
const oddHeader = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      'x',
      'a'.repeat(8),
      'a'.repeat(201),
      'a'.repeat(4_000),
      '*/*',
      'null',
      'é',
      '"',
      ',,',
      ';q=',
    ],
  ),
  fc.string({ unit: fc.constantFrom(...'abcXYZ019 -_.,;:=/*"\'()<>@%\u00e9\u00ff'), maxLength: 60 }),
);
const headerNames = [
  ...[
    'idempotency-key',
    'accept',
    'accept-encoding',
    'accept-language',
    'content-type',
    'cookie',
    'origin',
    'host',
  ],
  ...[
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-request-id',
    'user-agent',
    'range',
    'if-none-match',
    'referer',
  ],
];
/** Percent signs as no client writes them. */
const oddPart = fc.oneof(
  { weight: 4, arbitrary: oddText.map(encodeURIComponent) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...['%', '%zz', '%00', '%ff', '%2e%2e', '%2F', '..', ';a=b', '%c0%af']),
  },
);

interface Address {
  path: string;
  query: [string, string][];
  headers: Record<string, string>;
}

/** The way to an operation, with odd things in the path, the query or the headers. */
function addressesOf(operation: OperationSpec, subject: Subject): fc.Arbitrary<Address> {
  const good = operation.params ? (sampleOf(operation.params, subject) as Record<string, unknown>) : {};
  const names = Object.keys(good);
  const asked = Object.keys(operation.query?.shape ?? {});
  const path = fc
    .tuple(
      ...names.map((name) => fc.option(oddPart, { nil: encodeURIComponent(String(good[name])), freq: 2 })),
    )
    .map((parts) =>
      operation.path.replace(/:(\w+)/g, (_all, name: string) => parts[names.indexOf(name)] ?? ''),
    );
  const key = fc.oneof(
    { weight: 6, arbitrary: asked.length > 0 ? fc.constantFrom(...asked) : fc.constant('page') },
    { weight: 1, arbitrary: fc.constantFrom('surplus', '__proto__', 'constructor', 'page[]', '') },
  );
  return fc.record({
    path,
    query: fc.array(fc.tuple(key, oddText), { maxLength: 4 }),
    headers: fc.dictionary(fc.constantFrom(...headerNames), oddHeader, { maxKeys: 3 }),
  });
}

/** Whether the contract takes it, so that the operation itself is reached. */
function isTaken(operation: OperationSpec, { path, query }: Address): boolean {
  const given = path.split('/').map((part) => (/%(?![0-9a-f]{2})/i.test(part) ? '' : unescape(part)));
  const params = Object.fromEntries(
    operation.path
      .split('/')
      .flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), given[index]]] : [])),
  );
  const fits = !operation.params || operation.params.safeParse(params).success;
  const schema = operation.query?.strict();
  return fits && (schema ? schema.safeParse(Object.fromEntries(query)).success : query.length === 0);
}

test(`${each} paths, queries and headers for each operation: no 5xx, nothing of the inside in any reply`, async () => {
  const faults: string[] = [];
  const asked = inTurn([...operations.entries()]);
  let sent = 0;
  for (const [number, operation] of asked) {
    const subject = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'cus_zqfuzz' };
    const token = keyFor(operation.access);
    const good = requestFor(operation, subject, token);
    const seed = 4_052 + number;
    const addresses = fc.sample(addressesOf(operation, subject), { numRuns: each, seed });
    const taken = addresses.filter((address) => isTaken(operation, address));
    const refused = addresses.filter((address) => !taken.includes(address));
    // As with bodies: what the contract refuses never reaches the operation.
    const chosen = [...taken.slice(0, 40), ...refused.filter((_address, index) => index % 20 === 0)];
    for (let at = 0; at < chosen.length; at += 10) {
      await Promise.all(
        chosen.slice(at, at + 10).map(async ({ path, query, headers }) => {
          const answer = await ask(portal.app, {
            ...good,
            url: `/api${path}?${new URLSearchParams(query)}`,
            headers: { ...(good.headers as Record<string, string>), ...headers },
          });
          sent += 1;
          const told = `${operation.id} (seed ${seed}) ${path} ${JSON.stringify([query, headers]).slice(0, 300)}`;
          const isFault = answer.status >= 500 || inside.test(answer.body);
          if (isFault) faults.push(`${told}: ${answer.status} ${answer.body.slice(0, 200)}`);
        }),
      );
    }
  }
  expect(faults).toEqual([]);
  expect(sent).toBeGreaterThan(asked.length * 40);
});
