import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { inTransaction, sql, systemTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createLeases } from '#kernel/leases.ts';
import type { Letter } from '#kernel/letters.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { wordsOf } from '../../../../tests/support/letters.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow } from '../../../../tests/support/rows.ts';
import { codeOf, ownDomain } from '../../../../tests/support/zone-registrar.ts';
import type { Outcome } from '../../ports/outcome.ts';
import type { RegistrantVerification } from '../../ports/registrar.ts';
import { registrantAttention } from './attention.repo.ts';
import { listDomains } from './domains.repo.ts';
import { recordVerification } from './verification.repo.ts';
import { createVerification } from './verification.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let outcome: Outcome<void>;
let sent: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope } = await people.organisation());
  [outcome, sent] = [{ kind: 'done', value: undefined }, []];
});

const verification = () =>
  createVerification({
    ...{ db: database.db, systemDb: database.systemDb, clock: people.clock },
    publicUrl: 'https://portal.test',
    leases: createLeases({ db: database.db, newId, writeMs: 60_000 }),
    registrar: {
      resendVerification: async (domain) => {
        sent.push(domain);
        return outcome;
      },
    },
  });
const inDays = (days: number) => new Date(people.clock.now().getTime() + days * 86_400_000);

/** What the registrar says now. */
async function says(address: string, change: Partial<RegistrantVerification>): Promise<void> {
  const read = { state: 'waiting', deadline: inDays(15), daysToSuspend: null, emailBounced: false } as const;
  await systemTransaction(database.systemDb, (tx) =>
    recordVerification(
      tx,
      { organisationId: scope.organisationId, address },
      { ...read, ...change },
      people.clock.now(),
    ),
  );
}

async function letters() {
  await verification().tasks['domains.verification-letters']();
  return (await takeJobs(database.url))
    .filter(({ task }) => task === 'billing.notify')
    .map(({ payload }) => payload as { organisationId: string; letter: Letter })
    .map(({ letter, organisationId }) => ({
      organisationId,
      subject: letter.subject,
      text: wordsOf(letter),
    }));
}

async function fresh(address: string): Promise<void> {
  await ownDomain(database, scope, address);
  await takeJobs(database.url);
}

test('the MSP is told when verification begins, five days before its end, and when the domain is suspended: once each', async () => {
  await fresh('told.com');
  await says('told.com', {});
  expect(await letters()).toMatchObject([
    {
      organisationId: scope.organisationId,
      subject: 'The registrant of told.com has to confirm their email address',
    },
  ]);
  expect(await letters()).toEqual([]);
  await says('told.com', { deadline: inDays(5), emailBounced: true });
  const [soon] = await letters();
  expect(soon?.subject).toBe('told.com will be suspended soon');
  expect(soon?.text).toContain('(5 days left)');
  expect(soon?.text).toContain('THE EMAIL COULD NOT BE DELIVERED');
  expect(soon?.text).toContain('https://portal.test/domain/told.com');
  expect(await letters()).toEqual([]);
  await says('told.com', { state: 'suspended', deadline: inDays(-1) });
  expect(await letters()).toMatchObject([{ subject: 'told.com is suspended' }]);
  expect(await letters()).toEqual([]);
  await says('told.com', { state: 'verified' });
  expect(await letters()).toEqual([]);
});

test('nothing is told, nor needs attention, of a domain that has left the account; once it is found again, it does', async () => {
  await fresh('left.com');
  await says('left.com', { deadline: inDays(4) });
  const told = { organisationIds: [scope.organisationId], now: people.clock.now() };
  const waiting = async () =>
    (await systemTransaction(database.systemDb, (tx) => registrantAttention.present(tx, told))).map(
      ({ address }) => address,
    );
  const miss = (since: Date | null) =>
    systemTransaction(database.systemDb, (tx) =>
      tx.updateTable('domains').set({ missing_since: since }).where('address', '=', 'left.com').execute(),
    );
  await miss(people.clock.now());
  expect(await letters()).toEqual([]);
  expect(await waiting()).toEqual([]);
  await miss(null);
  expect(await waiting()).toEqual(['left.com']);
  expect(await letters()).toMatchObject([{ subject: 'left.com will be suspended soon' }]);
});

test('news of one kind is one letter with all its domains, not one for each', async () => {
  for (const name of ['one.com', 'two.com', 'three.com']) {
    await fresh(name);
    await says(name, { deadline: inDays(name === 'two.com' ? 12 : 15) });
  }
  const told = await letters();
  expect(told).toHaveLength(1);
  expect(told[0]?.subject).toBe('Registrants of 3 domains have to confirm their email address');
  // The nearest day first, then by name.
  const places = ['two.com', 'one.com', 'three.com'].map((name) => told[0]?.text.indexOf(name));
  expect(places).toEqual(places.toSorted((one = 0, other = 0) => one - other));
  for (const name of ['one.com', 'two.com', 'three.com']) expect(told[0]?.text).toContain(name);
});

test('news of one kind goes to each organization about its own domains, and about nobody else’s', async () => {
  await fresh('first-firm.com');
  await says('first-firm.com', {});
  const mine = scope.organisationId;
  ({ scope } = await people.organisation());
  await fresh('second-firm.com');
  await says('second-firm.com', {});
  const told = await letters();
  const asOf = (organisationId: string) => told.filter((letter) => letter.organisationId === organisationId);
  for (const [organisationId, own, foreign] of [
    [mine, 'first-firm.com', 'second-firm.com'],
    [scope.organisationId, 'second-firm.com', 'first-firm.com'],
  ] as const) {
    expect(asOf(organisationId)).toHaveLength(1);
    expect(asOf(organisationId)[0]?.text).toContain(own);
    expect(asOf(organisationId)[0]?.text).not.toContain(foreign);
  }
});

test('an older reading never covers a newer one', async () => {
  await fresh('order.com');
  await says('order.com', { state: 'verified' });
  people.clock.forward(-1_000);
  await says('order.com', { state: 'suspended' });
  people.clock.forward(1_000);
  expect((await found({}))[0]?.verification).toBe('verified');
});

const found = async (query: { registrant?: 'unverified' | 'suspended' }) =>
  (await inTransaction(database.db, scope, (tx) => listDomains(tx, scope, { pageSize: 50, ...query }))).rows;

test('the list is narrowed to domains whose registrant is not verified, or that are suspended', async () => {
  for (const name of ['a-verified.com', 'b-waiting.com', 'c-suspended.com', 'd-unknown.com'])
    await fresh(name);
  await says('a-verified.com', { state: 'verified' });
  await says('b-waiting.com', {});
  await says('c-suspended.com', { state: 'suspended' });
  const names = async (registrant?: 'unverified' | 'suspended') =>
    (await found(registrant ? { registrant } : {})).map(({ address }) => address);
  expect(await names()).toHaveLength(4);
  expect(await names('unverified')).toEqual(['b-waiting.com', 'c-suspended.com']);
  expect(await names('suspended')).toEqual(['c-suspended.com']);
  expect((await found({ registrant: 'unverified' }))[0]).toMatchObject({
    verification: 'waiting',
    verificationDeadline: inDays(15).toISOString(),
  });
});

test('the email is sent again, once in ten minutes, and at once when the registrar did not send it', async () => {
  await fresh('again.com');
  const resend = () => codeOf(verification().resend(scope, 'again.com'));
  outcome = { kind: 'refused', reason: 'other', code: '465', text: 'Not now.' };
  expect(await resend()).toBe('registrar_refused');
  outcome = { kind: 'done', value: undefined };
  expect(await resend()).toBe('ok');
  expect(await resend()).toBe('unprocessable');
  expect(sent).toHaveLength(2);
  people.clock.forward(10 * 60_000 - 1);
  expect(await resend()).toBe('unprocessable');
  people.clock.forward(1);
  expect(await resend()).toBe('ok');
  outcome = { kind: 'busy', code: '436', text: 'busy' };
  people.clock.forward(10 * 60_000);
  expect(await resend()).toBe('upstream_unavailable');
  // Nothing was sent, so that nobody has to wait.
  outcome = { kind: 'unknown', text: 'no answer' };
  expect(await resend()).toBe('outcome_unknown');
  expect((await logged(database.db, scope, 'domains.resendVerification')).at(-1)).toMatchObject({
    ...{ by: scope.userId, object: 'again.com', after: { outcome: 'unknown' } },
  });
  // It may have been sent: nobody gets a row of letters.
  expect(await resend()).toBe('unprocessable');
});

test('an email that was sent again is in the log about the domain’s customer, and the domain is read; one that was refused is neither', async () => {
  const customerId = await customerRow(database, scope.organisationId);
  await ownDomain(database, scope, 'heard.com', customerId);
  await takeJobs(database.url);
  outcome = { kind: 'refused', reason: 'other', code: '465', text: 'Not now.' };
  expect(await codeOf(verification().resend(scope, 'heard.com'))).toBe('registrar_refused');
  expect([
    await logged(database.db, scope, 'domains.resendVerification'),
    await takeJobs(database.url),
  ]).toEqual([[], []]);
  outcome = { kind: 'pending', orderId: null, text: 'Within the hour.' };
  expect(await verification().resend(scope, 'heard.com')).toEqual({
    ...{ domain: 'heard.com', notice: 'Within the hour.' },
  });
  expect(await logged(database.db, scope, 'domains.resendVerification')).toMatchObject([
    { by: scope.userId, kind: 'domain', object: 'heard.com' },
  ]);
  expect(await loggedAbout(database.db, scope, 'domains.resendVerification')).toEqual([customerId]);
  expect(await takeJobs(database.url)).toEqual([
    { task: 'domains.sync', payload: { organisationId: scope.organisationId, address: 'heard.com' } },
  ]);
});

test('an email that bounced is told while it matters: not once the address is confirmed', async () => {
  await fresh('bounced.com');
  const bounced = () =>
    systemTransaction(database.systemDb, (tx) =>
      tx
        .selectFrom('domains')
        .select('verification_bounced')
        .where('address', '=', 'bounced.com')
        .executeTakeFirst(),
    );
  await says('bounced.com', { emailBounced: true });
  expect(await bounced()).toEqual({ verification_bounced: true });
  await says('bounced.com', { state: 'suspended', emailBounced: true });
  expect(await bounced()).toEqual({ verification_bounced: true });
  await says('bounced.com', { state: 'verified', emailBounced: true });
  expect(await bounced()).toEqual({ verification_bounced: false });
});

test('another organization, and a customer’s own user who may not change settings, cannot send it', async () => {
  await fresh('mine.com');
  const { scope: other } = await people.organisation();
  expect(await codeOf(verification().resend(other, 'mine.com'))).toBe('not_found');
  const billing = { billDirectly: false, email: '', allowChangeBilling: false };
  const customer = await people.customers.create(scope, { contacts: contactsOf(), billing }, null);
  const { scope: guest } = await people.join(scope, {
    type: 'MSP_CUSTOMER',
    authorizedClientId: customer.customerId,
  });
  await ownDomain(database, scope, 'guests.com', customer.customerId);
  expect(await codeOf(verification().resend(guest, 'guests.com'))).toBe('forbidden');
  expect(sent).toEqual([]);
});

test('open verifications are asked about every six hours, verified ones by the night’s round alone', async () => {
  for (const name of ['open.com', 'closed.com', 'never.com']) await fresh(name);
  await says('open.com', {});
  await says('closed.com', { state: 'verified' });
  const due = async () => {
    await verification().tasks['domains.verification-due']();
    const mine = (await takeJobs(database.url)).filter(
      ({ payload }) => payload.organisationId === scope.organisationId,
    );
    return mine.map(({ payload }) => payload.address);
  };
  expect(await due()).toEqual(['never.com']);
  people.clock.forward(6 * 3_600_000 + 1);
  expect((await due()).toSorted()).toEqual(['never.com', 'open.com']);
});

test('a domain whose news cannot be told keeps no other organization from being told of theirs', async () => {
  await fresh('endless.com');
  await says('endless.com', {});
  await sql`UPDATE domains SET verification_deadline = 'infinity' WHERE address = 'endless.com'`.execute(
    database.systemDb,
  );
  onTestFinished(async () => {
    await sql`UPDATE domains SET status = 'ended' WHERE address = 'endless.com'`.execute(database.systemDb);
  });
  const { organisationId } = scope;
  ({ scope } = await people.organisation());
  await fresh('ending.com');
  await says('ending.com', {});
  await expect(verification().tasks['domains.verification-letters']()).rejects.toThrow(TypeError);
  const told = (await takeJobs(database.url)).filter(({ task }) => task === 'billing.notify');
  const whom = told.map(({ payload }) => payload.organisationId);
  expect(whom).toContain(scope.organisationId);
  expect(whom).not.toContain(organisationId);
});
