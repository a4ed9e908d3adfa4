import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { permissions } from '../../src/contracts/permissions.ts';
import { rawAddressReads } from './rules/addresses.ts';
import { looseAlternatives } from './rules/alternatives.ts';
import { parametersInConflicts } from './rules/conflicts.ts';
import { ownFigures } from './rules/figures.ts';
import { earlyHeavyLoads, importViolations, scatteredVendors, wholeRegistrars } from './rules/imports.ts';
import { sharedKeys } from './rules/job-keys.ts';
import { nameViolations } from './rules/names.ts';
import { operationViolations } from './rules/operations.ts';
import { unordered, unorderedLimits } from './rules/ordered.ts';
import { registrarFunctions, uncalledFunctions } from './rules/port-callers.ts';
import { impureRules } from './rules/pure.ts';
import { idleExceptions, straySql } from './rules/sql.ts';
import { forgottenStepUps, ownStepUps } from './rules/step-up.ts';
import { unstyledComponents } from './rules/styles.ts';
import { unboundTakes } from './rules/taken.ts';
import { directRequests, outsideCallsInTransactions, unguardedAdapters } from './rules/transactions.ts';
import { bareUses, handedOn } from './rules/web.ts';
import { tablesIn, writerViolations, writesIn } from './rules/writers.ts';
import { parseSource, readSources } from './source.ts';

const root = join(import.meta.dirname, '../..');
const sources = readSources();
const migrationsDir = join(root, 'migrations');
const tables = tablesIn(
  readdirSync(migrationsDir).map((file) => readFileSync(join(migrationsDir, file), 'utf8')),
);

describe('imports', () => {
  test('nobody imports what the import table does not allow', () => {
    expect(importViolations(sources)).toEqual([]);
  });

  test.each([
    ['contracts/operations/users.ts', '../../server/kernel/ids.ts', 'may not import'],
    ['contracts/operation.ts', 'node:fs', 'does no I/O'],
    ['server/kernel/ids.ts', '../features/users/index.ts', 'may not import'],
    ['server/ports/mail.ts', '../adapters/smtp/index.ts', 'may not import'],
    ['server/ledger/ledger.ts', '../features/orders/index.ts', 'may not import'],
    ['server/features/customers/index.ts', '../domains/index.ts', 'may not import'],
    ['server/features/domains/index.ts', '../customers/customers.repo.ts', 'may not import'],
    ['server/features/billing/index.ts', '../orders/index.ts', 'may not import'],
    ['server/features/users/index.ts', '../../adapters/smtp/index.ts', 'may not import'],
    ['server/features/users/index.ts', 'stripe', 'belongs to server/adapters/stripe'],
    ['server/features/users/users.repo.ts', 'kysely', 'belongs to server/kernel/db'],
    ['server/features/users/users.routes.ts', 'fastify', 'belongs to server/http'],
    ['server/adapters/smtp/index.ts', '../stripe/index.ts', 'may not import'],
    ['server/adapters/smtp/index.ts', '../../features/users/index.ts', 'may not import'],
    ['server/adapters/smtp/index.ts', 'pg', 'belongs to server/kernel/db'],
    ['server/http/app.ts', '../features/users/index.ts', 'may not import'],
    ['server/jobs/tasks.ts', '../features/users/users.repo.ts', 'may not import'],
    ['server/jobs/tasks.ts', '../adapters/stripe/index.ts', 'may not import'],
    ['server/http/app.ts', 'react', 'belongs to web'],
    ['sandbox/main.ts', '../contracts/operation.ts', 'may not import'],
    ['sandbox/main.ts', '../server/kernel/ids.ts', 'may not import'],
    ['web/ui/table.tsx', '../lib/session.ts', 'may not import'],
    ['web/lib/session.ts', '../ui/table.tsx', 'may not import'],
    ['web/features/orders/api.ts', '../domains/api.ts', 'may not import'],
    ['web/screens/cart.tsx', '../../server/kernel/ids.ts', 'may not import'],
    ['web/main.tsx', 'pino', 'may not use the package'],
    ['server/utilities/thing.ts', 'zod', 'has no place'],
  ])('%s importing %s is caught', (path, specifier, complaint) => {
    const planted = parseSource(path, `import '${specifier}';`);
    expect(importViolations([planted])).toEqual([expect.stringContaining(complaint)]);
  });

  test.each([
    `export { thing } from '../domains/index.ts';`,
    `export * from '../domains/index.ts';`,
    `import type { Thing } from '../domains/index.ts';`,
    `const thing = await import('../domains/index.ts');`,
    `type Thing = import('../domains/index.ts').Thing;`,
    `const thing = await import(name);`,
  ])('no way of importing goes unseen: %s', (text) => {
    expect(importViolations([parseSource('server/features/users/index.ts', text)])).toHaveLength(1);
  });

  test('the payment form and the sign-in library each stand behind one file of the web app', () => {
    expect(scatteredVendors(sources)).toEqual([]);
  });

  test('a second file with the sign-in library is caught', () => {
    const planted = ['web/lib/session.ts', 'web/screens/account.tsx'].map((path) =>
      parseSource(path, `import { UserManager } from 'oidc-client-ts';`),
    );
    expect(scatteredVendors(planted)).toHaveLength(1);
  });

  test('a feature asks for the interfaces of the registrar that it needs, not for all six', () => {
    expect(wholeRegistrars(sources)).toEqual([]);
    const planted = `import type { Contact, Registrar } from '../../ports/registrar.ts';`;
    expect(wholeRegistrars([parseSource('server/features/dns/dns.service.ts', planted)])).toHaveLength(1);
    const small = `import type { Contact, RegistrarZones } from '../../ports/registrar.ts';`;
    expect(wholeRegistrars([parseSource('server/features/dns/dns.service.ts', small)])).toEqual([]);
  });

  test('a feature calls each function of the registrar: none is forgotten', () => {
    expect(registrarFunctions(sources).length).toBeGreaterThan(40);
    expect(uncalledFunctions(sources)).toEqual([]);
    const planted = 'export interface RegistrarNews {\n  news(): Promise<string>;\n}';
    expect(uncalledFunctions([...sources, parseSource('server/ports/registrar/news.ts', planted)])).toEqual([
      'news: no feature calls it',
    ]);
  });

  test('a job about one object does not replace that of another', () => {
    expect(sharedKeys(sources)).toEqual([]);
    const planted = [
      `{ address }, { key: 'dns.publish' }`,
      `{ address }, { key: \`dns.publish:\${address}\` }`,
      `{}, { key: 'all' }`,
    ];
    const found = planted.map((rest) =>
      sharedKeys([parseSource('server/features/dns/x.ts', `enqueueJob(tx, 'dns.publish', ${rest})`)]),
    );
    expect(found.map(({ length }) => length)).toEqual([1, 0, 0]);
  });

  test('what is heavy and seldom needed is loaded when it is needed', () => {
    expect(earlyHeavyLoads(sources)).toEqual([]);
  });

  test('an early load of a heavy package is caught', () => {
    const planted = [`import Pdf from 'pdfkit';`, `const { default: Pdf } = await import('pdfkit');`];
    expect(
      planted.map((text) => earlyHeavyLoads([parseSource('server/features/statement/pdf.ts', text)]).length),
    ).toEqual([1, 0]);
    const adapter = [
      `import { createPayments } from './payments.ts';`,
      `import Stripe from 'stripe';`,
      `import type { StripeOptions } from './client.ts'; await import('./payments.ts');`,
    ];
    expect(
      adapter.map((text) => earlyHeavyLoads([parseSource('server/adapters/stripe/index.ts', text)]).length),
    ).toEqual([1, 1, 0]);
  });
});

describe('names', () => {
  test('files and folders are in kebab case and say what they hold', () => {
    const code = /\.(ts|tsx|mjs|css|html|sql|json)$/;
    const paths = ['src', 'tests', 'tools', 'bench']
      .flatMap((folder) => {
        try {
          return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
        } catch {
          return [];
        }
      })
      .filter((path) => code.test(path));
    expect(nameViolations(paths)).toEqual([]);
  });

  test.each(['server/kernel/httpClient.ts', 'web/ui/DataTable.tsx', 'server/utils/x.ts', 'web/helpers/x.ts'])(
    '%s is caught',
    (path) => {
      expect(nameViolations([path])).toHaveLength(1);
    },
  );
});

describe('writers', () => {
  test('each table has one writer', () => {
    expect(writerViolations(writesIn(sources, tables))).toEqual([]);
  });

  test.each([
    `db.insertInto('orders').values(row)`,
    `db.updateTable('orders as o').set(row)`,
    `tx.deleteFrom('orders').where('id', '=', id)`,
    'sql`INSERT INTO orders (id) VALUES (1)`',
    'sql`WITH done AS (UPDATE orders SET state = 1 RETURNING id) SELECT * FROM done`',
    'sql`DELETE FROM "orders"`',
  ])('a second writer is caught: %s', (statement) => {
    const planted = [
      parseSource('server/features/orders/orders.repo.ts', `tx.updateTable('orders').set(row);`),
      parseSource('server/features/users/users.repo.ts', `${statement};`),
    ];
    expect(writerViolations(writesIn(planted, tables))).toEqual([
      expect.stringContaining('orders has 2 writers'),
    ]);
  });

  test('a table whose name is computed is caught', () => {
    const planted = parseSource('server/features/users/users.repo.ts', 'tx.deleteFrom(name).execute();');
    expect(writerViolations(writesIn([planted], tables))).toHaveLength(1);
  });

  test('reading, locking and upserting are no second write', () => {
    const planted = [
      parseSource('server/features/orders/orders.repo.ts', `tx.updateTable('orders').set(row);`),
      parseSource(
        'server/features/users/users.repo.ts',
        "tx.selectFrom('orders'); sql`SELECT 1 FROM orders FOR UPDATE`; sql`INSERT INTO users AS u (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET x = 1`",
      ),
    ];
    expect(writerViolations(writesIn(planted, tables))).toEqual([]);
  });
});

describe('SQL', () => {
  test('SQL stands in repositories and the ledger; each exception has its reason', () => {
    expect(straySql(sources)).toEqual([]);
    expect(idleExceptions(sources)).toEqual([]);
  });

  test.each([
    'await sql`SELECT 1`.execute(tx);',
    'const { rows } = await sql<{ id: string }>`SELECT id FROM orders`.execute(tx);',
    `const late = sql.ref('sent_at');`,
    `await tx.selectFrom('orders').selectAll().execute();`,
    `await inTransaction(db, scope, (tx) => tx.updateTable('orders').set({ state }).execute());`,
    `const row = await query.with('o', (eb) => eb.selectFrom('orders')).execute();`,
  ])('SQL in a service is caught: %s', (text) => {
    expect(straySql([parseSource('server/features/users/invites.service.ts', text)])).toHaveLength(1);
  });

  test.each(['server/features/orders/orders.repo.ts', 'server/ledger/ledger.ts', 'server/kernel/db/time.ts'])(
    'SQL is at home in %s',
    (path) => {
      expect(straySql([parseSource(path, `await tx.selectFrom('orders').execute();`)])).toEqual([]);
    },
  );

  test('an exception without SQL behind it is caught', () => {
    const planted = parseSource('server/jobs/orphans.ts', 'export const nothing = 1;');
    expect(idleExceptions([planted])).toContain('server/jobs/orphans.ts');
  });
});

describe('rows that are taken', () => {
  test('are found once, where there is a limit', () => {
    expect(unboundTakes(sources)).toEqual([]);
  });

  const take = (inner: string) =>
    parseSource(
      'server/a.repo.ts',
      `const a = sql\`UPDATE a SET b = 1 WHERE id IN (${inner}) RETURNING *\`;`,
    );
  test.each([
    ['a limit under a lock', 'SELECT id FROM a WHERE (b) LIMIT 9 FOR UPDATE SKIP LOCKED', 1],
    ['a weaker lock', 'SELECT id FROM a LIMIT 1 FOR NO KEY UPDATE OF a', 1],
    ['no limit', 'SELECT id FROM a FOR UPDATE SKIP LOCKED', 0],
    ['no lock', 'SELECT id FROM a LIMIT 1', 0],
  ])('%s is judged', (_what, inner, faults) => {
    expect(unboundTakes([take(inner)])).toHaveLength(faults);
  });
});

describe('a limit', () => {
  test('takes its rows in an order', () => {
    expect(unorderedLimits(sources)).toEqual([]);
    const files = new Set(sources.map(({ path }) => path));
    expect(Object.keys(unordered).filter((path) => !files.has(path))).toEqual([]);
  });

  test.each([
    ['a query', "tx.selectFrom('a').select('id').where('b', '=', 1).limit(500).execute()", 1],
    ['a query by a figure', "tx.selectFrom('a').select('id').limit(most).execute()", 1],
    ['an ordered query', "tx.selectFrom('a').select('id').orderBy('b').limit(500).execute()", 0],
    ['one row', "tx.selectFrom('a').select('id').limit(1).executeTakeFirst()", 0],
    ['a statement', 'sql`SELECT id FROM a WHERE b LIMIT 9`', 1],
    ['an ordered statement', 'sql`SELECT id FROM a ORDER BY b LIMIT 9`', 0],
    ['one row of a statement', 'sql`SELECT id FROM a LIMIT 1`', 0],
  ])('of %s is judged', (_what, text, faults) => {
    expect(unorderedLimits([parseSource('server/a.repo.ts', text)])).toHaveLength(faults);
  });
});

describe('alternatives in raw SQL', () => {
  test('are in parentheses', () => {
    expect(looseAlternatives(sources)).toEqual([]);
  });

  test.each([
    ['loose ones', `sql<boolean>\`a = any(\${x}) OR b = 1\``, 1],
    ['small letters', 'sql<boolean>`a or b`', 1],
    ['some in parentheses, some not', 'sql<boolean>`(a OR b) OR c`', 1],
    ['all in parentheses', 'sql<boolean>`(a OR b)`', 0],
    ['those of a question inside', 'sql<boolean>`EXISTS (SELECT FROM t WHERE a OR b)`', 0],
    ['those of a case', 'sql<boolean>`CASE WHEN a OR b THEN c ELSE d END`', 0],
    ['a word with these letters', 'sql<boolean>`a.order_id = b.factor`', 0],
    ['a statement', 'sql<{ id: string }>`SELECT id FROM t WHERE a OR b`', 0],
  ])('%s', (_what, text, faults) => {
    expect(looseAlternatives([parseSource('server/a.repo.ts', text)])).toHaveLength(faults);
  });
});

describe('conditions of a partial index', () => {
  test('no statement names a partial index with a parameter', () => {
    expect(parametersInConflicts(sources)).toEqual([]);
  });

  test.each([
    `sql\`INSERT INTO t (a) VALUES (1) ON CONFLICT (a) WHERE state <> \${ended} DO NOTHING\``,
    "db.insertInto('t').values(row).onConflict((on) => on.column('a').where('state', '<>', 'ended').doNothing())",
    "db.insertInto('t').onConflict((on) => on.column('a').where('state', '<>', ended).doUpdateSet(row))",
  ])('a parameter in one is caught: %s', (text) => {
    expect(parametersInConflicts([parseSource('server/features/a/a.repo.ts', text)])).toHaveLength(1);
  });

  test.each([
    `sql\`INSERT INTO t (a) VALUES (\${a}) ON CONFLICT (a) WHERE state <> 'ended' DO UPDATE SET b = \${b}\``,
    "db.insertInto('t').onConflict((on) => on.column('a').where('state', '<>', sql.lit('ended')).doNothing())",
    "db.insertInto('t').onConflict((on) => on.column('a').where('gone', 'is', null).doUpdateSet(row).where('b', '<', b))",
  ])('what may stand there passes: %s', (text) => {
    expect(parametersInConflicts([parseSource('server/features/a/a.repo.ts', text)])).toEqual([]);
  });
});

describe('rules', () => {
  test('what decides is pure: it is given state, figures and now', () => {
    expect(impureRules(sources)).toEqual([]);
  });

  test.each([
    `import { inTransaction } from '#kernel/db/database.ts';`,
    `import { readFileSync } from 'node:fs';`,
    `import { findDomain } from '../domains/index.ts';`,
    `export const isDue = async () => true;`,
    `export const isDue = (at: Date) => at <= new Date();`,
    `export const isDue = (at: number) => at <= Date.now();`,
  ])('a rule that looks around by itself is caught: %s', (text) => {
    expect(impureRules([parseSource('server/features/orders/item.rules.ts', text)])).toHaveLength(1);
  });

  test('values, types and the time as a figure are no impurity', () => {
    const text = `import { dayMs } from '#contracts/values/time.ts'; import type { Tx } from '#kernel/db/database.ts';
      export const next = (now: Date) => new Date(now.getTime() + dayMs);`;
    expect(impureRules([parseSource('server/features/orders/item.rules.ts', text)])).toEqual([]);
  });
});

describe('transactions', () => {
  test('no outside system is called in the body of a transaction', () => {
    expect(outsideCallsInTransactions(sources)).toEqual([]);
  });

  test.each([
    'inTransaction(db, scope, async (tx) => { await registrar.register(name); });',
    'inTransaction(db, scope, (tx) => deps.payments.createIntent(tx));',
    'systemTransaction(this.db, async (tx) => { for (const m of all) await mail.send(m); });',
    'db.transaction().execute(async (tx) => { await fetch(address); });',
  ])('an outside call in a transaction is caught: %s', (text) => {
    const planted = parseSource('server/features/orders/engine.ts', text);
    expect(outsideCallsInTransactions([planted])).toHaveLength(1);
  });

  test('every adapter that reaches the outside refuses to do so inside a transaction', () => {
    expect(unguardedAdapters(sources)).toEqual([]);
    const planted = parseSource('server/adapters/fax/index.ts', `import { connect } from 'node:net';`);
    expect(unguardedAdapters([planted])).toHaveLength(1);
  });

  test('nothing but adapters and the HTTP client reaches the outside', () => {
    expect(directRequests(sources)).toEqual([]);
    const planted = ['await fetch(address);', `import { resolve } from 'node:dns/promises';`].map((text) =>
      parseSource('server/features/dns/dns.service.ts', text),
    );
    expect(directRequests(planted)).toHaveLength(2);
  });
});

describe('operations', () => {
  const sample = { id: 'users.read', method: 'GET', path: '/user/:id', access: 'users.manage' };

  test('every operation is in the permission table, under a name and a route of its own', () => {
    expect(operations.length).toBeGreaterThan(20);
    expect(operationViolations(operations, permissions)).toEqual([]);
  });

  test.each([
    ['an unknown permission', [{ ...sample, access: 'users.everything' }]],
    ['no permission', [{ ...sample, access: '' }]],
    ['a name that is no name', [{ ...sample, id: 'readUser' }]],
    ['a name used twice', [sample, { ...sample, path: '/other' }]],
    ['a route used twice', [sample, { ...sample, id: 'users.get', path: '/user/:userId' }]],
  ])('%s is caught', (_what, planted) => {
    expect(operationViolations(planted, permissions)).toHaveLength(1);
  });
});

describe('addresses', () => {
  test('the edge goes by the route that was matched, never by how an address is spelled', () => {
    expect(rawAddressReads(sources)).toEqual([]);
  });

  test.each([
    `if (request.url.startsWith('/api/')) limit(request);`,
    `log(request.raw.url);`,
    `log(request['url']);`,
    `const { url } = request;`,
    `const address = request.originalUrl;`,
  ])('a raw address is caught: %s', (text) => {
    expect(rawAddressReads([parseSource('server/http/cors.ts', text)])).toHaveLength(1);
  });

  test('the pattern of a route is no raw address', () => {
    const text = `const known = request.routeOptions.url; const same = route.url === known;`;
    expect(rawAddressReads([parseSource('server/http/cors.ts', text)])).toEqual([]);
  });
});

describe('fresh sign-in', () => {
  const operation = (spec: string) =>
    parseSource('contracts/operations/x.ts', `export const act = defineOperation({ id: 'x.act', ${spec} });`);
  const routes = (handler: string) =>
    parseSource('server/features/x/x.routes.ts', `bind(op.act, ${handler});`);

  test('the contract demands it and the edge judges it: no service does so by itself', () => {
    expect(ownStepUps(sources)).toEqual([]);
    expect(forgottenStepUps(sources)).toEqual([]);
  });

  test.each([
    `if (now - identity.authenticatedAt > 900) throw new Error();`,
    `throw new AppError('fresh_sign_in_required');`,
  ])('a service that judges it is caught: %s', (text) => {
    expect(ownStepUps([parseSource('server/features/users/users.service.ts', text)])).toHaveLength(1);
  });

  test('an operation whose handler does not ask in its case is caught', () => {
    const sometimes = operation(`freshSignIn: { when: 'it is dangerous' }`);
    expect(forgottenStepUps([sometimes, routes('(c) => act(c.scope)')])).toHaveLength(1);
    expect(forgottenStepUps([sometimes, routes('(c) => act(c.scope, c.requireFreshSignIn)')])).toEqual([]);
    expect(forgottenStepUps([operation('freshSignIn: true'), routes('(c) => act(c.scope)')])).toEqual([]);
  });
});

describe('styles', () => {
  const styles = readFileSync(join(root, 'src/web/ui/styles.ts'), 'utf8');

  test('every component in use has its styles', () => {
    expect(unstyledComponents(sources, styles)).toEqual([]);
  });

  test('a component without styles is noticed', () => {
    const planted = parseSource('web/ui/planted.tsx', "import { Stack, Affix } from '@mantine/core';");
    expect(unstyledComponents([planted], styles)).toEqual(['web/ui/planted.tsx: Affix has no styles']);
  });
});

describe('figures', () => {
  test('amounts, counts and dates are put into words in one place', () => {
    expect(ownFigures(sources)).toEqual([]);
  });

  test.each([
    'const text = price.toFixed(2);',
    `const text = count.toLocaleString('en-US');`,
    'const text = at.toLocaleDateString();',
    'const text = at.toLocaleTimeString();',
    `const format = new Intl.NumberFormat('en-US');`,
    `const format = Intl.DateTimeFormat('en-US');`,
    'const day = at.toISOString().slice(0, 10);',
    `const text = \`It costs $\${price} a year\`;`,
    `const text = '$' + price;`,
    `const cell = <b>\${price}</b>;`,
    `const cell = <>It costs \${price} a year</>;`,
  ])('an own form is caught: %s', (text) => {
    expect(ownFigures([parseSource('web/screens/planted.tsx', text)])).toHaveLength(1);
  });

  test('the wire, patterns, coordinates and choices are no figures', () => {
    const text = `const a = at.toISOString(); const b = y.toFixed(1); const c = new RegExp(\`^\${x}$\`);
      const d = <Text>$</Text>; const e = new Intl.Collator('en');`;
    expect(ownFigures([parseSource('web/screens/planted.tsx', text)])).toEqual([]);
    expect(ownFigures([parseSource('sandbox/planted.ts', 'const text = price.toFixed(2);')])).toEqual([]);
  });
});

describe('the web app', () => {
  test('what has pitfalls is used through the one place that deals with them', () => {
    expect(bareUses(sources)).toEqual([]);
  });

  test.each([
    `import { useMutation } from '@tanstack/react-query';`,
    `import { useMutation as useWrite, useQuery } from '@tanstack/react-query';`,
    `import * as library from '@tanstack/react-query';`,
    `import { lazy } from 'react';`,
    `import { lazyRouteComponent } from '@tanstack/react-router';`,
    `localStorage.setItem('a', 'b');`,
    `window.sessionStorage.getItem('a');`,
  ])('a bare use is caught: %s', (text) => {
    expect(bareUses([parseSource('web/features/users/api.ts', text)])).toHaveLength(1);
  });

  test('an effect returns only what undoes it', () => {
    expect(handedOn(sources)).toEqual([]);
  });

  test.each([
    `useEffect(() => notice.current?.scrollIntoView({ block: 'nearest' }), []);`,
    `useEffect(() => box.scrollTo(0, 0), []);`,
    `useLayoutEffect(() => (open ? box.scrollTo(0, 0) : undefined), [open]);`,
    `useEffect(() => open && box.scrollTo(0, 0), [open]);`,
    `useEffect(() => onSaving?.(pending), [pending]);`,
  ])('an effect that returns what another function answers is caught: %s', (text) => {
    expect(handedOn([parseSource('web/features/users/box.tsx', text)])).toHaveLength(1);
  });

  test.each([
    `useEffect(() => { box.scrollTo(0, 0); }, []);`,
    `useEffect(() => void first(), []);`,
    `useEffect(() => holdDraft(form), [form]);`,
    `useLayoutEffect(() => (open && panel ? keepInWindow(panel) : undefined), [open]);`,
    `useEffect(() => forgetKey, []);`,
  ])('what returns nothing, or what undoes it, is none: %s', (text) => {
    expect(handedOn([parseSource('web/features/users/box.tsx', text)])).toEqual([]);
  });
});
