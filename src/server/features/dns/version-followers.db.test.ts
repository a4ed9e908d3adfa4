import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { across, domainRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { sql } from '../../kernel/db/database.ts';
import { newId } from '../../kernel/ids.ts';
import type { VersionState } from './versions.repo.ts';

/** What a version of a zone sets going (migration 0243): attention is marked, health and templates are looked at again. */

let database: TestDatabase;
let organisationId: string;
let domainId: string;
/** Another zone with the same template. */
let other: string;
beforeAll(async () => {
  database = await createTestDatabase();
  organisationId = await organisationRow(database);
});
afterAll(() => database.close());

const far = new Date('2099-01-01T00:00:00Z');

beforeEach(async () => {
  domainId = (await domainRow(database, organisationId)).id;
  other = (await domainRow(database, organisationId)).id;
  const template = newId();
  await across(database, async (tx) => {
    await sql`DELETE FROM attention_marks`.execute(tx);
    await sql`INSERT INTO dns_templates (id, organisation_id, name, records) VALUES (${template}, ${organisationId}, ${template}, '[]')`.execute(
      tx,
    );
    for (const id of [domainId, other]) {
      await sql`INSERT INTO health_checks (domain_id, organisation_id, next_at) VALUES (${id}, ${organisationId}, ${far})`.execute(
        tx,
      );
      await sql`INSERT INTO dns_template_uses
        (organisation_id, template_id, domain_id, version, filled, owned, state, applied_at, next_at)
        VALUES (${organisationId}, ${template}, ${id}, 1, '{}', '[]', 'held', now(), ${far})`.execute(tx);
    }
  });
});

async function version(state: VersionState): Promise<string> {
  const id = newId();
  await within(database, organisationId, (tx) =>
    sql`INSERT INTO zone_versions (id, organisation_id, domain_id, records, record_count, hash, state, author, created_at)
      VALUES (${id}, ${organisationId}, ${domainId}, '{}', 0, 'x', ${state}, 'Ada', now())`.execute(tx),
  );
  return id;
}

const become = (id: string, state: VersionState) =>
  within(database, organisationId, (tx) =>
    sql`UPDATE zone_versions SET state = ${state} WHERE id = ${id}`.execute(tx),
  );

/** What was set going since the test began. */
async function followed() {
  const { rows } = await across(database, (tx) =>
    sql<{ marks: string[]; healthInMinutes: number; templateDue: boolean; others: boolean }>`SELECT
      ARRAY(SELECT cause FROM attention_marks WHERE organisation_id = ${organisationId} AND cause = 'zone-write') AS marks,
      (SELECT round(extract(epoch FROM next_at - now()) / 60) FROM health_checks WHERE domain_id = ${domainId})::float8 AS "healthInMinutes",
      (SELECT next_at = 'epoch' FROM dns_template_uses WHERE domain_id = ${domainId}) AS "templateDue",
      EXISTS (SELECT FROM health_checks h JOIN dns_template_uses u USING (domain_id)
        WHERE domain_id = ${other} AND (h.next_at <> ${far} OR u.next_at <> ${far})) AS others`.execute(tx),
  );
  const [row] = rows;
  return {
    marked: (row?.marks.length ?? 0) > 0,
    health: (row?.healthInMinutes ?? 0) <= 1,
    templates: row?.templateDue ?? false,
    others: row?.others,
  };
}
const nothing = { marked: false, health: false, templates: false, others: false };

describe('a version that comes', () => {
  test.each([
    ['writing', nothing],
    ['staged', nothing],
    ['found', { ...nothing, templates: true }],
    ['applied', { ...nothing, templates: true }],
  ] as const)('as %s', async (state, expected) => {
    await version(state);
    expect(await followed()).toEqual(expected);
  });
});

describe('a version that is concluded', () => {
  test.each([
    ['writing', 'applied', { ...nothing, health: true, templates: true }],
    ['writing', 'refused', nothing],
    ['writing', 'unknown', { ...nothing, marked: true }],
    ['unknown', 'refused', { ...nothing, marked: true }],
    ['unknown', 'applied', { ...nothing, marked: true, health: true, templates: true }],
    ['staged', 'applied', { ...nothing, health: true, templates: true }],
  ] as const)('from %s to %s', async (from, to, expected) => {
    const id = await version(from);
    await become(id, to);
    expect(await followed()).toEqual(expected);
  });

  test('after one of unknown outcome: its entry may come or go', async () => {
    await version('unknown');
    await become(await version('writing'), 'applied');
    expect((await followed()).marked).toBe(true);
  });

  test('beside another zone of unknown outcome', async () => {
    const here = domainId;
    domainId = (await domainRow(database, organisationId)).id;
    await version('unknown');
    domainId = here;
    await become(await version('writing'), 'refused');
    expect((await followed()).marked).toBe(false);
  });

  test('as what it is already', async () => {
    const id = await version('applied');
    await across(database, (tx) =>
      sql`UPDATE dns_template_uses SET next_at = ${far} WHERE domain_id = ${domainId}`.execute(tx),
    );
    await become(id, 'applied');
    expect(await followed()).toEqual(nothing);
  });
});

test('a zone that is looked at within the minute anyway keeps its turn', async () => {
  const soon = await across(database, (tx) =>
    sql<{
      next: string;
    }>`UPDATE health_checks SET next_at = now() + interval '5 seconds' WHERE domain_id = ${domainId}
      RETURNING next_at::text AS next`.execute(tx),
  );
  await become(await version('writing'), 'applied');
  const { rows } = await across(database, (tx) =>
    sql<{
      next: string;
    }>`SELECT next_at::text AS next FROM health_checks WHERE domain_id = ${domainId}`.execute(tx),
  );
  expect(rows).toEqual(soon.rows);
});
