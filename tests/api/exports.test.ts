import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { contact } from '../support/account.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { requestFor } from './support/samples.ts';
import { insert, type Organisation, seedOrganisation } from './support/world.ts';

/** Every file for spreadsheets that the portal gives out, found by what the operations answer. */

let portal: Portal;
let a: Organisation;
const importId = newId();
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'xx');
  const at = new Date();
  await insert(portal, 'imports', {
    ...{ id: importId, organisation_id: a.id, upload_key: 'x', file_name: 'x.csv', columns: ['a', 'b'] },
    ...{ state: 'ready', new_rows: 0, changed_rows: 0, same_rows: 0, faulty_rows: 1, created_at: at },
    ...{ actor_id: a.userIds.MSP_OWNER, actor: 'x', actor_role: 'MSP_OWNER' },
  });
  await insert(portal, 'import_rows', {
    ...{ import_id: importId, organisation_id: a.id, number: 2, cells: [], kind: 'faulty' },
    ...{ organization: '', match_key: '', notes: '[]' },
  });
});
afterAll(() => portal[Symbol.asyncDispose]());

/** Writes the texts everywhere from where a file takes any, past every check that they would have met. */
async function plant(texts: readonly string[]): Promise<void> {
  let next = 0;
  const text = () => texts[next++ % texts.length] ?? '';
  const { owner: database } = portal;
  const held = () => JSON.stringify(Object.fromEntries(Object.keys(contact).map((key) => [key, text()])));
  await database.query(
    'UPDATE customers SET owner = $2, admin = $3, billing_contact = $4, billing_email = $5 WHERE organisation_id = $1',
    [a.id, held(), held(), held(), text()],
  );
  await database.query('UPDATE users SET username = $2 WHERE organisation_id = $1', [a.id, text()]);
  await database.query('UPDATE journal SET text = $2 WHERE organisation_id = $1', [a.id, text()]);
  await database.query('UPDATE order_items SET registrar_order_id = $2 WHERE organisation_id = $1', [
    a.id,
    text(),
  ]);
  await database.query('UPDATE topups SET payment_intent = $2 || id WHERE organisation_id = $1', [
    a.id,
    text(),
  ]);
  await database.query(
    `UPDATE journal SET order_item_id = (SELECT id FROM order_items i WHERE i.organisation_id = $1 LIMIT 1),
       topup_id = (SELECT id FROM topups t WHERE t.organisation_id = $1 LIMIT 1) WHERE organisation_id = $1`,
    [a.id],
  );
  await database.query(
    `UPDATE audit_log SET actor = $2, ip = $3, action = $4, object_kind = $5, object = $6, before = $7, after = $8
     WHERE organisation_id = $1`,
    [a.id, text(), text(), text(), text(), text(), JSON.stringify(text()), JSON.stringify({ a: text() })],
  );
  await database.query('UPDATE imports SET columns = $2 WHERE id = $1', [importId, [text(), text()]]);
  await database.query('UPDATE import_rows SET cells = $2, notes = $3 WHERE import_id = $1', [
    importId,
    [text(), text()],
    JSON.stringify([{ column: text(), value: text(), reason: text(), suggestion: null }]),
  ]);
}

/** All that an owner can have as comma-separated values: the request to each, by operation. */
async function exportsOf(): Promise<Map<string, InjectOptions>> {
  const found = new Map<string, InjectOptions>();
  const own = { domain: a.customers[0].domain, text: 'x' };
  for (const operation of operations.filter(({ replyKind }) => replyKind === 'file')) {
    for (const id of [importId, a.customers[0].id, a.userIds.MSP_CUSTOMER, a.userIds.MSP_OWNER]) {
      const request = requestFor(operation, { ...own, id }, a.tokens.MSP_OWNER);
      // All of it: a filter would leave things out.
      for (const query of ['', '?format=csv']) {
        const whole = { ...request, url: `${String(request.url).replace(/\?.*/, '')}${query}` };
        const { status, headers } = await portal.call(whole);
        if (status === 200 && headers.includes('text/csv')) found.set(operation.id, whole);
      }
    }
  }
  return found;
}

/** Rows as a spreadsheet sees them: a lone CR or LF ends one too, unless it stands in quotes. */
async function rowsOf(request: InjectOptions): Promise<string[][]> {
  const { body } = await portal.call(request);
  return parse(body, {
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  }) as string[][];
}

const mark = 'zqcell';
const beginsLikeAFormula = /^[=+\-@\t\r\0]/;
const begin = [
  'x\n=1',
  'x\r=1',
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  "'",
  "'=",
  '=HYPERLINK("//x","y")',
  '@SUM(1)',
  '+1 2125550100',
  '',
];
const texts = fc
  .tuple(fc.constantFrom(...begin), fc.string({ unit: 'binary', maxLength: 12 }))
  // The database holds no NUL; the kernel's own test has it.
  .map((parts) => `${parts.join('').replaceAll('\0', '')}${mark}`);

test('no cell of any export begins like a formula, whatever stands in the data', async () => {
  const found = await exportsOf();
  expect([...found.keys()]).toEqual(
    expect.arrayContaining([
      ...['audit.csv', 'customers.csvSample', 'customers.csvExport', 'customers.importRejects'],
      ...['statement.csv', 'privacy.exportCustomer', 'privacy.exportUser', 'privacy.exportOwn'],
    ]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 61, maxLength: 61 }), async (planted) => {
      await plant(planted);
      for (const [id, request] of found) {
        const rows = await rowsOf(request);
        const amounts = new Set((rows[0] ?? []).flatMap((name, at) => (/ USD$/.test(name) ? [at] : [])));
        for (const row of rows.slice(id === 'customers.importRejects' ? 0 : 1)) {
          for (const [at, cell] of row.entries()) {
            // An amount is a number and stays one: a quote would make a text of it that nobody can add up.
            if (amounts.has(at)) expect([id, cell]).toEqual([id, expect.stringMatching(/^-?\d+\.\d\d$/)]);
            else expect([id, cell]).toEqual([id, expect.not.stringMatching(beginsLikeAFormula)]);
          }
        }
        // The sample has nothing of anybody's; in the others what was planted came out.
        if (id !== 'customers.csvSample')
          expect([id, rows.flat().join()]).toEqual([id, expect.stringContaining(mark)]);
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
