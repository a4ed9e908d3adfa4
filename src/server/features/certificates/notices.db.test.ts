import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Db, inTransaction, systemTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import type { Scope } from '#kernel/scope.ts';
import { createSeal } from '#kernel/seal.ts';
import { makeCertificate } from '../../../../tests/support/certificates.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { clockThatFails } from '../../../../tests/support/failing-clock.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { createTasks, type TaskDeps } from '../../jobs/tasks.ts';
import type { CertificateOrder, IssuedCertificate } from '../../ports/registrar.ts';
import { recordCertificateOrder, updateCertificate } from './certificates.repo.ts';
import { noteNews } from './notices.repo.ts';
import { createNotices } from './notices.ts';
import { createRefresh } from './refresh.ts';
import { insertReissue } from './reissues.repo.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let declined: Set<string>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  people = createPeople(database);
  scope = (await people.organisation()).scope;
  declined = new Set();
  await takeJobs(database.url);
});

const clock = () => people.clock;
/** The authority issues, or declines, what is asked about. The order's number is the host's name. */
function refresh() {
  const leaf = (name: string) => makeCertificate(name, { notAfter: new Date('2027-06-01T00:00:00Z') });
  return createRefresh({
    db: database.db,
    clock: clock(),
    resolver: { txt: async () => [], cname: async () => [] } as never,
    setProof: async () => 'set',
    registrar: {
      seekCertificateOrder: async () => ({ kind: 'absent' }),
      certificateOrder: async (orderId) =>
        ({
          ...{ orderId, domain: orderId, state: declined.has(orderId) ? 'declined' : 'completed' },
          ...{ notes: [], validation: null, approverEmail: null, costCents: null },
        }) as unknown as CertificateOrder,
      certificate: async (orderId) => {
        const { certificatePem } = leaf(orderId);
        return {
          ...{ certificatePem, chainPem: [], serial: `serial-of-${orderId}`, state: 'active' },
          ...{ notBefore: new Date('2026-11-20T00:00:00Z'), notAfter: new Date('2027-06-01T00:00:00Z') },
        } as unknown as IssuedCertificate;
      },
    },
  }).refresh;
}

async function ordered(names: readonly string[]) {
  const placed = [];
  for (const name of names) {
    await inTransaction(database.db, scope, (tx) =>
      recordCertificateOrder(tx, {
        ...{ organisationId: scope.organisationId, customerId: null, address: name, provider: 'comodo' },
        ...{ productType: 'comodo_ssl', csr: 'CSR', validation: 'DNS', approverEmail: null, years: 1 },
        ...{ contacts: contactsOf(), registrarOrderId: name, state: 'in-progress', now: clock().now() },
        orderItemId: null as never,
        ...{ renewsOrderId: null, acmeAccessId: null },
      }),
    );
    const { id } = await inTransaction(database.db, scope, (tx) =>
      tx.selectFrom('certificates').select('id').where('address', '=', name).executeTakeFirstOrThrow(),
    );
    placed.push({ organisationId: scope.organisationId, certificateId: id });
  }
  return placed;
}

async function issue(names: readonly string[]) {
  for (const place of await ordered(names)) await refresh()(place);
}

/** Runs what waits, and what that brings, until nothing is left; returns the mails. */
async function sent() {
  const notices = createNotices({
    db: database.db,
    systemDb: database.systemDb,
    clock: clock(),
    publicUrl: 'https://portal.test',
  });
  const tasks = createTasks({
    ...{ systemDb: database.systemDb, clock: clock(), logger: pino({ level: 'silent' }) },
    ...{ managersOf: people.users.managersOf, brandOf: people.brandOf, mail: { send: people.send } },
    ...{ operatorEmail: null, seal: createSeal([{ number: 1, secret: 'test' }]), more: notices.tasks },
  } as unknown as TaskDeps);
  const from = people.letters.length;
  for (let jobs = await takeJobs(database.url); jobs.length > 0; jobs = await takeJobs(database.url)) {
    for (const { task, payload } of jobs) {
      if (task !== 'certificates.sync') await tasks[task]?.(payload);
    }
  }
  return people.letters.slice(from);
}

const names = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `shop${from + at}.${scope.organisationId.slice(-6)}.com`);

test('twenty certificates of one batch are one mail to each who manages the organization, in its name', async () => {
  const { organization } = await people.users.getProfile(scope);
  const second = await secondManager(database.systemDb);
  const batch = names(0, 20);
  await issue(batch);
  const letters = await sent();
  const recipients = letters.map(({ to }) => to.toLowerCase());
  expect(recipients.sort()).toEqual([scope.email, second].sort());
  for (const letter of letters) {
    expect(letter).toMatchObject({ subject: '20 certificates issued', brand: { name: organization } });
    expect(letter.text).toContain(organization);
    for (const name of batch) expect(letter.text.split(`serial-of-${name}\n`)).toHaveLength(2);
    expect(letter.letter.button?.address).toBe('https://portal.test/certificates');
  }
});

test('two batches are two mails, each with its own certificates; nothing is told twice', async () => {
  const [first, second] = [names(0, 20), names(20, 5)];
  await issue(first);
  const [one, ...noOther] = await sent();
  expect(noOther).toEqual([]);
  await issue(second);
  const [two, ...none] = await sent();
  expect(none).toEqual([]);
  expect([one?.subject, two?.subject]).toEqual(['20 certificates issued', '5 certificates issued']);
  for (const name of second) expect(one?.text).not.toContain(name);
  for (const name of first) expect(two?.text).not.toContain(name);
  expect(one?.messageId).not.toBe(two?.messageId);
  expect(await sent()).toEqual([]);
});

test('one certificate keeps its own subject and leads to itself; different news share a mail, what was declined first', async () => {
  const [alone = ''] = names(0, 1);
  await issue([alone]);
  const [letter] = await sent();
  expect(letter?.subject).toBe(`Certificate for ${alone} issued`);
  expect(letter?.letter.button?.address).toBe(`https://portal.test/SSL/${alone}`);
  const batch = names(1, 3);
  declined.add(batch[1] ?? '');
  await issue(batch);
  const [mixed] = await sent();
  expect(mixed?.subject).toBe('Certificates: 1 declined, 2 issued');
});

test('a date of the term is told once, also when a reissue takes the place of the serial before or after it', async () => {
  const [name = ''] = names(0, 1);
  await issue([name]);
  await sent();
  const place = await inTransaction(database.db, scope, (tx) =>
    tx.selectFrom('certificates').select('id').where('address', '=', name).executeTakeFirstOrThrow(),
  );
  const note = (kind: 'term-14' | 'term-7' | 'expiry-7', serial: string) =>
    inTransaction(database.db, scope, (tx) =>
      noteNews(
        tx,
        { organisationId: scope.organisationId, certificateId: place.id },
        { kind, serial },
        clock().now(),
      ),
    );
  // Noted with the serial of then, sent when another one runs: what is about the serial is old, the term is not.
  await note('term-14', 'replaced since');
  await note('expiry-7', 'replaced since');
  const [told, ...others] = await sent();
  expect(others).toEqual([]);
  expect(told?.text).toContain(name);
  expect(told?.subject).not.toContain('Certificates:');
  await note('term-14', `serial-of-${name}`);
  expect(await sent()).toEqual([]);
  await note('term-7', `serial-of-${name}`);
  expect(await sent()).toHaveLength(1);
});

test('a reminder says what to do: with a reissue that is not finished, no other can be ordered', async () => {
  const [open = '', none = ''] = names(0, 2);
  await issue([open, none]);
  await sent();
  for (const address of [open, none]) {
    await inTransaction(database.db, scope, async (tx) => {
      const { id: certificateId } = await tx
        .selectFrom('certificates')
        .select('id')
        .where('address', '=', address)
        .executeTakeFirstOrThrow();
      const place = { organisationId: scope.organisationId, certificateId };
      if (address === open) {
        await insertReissue(tx, clock(), place, { id: newId(), csr: 'csr', automatic: true });
      }
      await noteNews(tx, place, { kind: 'expiry-7', serial: `serial-of-${address}` }, clock().now());
    });
  }
  const [letter] = await sent();
  expect(letter?.subject).toBe('Certificates: 1 expire soon, 1 with an unfinished reissue');
  const [, unfinished = ''] = letter?.text.split('the certificate authority has not completed it') ?? [];
  expect(unfinished).toContain(`serial-of-${open}`);
  expect(unfinished).not.toContain(`serial-of-${none}`);
});

/** Once a day. */
const remind = () =>
  createNotices({
    ...{ db: database.db, systemDb: database.systemDb, clock: clock(), publicUrl: 'https://portal.test' },
  }).tasks['certificates.remind']();

const sets = (address: string, change: Parameters<typeof updateCertificate>[2]) =>
  inTransaction(database.db, scope, async (tx) => {
    const { id } = await tx
      .selectFrom('certificates')
      .select('id')
      .where('address', '=', address)
      .executeTakeFirstOrThrow();
    const place = { organisationId: scope.organisationId, certificateId: id };
    await updateCertificate(tx, place, change);
    return place;
  });
const inDays = (days: number) => new Date(clock().now().getTime() + days * 86_400_000);

test('what ends soon is told once of each of its dates, to its own organization, and what does not is not', async () => {
  const [soon = '', term = '', far = ''] = names(0, 3);
  await issue([soon, term, far]);
  await sent();
  await sets(soon, { valid_to: inDays(20), term_ends_at: inDays(300), auto_reissue: false });
  await sets(term, { valid_to: inDays(60), term_ends_at: inDays(60) });
  await sets(far, { valid_to: inDays(61.5), term_ends_at: inDays(300) });
  const mine = scope;
  scope = (await people.organisation()).scope;
  const [theirs = ''] = names(0, 1);
  await issue([theirs]);
  await sent();
  await sets(theirs, { valid_to: inDays(3), term_ends_at: inDays(300), auto_reissue: false });
  for (let days = 0; days < 2; days += 1) await remind();
  const letters = await sent();
  expect(letters.map(({ to, subject }) => [to, subject]).sort()).toEqual(
    [
      [mine.email, 'Certificates: 1 expire soon, 1 to be renewed'],
      [scope.email, `Certificate for ${theirs} expires on Nov 24, 2026`],
    ].sort(),
  );
  const own = letters.find(({ to }) => to === mine.email)?.text;
  expect([own?.includes(soon), own?.includes(term), own?.includes(far)]).toEqual([true, true, false]);
  // The next date of the same certificate.
  people.clock.forward(2.5 * 86_400_000);
  await remind();
  expect((await sent()).map(({ to }) => to)).toEqual([scope.email]);
});

test('news whose job was lost leave with the next reminders', async () => {
  const [name = ''] = names(0, 1);
  await issue([name]);
  await takeJobs(database.url);
  expect(await sent()).toEqual([]);
  await remind();
  expect((await sent()).map(({ subject }) => subject)).toEqual([`Certificate for ${name} issued`]);
  await remind();
  expect(await sent()).toEqual([]);
});

test('a notice that an earlier version has planned is told, in the letter of its organization', async () => {
  const [name = ''] = names(0, 1);
  await issue([name]);
  await sent();
  const place = await sets(name, { remark: null });
  const { tasks } = createNotices({
    ...{ db: database.db, systemDb: database.systemDb, clock: clock(), publicUrl: 'https://portal.test' },
  });
  await tasks['certificates.notice']({ ...place, kind: 'expiry-7', serial: `serial-of-${name}` });
  expect((await sent()).map(({ subject }) => subject)).toEqual([
    `Certificate for ${name} expires on Jun 1, 2027`,
  ]);
});

/** The same person under another spelling of the address, and another manager beside them. */
async function secondManager(systemDb: Db): Promise<string> {
  const email = 'second@msp.test';
  await systemTransaction(systemDb, async (tx) => {
    const [owner] = await tx
      .selectFrom('users')
      .selectAll()
      .where('organisation_id', '=', scope.organisationId)
      .execute();
    if (!owner) throw new Error('no user');
    for (const address of [email, 'Second@MSP.test']) {
      const other = { id: newId(), identity_subject: newId(), email: address, role: 'MSP_ADMIN' as const };
      await tx
        .insertInto('users')
        .values({ ...owner, ...other })
        .execute();
    }
  });
  return email;
}

test('a certificate or a letter that fails keeps no other one from being told of', async () => {
  await issue(names(1, 2));
  const others = (await people.organisation()).scope;
  const own = scope;
  scope = others;
  await issue(names(1, 1));
  scope = own;
  await takeJobs(database.url);
  // Of what it does for each, the first time.
  const failing = clockThatFails(2, () => new Date('2027-05-20T00:00:00Z'));
  const { tasks } = createNotices({
    ...{ db: database.db, systemDb: database.systemDb, clock: failing, publicUrl: 'https://portal.test' },
  });
  await expect(tasks['certificates.remind']()).rejects.toThrow('a date that is none');
  const told = (await takeJobs(database.url)).filter(({ task }) => task === 'billing.notify');
  expect(told.map(({ payload }) => payload.organisationId)).toEqual(
    expect.arrayContaining([own.organisationId, others.organisationId]),
  );
});
