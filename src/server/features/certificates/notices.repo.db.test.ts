import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { runsAt, takeJobs } from '../../../../tests/support/jobs.ts';
import { across, certificateRow, organisationRow, within } from '../../../../tests/support/rows.ts';
import { newId } from '../../kernel/ids.ts';
import { endingBefore, noteNews, takeNews, withWaitingNews } from './notices.repo.ts';
import { mostWaitMs, type NoticeKind, quietMs } from './notices.rules.ts';

/** Which news is noted, when its letter leaves, and what it holds: beside rows that differ in one thing alone. */

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  organisationId = await organisationRow(database);
  await takeJobs(database.url);
});

const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const tenant = <T>(run: Parameters<typeof within<T>>[2]) => within(database, organisationId, run);
const certificate = (change: Parameters<typeof certificateRow>[2] = {}) =>
  certificateRow(database, organisationId, change);
const note = (certificateId: string, kind: NoticeKind, serial: string, at = now) =>
  tenant((tx) => noteNews(tx, { organisationId, certificateId }, { kind, serial }, at));
const noted = (certificateId: string) =>
  tenant(async (tx) => {
    const rows = await tx
      .selectFrom('certificate_notices')
      .select(['kind', 'serial'])
      .where('certificate_id', '=', certificateId)
      .orderBy('kind')
      .orderBy('serial')
      .execute();
    return rows.map(({ kind, serial }) => `${kind} ${serial}`);
  });
const take = (at = now) => tenant((tx) => takeNews(tx, organisationId, at));
const letterAt = () => runsAt(database.url, `certificate-letters:${organisationId}`);

describe('what is news', () => {
  test('is noted once of a certificate, its serial and its kind', async () => {
    const [id, beside] = [await certificate(), await certificate()];
    for (let time = 0; time < 2; time += 1) {
      await note(id, 'expiry-7', '01');
      await note(id, 'expiry-1', '01');
      await note(id, 'expiry-7', '02');
      await note(beside, 'expiry-7', '01');
    }
    expect(await noted(id)).toEqual(['expiry-1 01', 'expiry-7 01', 'expiry-7 02']);
    expect(await noted(beside)).toEqual(['expiry-7 01']);
  });

  test.each(['term-60', 'term-30', 'term-14', 'term-7', 'term-1'] as const)(
    '%s is told once of each certificate of an organization, whichever serial runs',
    async (mark) => {
      const [id, beside] = [await certificate(), await certificate()];
      for (const serial of ['01', '02']) await note(id, mark, serial);
      for (const serial of ['03', '04']) await note(beside, mark, serial);
      expect([await noted(id), await noted(beside)]).toEqual([[`${mark} 01`], [`${mark} 03`]]);
    },
  );

  test('each date of a term is told, after those before it', async () => {
    const id = await certificate();
    for (const mark of ['term-60', 'term-30', 'term-14'] as const) await note(id, mark, '01');
    expect(await noted(id)).toEqual(['term-14 01', 'term-30 01', 'term-60 01']);
  });
});

describe('its letter', () => {
  test('waits for more of the same batch, counted from the first that is not sent yet', async () => {
    const [first, sent] = [await certificate({ serial: '01' }), await certificate({ serial: '01' })];
    await note(sent, 'issued', '01', inMs(-3 * mostWaitMs));
    await take(inMs(-2 * mostWaitMs));
    await takeJobs(database.url);
    await note(first, 'issued', '01');
    expect(await letterAt()).toEqual(inMs(quietMs));
    const late = inMs(mostWaitMs - 1);
    await note(await certificate(), 'issued', '01', late);
    expect(await letterAt()).toEqual(inMs(mostWaitMs));
  });

  test('is not put off by what was noted before', async () => {
    const id = await certificate();
    await note(id, 'issued', '01');
    await note(id, 'issued', '01', inMs(quietMs / 2));
    expect(await letterAt()).toEqual(inMs(quietMs));
    await takeJobs(database.url);
    await note(id, 'issued', '01', inMs(quietMs));
    expect(await letterAt()).toBeNull();
  });

  test('has what was not sent yet, and nobody takes it a second time', async () => {
    const id = await certificate({ serial: '01' });
    await note(id, 'issued', '01');
    expect(await take()).toMatchObject([{ kind: 'issued', serial: '01' }]);
    expect(await take()).toEqual([]);
    await note(id, 'expiry-7', '01');
    expect(await take()).toMatchObject([{ kind: 'expiry-7' }]);
  });

  test('has of a serial that was replaced only what outlasts it: a refusal, and dates of the term', async () => {
    const id = await certificate({ serial: '02' });
    const kinds = ['issued', 'reissued', 'announce', 'expiry-7', 'declined', 'term-7'] as const;
    for (const kind of kinds) await note(id, kind, '01');
    expect((await take()).map(({ kind }) => kind).sort()).toEqual(['declined', 'term-7']);
    for (const kind of kinds) await note(id, kind, '02');
    const current = (await take()).map(({ kind }) => kind).sort();
    expect(current).toEqual(['announce', 'declined', 'expiry-7', 'issued', 'reissued']);
  });

  test('names each certificate, and nothing of another organization', async () => {
    const facts = { valid_to: inMs(1), term_ends_at: inMs(2), remark: 'Why', host_names: ['a.com'] };
    const id = await certificate({ serial: '01', address: 'a.com', registrar_order_id: newId(), ...facts });
    await note(id, 'issued', '01');
    const mine = organisationId;
    organisationId = await organisationRow(database);
    await note(await certificate({ serial: '01', address: 'theirs.com' }), 'issued', '01');
    organisationId = mine;
    expect(await take()).toMatchObject([
      {
        ...{ address: 'a.com', hostNames: ['a.com'], validTo: inMs(1), termEndsAt: inMs(2), remark: 'Why' },
        ...{ customer: '', reissuing: false },
      },
    ]);
  });
});

test('organizations whose job was lost are found once each while news of theirs waits', async () => {
  const waiting = async () =>
    (await across(database, withWaitingNews)).filter((id) => id === organisationId).length;
  expect(await waiting()).toBe(0);
  for (let count = 0; count < 2; count += 1) await note(await certificate(), 'issued', '01');
  expect(await waiting()).toBe(1);
  await take();
  expect(await waiting()).toBe(0);
});

test.each([
  ['its validity ends before', { valid_to: inMs(-1), term_ends_at: inMs(9) }, true],
  ['its term ends before', { valid_to: inMs(9), term_ends_at: inMs(-1) }, true],
  ['both end at that moment', { valid_to: now, term_ends_at: now }, false],
  ['it does not run any more', { valid_to: inMs(-1), term_ends_at: inMs(-1), state: 'expired' }, false],
  ['it was never issued', {}, false],
] as const)('a certificate is looked at before a moment when %s: %o %s', async (_when, change, expected) => {
  const id = await certificate(change);
  const found = await across(database, (tx) => endingBefore(tx, now));
  expect(found.some(({ certificateId }) => certificateId === id)).toBe(expected);
  if (expected) expect(found).toContainEqual({ organisationId, certificateId: id });
});
