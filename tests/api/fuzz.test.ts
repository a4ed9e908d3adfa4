import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationSpec } from '../../src/contracts/operation.ts';
import { operations } from '../../src/contracts/operations.ts';
import { inTurn } from '../support/turn.ts';
import { inside } from './support/inside.ts';
import { ask, operatorToken, type Portal, startPortal } from './support/portal.ts';
import { bodyFor, requestFor, type Subject } from './support/samples.ts';
import { type Organisation, seedOrganisation } from './support/world.ts';

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'ff');
});
afterAll(() => portal[Symbol.asyncDispose]());

const bodiesEach = 1_000;
const nasty = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...["'; DROP TABLE users; --", '\u0000', '../../etc/passwd', '<script>', '%00', '']),
  fc.constantFrom<unknown>(-1, 0, 1e308, 2 ** 53, 0.1, null, [], {}, true),
);

/** A good body with a few of its leaves replaced, or something else altogether. */
function bodiesOf(operation: OperationSpec, subject: Subject): fc.Arbitrary<unknown> {
  const good = bodyFor(operation, subject) ?? {};
  const leaves = leavesOf(good, []);
  const spoilt = fc
    .array(fc.tuple(fc.nat({ max: Math.max(leaves.length - 1, 0) }), nasty), { minLength: 1, maxLength: 3 })
    .map((changes) => {
      const body = structuredClone(good);
      for (const [index, value] of changes) put(body, leaves[index] ?? ['surplus'], value);
      return body;
    });
  return fc.oneof({ weight: 5, arbitrary: spoilt }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
}

function leavesOf(value: unknown, path: string[]): string[][] {
  if (value === null || typeof value !== 'object') return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key])),
  ];
}

function put(target: unknown, path: readonly string[], value: unknown): void {
  let at = target as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    if (at[key] === null || typeof at[key] !== 'object') return;
    at = at[key] as Record<string, unknown>;
  }
  const last = path.at(-1);
  if (last !== undefined && at !== null && typeof at === 'object') at[last] = structuredClone(value);
}

const keyFor = (access: string) =>
  access === 'operator' ? portal.operatorKey : access === 'bootstrap' ? operatorToken : a.tokens.MSP_OWNER;
const writing = operations.filter(({ method, bodyKind }) => method !== 'GET' && bodyKind !== 'raw');

test(`${bodiesEach} bodies for each of the operations that take one: no 5xx, nothing of the inside in any reply`, async () => {
  const faults: string[] = [];
  const asked = inTurn([...writing.entries()]);
  let sent = 0;
  for (const [number, operation] of asked) {
    const subject = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'cus_zqfuzz' };
    const token = keyFor(operation.access);
    const request = requestFor(operation, subject, token);
    const bodies = fc.sample(bodiesOf(operation, subject), { numRuns: bodiesEach, seed: 2_026 + number });
    const refused = bodies.filter((body) => operation.body && !operation.body.safeParse(body).success);
    // What the contract refuses never reaches the operation: every tenth of it goes the whole way.
    const whole = bodies.filter((body) => !refused.includes(body)).slice(0, 60);
    const chosen = [...whole, ...refused.filter((_body, index) => index % 10 === 0)];
    for (let at = 0; at < chosen.length; at += 10) {
      const part = chosen.slice(at, at + 10);
      const answers = await Promise.all(
        part.map((body) =>
          ask(portal.app, {
            ...request,
            headers: { ...(request.headers as Record<string, string>), 'content-type': 'application/json' },
            payload: JSON.stringify(body) ?? '',
          }),
        ),
      );
      for (const [index, answer] of answers.entries()) {
        sent += 1;
        const told = `${operation.id} ${JSON.stringify(part[index]).slice(0, 200)}: ${answer.status} ${answer.body.slice(0, 200)}`;
        if (answer.status >= 500 || inside.test(answer.body)) faults.push(told);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(sent).toBeGreaterThan(asked.length * 50);
});
