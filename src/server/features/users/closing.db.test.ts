import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClosingReason } from '#contracts/values/closing.ts';
import { dayMs, hourMs } from '#contracts/values/time.ts';
import { audit } from '#kernel/audit.ts';
import { inTransaction, sql, systemTransaction, type Tx } from '#kernel/db/database.ts';
import { isClosedOrganisation, requireOpen } from '#kernel/db/open-organisation.ts';
import { newId } from '#kernel/ids.ts';
import { jobTable } from '#kernel/job-table.ts';
import { enqueueJob } from '#kernel/jobs.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { takeJobs } from '../../../../tests/support/jobs.ts';
import { contactsOf, createPeople, type People } from '../../../../tests/support/people.ts';
import {
  certificateRow,
  customerRow,
  domainRow,
  itemRow,
  orderRow,
  topupRow,
  userRow,
} from '../../../../tests/support/rows.ts';
import { adjust } from '../../ledger/ledger.ts';
import type { VerifiedIdentity } from '../../ports/identity.ts';
import { createWatching } from '../health/watched.service.ts';
import { createRefund } from '../orders/refund.ts';
import { countForClosing, markClosed } from './closing.repo.ts';
import { erasePeople } from './privacy.repo.ts';

let database: TestDatabase;
let people: People;
let admin: Scope;
let identity: VerifiedIdentity;
let now: Date;
beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ scope: admin, identity } = await people.organisation('Mistaken Ltd'));
  now = people.clock.now();
});

const origin = { ip: '192.0.2.1' };
const tenant = <T>(run: (tx: Tx) => Promise<T>) => inTransaction(database.db, admin, run);
const inMs = (ms: number) => new Date(now.getTime() + ms);
const close = (scope = admin) => people.users.close(scope);
const refusedFor = (reason: ClosingReason, count = 1) => ({
  code: 'organization_in_use',
  data: { reasons: [{ reason, count }] },
});
const tokenOf = ({ link }: { link: string }) => link.split('/').at(-1) ?? '';
const invite = (by: Scope, email: string) => people.users.invites.invite(by, { email, type: 'MSP_EMPLOYEE' });
const closedAt = async () =>
  (await tenant((tx) => tx.selectFrom('organisations').select('closed_at').executeTakeFirst()))?.closed_at;
/** The customer was deleted: what it had may go on. */
const former = () => customerRow(database, admin.organisationId, { deleted_at: now });

describe('an organization that nothing depends on', () => {
  test('is closed by the person who founded it, who then has no profile and can accept an invitation', async () => {
    const host = (await people.organisation('Inviting MSP')).scope;
    const token = tokenOf(await invite(host, identity.email ?? ''));
    expect(await people.users.invites.check(identity, token)).toMatchObject({ member: true });
    await expect(people.users.invites.accept(identity, token, origin)).rejects.toMatchObject({
      message: 'You already belong to an organization. Leave it before you accept this invitation.',
    });
    await close();
    expect(await people.users.loadActor(identity)).toBeNull();
    expect(await closedAt()).toEqual(now);
    expect(await people.users.invites.check(identity, token)).toMatchObject({ message: 'ACCEPT' });
    await people.users.invites.accept(identity, token, origin);
    expect(await people.scopeOf(identity)).toMatchObject({ organisationId: host.organisationId });
    // The organization that they found next is another one.
    const other = await people.organisation('Mistaken Ltd');
    expect(other.scope.organisationId).not.toBe(admin.organisationId);
  });

  test('leaves its ledger, its log and the person’s row, and the log says who closed it and as what', async () => {
    await close();
    const left = await tenant(async (tx) => ({
      wallets: await tx.selectFrom('wallets').selectAll().execute(),
      users: await tx.selectFrom('users').select(['email', 'removed_at']).execute(),
      log: await tx
        .selectFrom('audit_log')
        .select(['action', 'object', 'actor_id'])
        .orderBy('sequence')
        .execute(),
    }));
    expect(left.wallets).toHaveLength(1);
    expect(left.users).toEqual([{ email: identity.email, removed_at: now }]);
    expect(left.log.map(({ action }) => action)).toEqual(['users.createProfile', 'users.closeOrganization']);
    expect(left.log[1]).toMatchObject({ object: admin.organisationId, actor_id: admin.userId });
  });

  test('ends the tokens of the person who closes it, with an entry for each', async () => {
    const token = newId();
    await tenant((tx) =>
      tx
        .insertInto('api_tokens')
        .values({
          ...{ id: token, organisation_id: admin.organisationId, user_id: admin.userId, name: 'Backup' },
          ...{ token_hash: Buffer.from(token), permissions: ['domains.read'], reach: 'organisation' },
          ...{ customer_id: null, expires_at: null, created_at: now },
        })
        .execute(),
    );
    await close();
    const rows = await tenant((tx) =>
      tx.selectFrom('api_tokens').select(['revoked_at', 'ended_because']).execute(),
    );
    expect(rows).toEqual([{ revoked_at: now, ended_because: 'person_removed' }]);
    expect(await logged(database.db, admin, 'tokens.end')).toEqual([
      {
        ...{ by: admin.userId, kind: 'api token', object: token },
        ...{ before: { name: 'Backup' }, after: { because: 'person_removed' } },
      },
    ]);
  });

  test('ends its watched names, its automatic top-up and its waiting jobs, each with its entry; letters and others’ jobs stay', async () => {
    const { organisationId } = admin;
    const other = (await people.organisation()).scope;
    await tenant(async (tx) => {
      await sql`INSERT INTO watched_names (id, organisation_id, address, created_at)
        VALUES (${newId()}, ${organisationId}, 'watched.example', ${now})`.execute(tx);
      await tx
        .insertInto('billing_profiles')
        .values({ organisation_id: organisationId, auto_topup: true })
        .execute();
    });
    await takeJobs(database.url);
    const letter = { subject: 'A subject', parts: ['A part'] };
    const alert = { kind: 'payment', organisationId, text: 'a second payment' };
    const refund = { organisationId, itemId: newId(), reason: 'the order was declined' };
    await systemTransaction(database.systemDb, async (tx) => {
      await enqueueJob(tx, 'billing.consider-auto-topup', { organisationId });
      await enqueueJob(tx, 'billing.notify', { organisationId, notice: 'one', letter });
      await enqueueJob(tx, 'operator.alert', alert);
      await enqueueJob(tx, 'orders.refund-certificate', refund);
      await enqueueJob(tx, 'billing.consider-auto-topup', { organisationId: other.organisationId });
    });
    await close();
    const after = await tenant(async (tx) => ({
      watched: await tx.selectFrom('watched_names').select('id').execute(),
      billing: await tx.selectFrom('billing_profiles').select('auto_topup').execute(),
      log: await tx.selectFrom('audit_log').select('action').orderBy('sequence').execute(),
    }));
    expect(after.watched).toEqual([]);
    expect(after.billing).toEqual([{ auto_topup: false }]);
    expect(after.log.map(({ action }) => action).slice(1)).toEqual([
      'billing.autoBalance',
      'health.unwatch',
      'users.closeOrganization',
    ]);
    const jobs = await takeJobs(database.url);
    expect(jobs.map(({ task, payload }) => [task, payload.organisationId])).toEqual([
      ['billing.notify', organisationId],
      ['operator.alert', organisationId],
      ['orders.refund-certificate', organisationId],
      ['billing.consider-auto-topup', other.organisationId],
    ]);
  });

  test('forgets only jobs that look or would buy: none about money, orders, letters or the operator', async () => {
    const { organisationId } = admin;
    await takeJobs(database.url);
    await systemTransaction(database.systemDb, async (tx) => {
      for (const name of Object.keys(jobTable)) {
        await sql`SELECT enqueue_job(${name}, ${JSON.stringify({ organisationId })}::json, NULL, NULL, 25, NULL, true)`.execute(
          tx,
        );
      }
    });
    await close();
    const left = new Set((await takeJobs(database.url)).map(({ task }) => task));
    expect(Object.keys(jobTable).filter((name) => !left.has(name))).toEqual([
      ...['acme.advance', 'billing.consider-auto-topup', 'changes.look', 'changes.run', 'domains.sync'],
      'renewals.renew',
    ]);
  });

  test('sends the letters that wait to the person who closed it, until they are erased', async () => {
    const { organisationId } = admin;
    const removed = { role: 'MSP_ADMIN' as const, removed_at: inMs(-1) };
    await userRow(database, organisationId, removed);
    await close();
    expect(await people.users.managersOf(organisationId)).toEqual([identity.email]);
    await tenant((tx) => erasePeople(tx, admin, { userIds: [admin.userId], inviteIds: [], emails: [] }, now));
    expect(await people.users.managersOf(organisationId)).toEqual([]);
  });

  test('is closed once: a second press finds no profile any more', async () => {
    const elsewhere = (await people.organisation()).scope;
    const mark = () => inTransaction(database.db, elsewhere, (tx) => markClosed(tx, elsewhere, now));
    expect([await mark(), await mark()]).toEqual(['Example MSP', undefined]);
    const both = await Promise.allSettled([close(), close()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(close()).rejects.toMatchObject({ code: 'no_profile' });
  });
});

describe('who may close', () => {
  test('an owner; an administrator beside an owner is refused and is not offered it', async () => {
    expect((await people.users.getProfile(admin)).permissions).toContain('organisation.close');
    const { scope } = await people.join(admin, { type: 'MSP_EMPLOYEE' });
    await people.users.change(admin, scope.userId, { type: 'MSP_OWNER' }, () => undefined);
    await expect(close()).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Only an owner can close the organization.',
    });
    expect((await people.users.getProfile(admin)).permissions).not.toContain('organisation.close');
    const owner: Scope = { ...scope, role: 'MSP_OWNER', reach: { kind: 'organisation' } };
    expect((await people.users.getProfile(owner)).permissions).toContain('organisation.close');
    await expect(close(owner)).rejects.toMatchObject(refusedFor('users'));
    await people.users.remove(owner, admin.userId, () => undefined);
    await close(owner);
    expect(await closedAt()).toEqual(now);
  });

  test('an employee may not', async () => {
    const { scope } = await people.join(admin, { type: 'MSP_EMPLOYEE' });
    await expect(close(scope)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('what stands against it, alone', () => {
  const money = (change: { held_cents?: number; pending_cents?: number }) =>
    tenant((tx) => tx.updateTable('wallets').set(change).execute());

  test('another user, who is not removed', async () => {
    await userRow(database, admin.organisationId, { removed_at: now });
    const id = await userRow(database, admin.organisationId, { disabled_at: now });
    await expect(close()).rejects.toMatchObject(refusedFor('users'));
    await people.users.remove(admin, id, () => undefined);
    await close();
  });

  test('an invitation that is open, an expired one too, since it can be sent again', async () => {
    const { inviteId } = await invite(admin, 'somebody@example.com');
    people.clock.forward(8 * dayMs);
    await expect(close()).rejects.toMatchObject(refusedFor('invitations'));
    await people.users.invites.cancel(admin, inviteId);
    await close();
  });

  test('a customer, until deleted', async () => {
    await former();
    await customerRow(database, admin.organisationId);
    await expect(close()).rejects.toMatchObject(refusedFor('customers'));
  });

  test('an import that is being written', async () => {
    const row = (state: string) =>
      tenant((tx) =>
        sql`INSERT INTO imports (id, organisation_id, upload_key, file_name, columns, state, new_rows, changed_rows, same_rows,
            faulty_rows, actor_id, actor, actor_role, created_at)
          VALUES (${newId()}, ${admin.organisationId}, ${newId()}, 'a.csv', '{}', ${state}, 0, 0, 0, 0, ${admin.userId}, 'a',
            'MSP_ADMIN', ${now})`.execute(tx),
      );
    for (const state of ['ready', 'importing', 'done', 'discarded']) await row(state);
    await expect(close()).rejects.toMatchObject(refusedFor('imports'));
  });

  test('a domain in any state but ended, a transfer among them', async () => {
    for (const status of ['active', 'transferring', 'expired', 'ended'] as const) {
      await domainRow(database, admin.organisationId, { status });
    }
    await expect(close()).rejects.toMatchObject(refusedFor('domains', 3));
  });

  test('an order with an item whose outcome is open, once for all its items', async () => {
    const { organisationId } = admin;
    const done = { organisationId, orderId: await orderRow(database, organisationId) };
    await itemRow(database, done, { state: 'succeeded' });
    await itemRow(database, done, { state: 'declined' });
    const order = { organisationId, orderId: await orderRow(database, organisationId) };
    for (const state of ['queued', 'sending', 'pending', 'unknown', 'review'] as const) {
      await itemRow(database, order, { state });
    }
    await expect(close()).rejects.toMatchObject(refusedFor('orders'));
  });

  test('a certificate that is on its way or valid', async () => {
    const { organisationId } = admin;
    for (const state of ['cancelled', 'declined', 'revoked', 'expired']) {
      await certificateRow(database, organisationId, { state });
    }
    await certificateRow(database, organisationId, { valid_to: now });
    await certificateRow(database, organisationId, { valid_to: inMs(1) });
    await certificateRow(database, organisationId, { state: 'awaiting-approval' });
    await expect(close()).rejects.toMatchObject(refusedFor('certificates', 2));
  });

  test('a certificate that has ended, while a reissue of it is under way', async () => {
    const { organisationId } = admin;
    for (const state of ['sending', 'unknown', 'running', 'completed', 'declined'] as const) {
      const certificate_id = await certificateRow(database, organisationId, { state: 'expired' });
      await tenant((tx) =>
        tx
          .insertInto('certificate_reissues')
          .values({
            ...{ id: newId(), organisation_id: organisationId, certificate_id, csr: 'csr', state },
            ...{ registrar_order_id: null, automatic: false, acme_access_id: null, remark: null },
            ...{ created_at: now, ended_at: null },
          })
          .execute(),
      );
    }
    await expect(close()).rejects.toMatchObject(refusedFor('certificates', 3));
  });

  test('a certificate that came to nothing and was paid, until its price is back', async () => {
    const { organisationId } = admin;
    const paid = async (state: string, item: Parameters<typeof itemRow>[2] = {}) => {
      const order = { organisationId, orderId: await orderRow(database, organisationId) };
      const itemId = await itemRow(database, order, { kind: 'certificate', state: 'succeeded', ...item });
      await certificateRow(database, organisationId, { state, order_item_id: itemId });
      return itemId;
    };
    for (const state of ['revoked', 'expired']) await paid(state);
    await paid('declined', { price_cents: 0 });
    await paid('declined', { state: 'declined' });
    const items = [await paid('declined'), await paid('cancelled')];
    await expect(close()).rejects.toMatchObject(refusedFor('refunds', 2));
    const refund = createRefund({ db: database.db, clock: people.clock });
    for (const itemId of items) await refund({ organisationId, itemId, reason: 'the order was declined' });
    await expect(close()).rejects.toMatchObject(refusedFor('balance', 20_00));
  });

  test('a balance, and a debt', async () => {
    const give = (cents: number) =>
      tenant((tx) =>
        adjust(tx, {
          organisationId: admin.organisationId,
          cents,
          actor: 'test',
          ref: newId(),
          text: 'a test',
        }),
      );
    await give(12_34);
    await expect(close()).rejects.toMatchObject({
      ...refusedFor('balance', 12_34),
      message: 'The organization cannot be closed while it has a balance of $12.34.',
    });
    await give(-13_34);
    await expect(close()).rejects.toMatchObject(refusedFor('balance', -1_00));
    await give(1_00);
    await close();
  });

  test('money that is reserved, and money on its way', async () => {
    await money({ held_cents: 5 });
    await expect(close()).rejects.toMatchObject(refusedFor('reserved', 5));
    await money({ held_cents: 0, pending_cents: 7 });
    await expect(close()).rejects.toMatchObject(refusedFor('pending', 7));
  });

  test('a top-up that may still be paid, with those that can be cancelled; not one that nobody was given to pay', async () => {
    const { organisationId } = admin;
    for (const state of ['cancelled', 'succeeded', 'reversed'] as const) {
      await topupRow(database, organisationId, { state, payment_intent: newId() });
    }
    // Nobody was given the secret of an automatic one, and without a payment there is none.
    await topupRow(database, organisationId, { kind: 'auto', state: 'failed', payment_intent: newId() });
    await topupRow(database, organisationId, { state: 'failed' });
    await topupRow(database, organisationId, { created_at: inMs(-hourMs) });
    expect((await tenant((tx) => countForClosing(tx, admin, now))).topups).toBe(0);
    const open = await topupRow(database, organisationId, {
      payment_intent: newId(),
      created_at: inMs(-dayMs),
    });
    await topupRow(database, organisationId, { kind: 'auto', created_at: inMs(-dayMs) });
    await topupRow(database, organisationId, { created_at: inMs(1 - hourMs) });
    await topupRow(database, organisationId, { state: 'processing', payment_intent: newId() });
    // A declined payment is paid with another card under the same secret.
    const declined = await topupRow(database, organisationId, {
      ...{ state: 'failed', payment_intent: newId(), created_at: inMs(-1) },
    });
    const { code, data } = refusedFor('topups', 5);
    await expect(close()).rejects.toMatchObject({ code, data: { ...data, topUpIds: [open, declined] } });
  });

  test('a direct charge and a refund that have not ended', async () => {
    const { organisationId } = admin;
    const customerId = await former();
    const states = ['collecting', 'sending', 'processing', 'failed', 'succeeded', 'waived'];
    for (const state of states) {
      const orderId = await orderRow(database, organisationId);
      await tenant((tx) =>
        sql`INSERT INTO direct_charges (id, organisation_id, customer_id, order_id, part, cents, state)
          VALUES (${newId()}, ${organisationId}, ${customerId}, ${orderId}, 1, 100, ${state})`.execute(tx),
      );
    }
    await expect(close()).rejects.toMatchObject(refusedFor('charges', 4));
    await tenant((tx) => sql`UPDATE direct_charges SET state = 'waived'`.execute(tx));
    const orderId = await orderRow(database, organisationId);
    for (const state of ['wanted', 'sending', 'done', 'failed', 'none']) {
      const itemId = await itemRow(database, { organisationId, orderId }, { state: 'succeeded' });
      await tenant((tx) =>
        sql`INSERT INTO direct_refunds (item_id, organisation_id, state) VALUES (${itemId}, ${organisationId}, ${state})`.execute(
          tx,
        ),
      );
    }
    await expect(close()).rejects.toMatchObject(refusedFor('refunds', 2));
  });

  test('all of it is told at once', async () => {
    await invite(admin, 'somebody@example.com');
    await customerRow(database, admin.organisationId);
    await expect(close()).rejects.toMatchObject({
      message: 'The organization cannot be closed while it has 1 open invitation and 1 customer.',
    });
    expect(await closedAt()).toBeNull();
  });

  test('nothing of another organization does', async () => {
    const other = (await people.organisation()).scope;
    await invite(other, 'somebody@example.com');
    await customerRow(database, other.organisationId);
    await domainRow(database, other.organisationId);
    await certificateRow(database, other.organisationId);
    await topupRow(database, other.organisationId, { payment_intent: newId() });
    await close();
    expect((await people.users.getProfile(other)).organization).toBe('Example MSP');
  });
});

describe('what comes in the same moment', () => {
  /** A transaction that has begun to add something, and ends when it is told to. */
  function adding(add: (tx: Tx) => Promise<unknown>) {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: hasAdded, resolve: added } = Promise.withResolvers<void>();
    const done = tenant(async (tx) => {
      await requireOpen(tx, admin);
      await add(tx);
      added();
      await mayEnd;
    });
    return { hasAdded, end, done };
  }
  const waits = async () => {
    const { rows } = await sql<{ waiting: number }>`SELECT count(*)::int AS waiting FROM pg_locks l
      JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
      WHERE l.locktype = 'advisory' AND NOT l.granted`.execute(database.systemDb);
    return rows[0]?.waiting ?? 0;
  };

  test('a top-up that has begun is waited for, and then stands against it', async () => {
    const topup = adding((tx) =>
      tx
        .insertInto('topups')
        .values({
          ...{ id: newId(), organisation_id: admin.organisationId, user_id: null, kind: 'initial' },
          ...{ cents: 100_00, state: 'requested', payment_intent: newId(), method: null, failure: null },
        } as never)
        .execute(),
    );
    await topup.hasAdded;
    const closing = close();
    closing.catch(() => undefined);
    await expect.poll(waits).toBe(1);
    topup.end();
    await topup.done;
    await expect(closing).rejects.toMatchObject(refusedFor('topups'));
  });

  test('an invitation and the closing: one of them is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      ({ scope: admin, identity } = await people.organisation());
      const results = await Promise.allSettled([invite(admin, 'somebody@example.com'), close()]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const open = await tenant((tx) => tx.selectFrom('invites').select('id').execute());
      expect(open).toHaveLength((await closedAt()) ? 0 : 1);
    }
  });

  test.each([
    ['an invitation', () => invite(admin, 'somebody@example.com')],
    [
      'a customer',
      () =>
        people.customers.create(
          admin,
          { contacts: contactsOf(), billing: { billDirectly: false, email: '', allowChangeBilling: false } },
          null,
        ),
    ],
    [
      'a watched name',
      () =>
        createWatching({ db: database.db, clock: people.clock }).watch(admin, {
          ...{ text: 'watched.example', customerId: null },
        }),
    ],
    ['what asks first', () => tenant((tx) => requireOpen(tx, admin).then(() => sql`SELECT 1`.execute(tx)))],
  ])('%s of a request that was let in before is refused after', async (_name, act) => {
    await close();
    const error: unknown = await act().catch((refusal: unknown) => refusal);
    expect(error instanceof Error && isClosedOrganisation(error)).toBe(true);
  });

  test('a change of a watched name that then waits for its turn at the log: neither waits in a circle', async () => {
    const { organisationId } = admin;
    await tenant(async (tx) => {
      await sql`INSERT INTO watched_names (id, organisation_id, address, created_at)
        VALUES (${newId()}, ${organisationId}, 'watched.example', ${now})`.execute(tx);
      await tx
        .insertInto('billing_profiles')
        .values({ organisation_id: organisationId, auto_topup: true })
        .execute();
    });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: hasRow, resolve: locked } = Promise.withResolvers<void>();
    const changing = tenant(async (tx) => {
      await sql`SELECT id FROM watched_names FOR UPDATE`.execute(tx);
      locked();
      await mayEnd;
      await audit(tx, admin, {
        ...{ at: now, action: 'health.unwatch', objectKind: 'watched name', object: 'watched.example' },
        customerId: null,
      });
    });
    await hasRow;
    const closing = close();
    const blocked = async () =>
      (await sql`SELECT pid FROM pg_locks WHERE NOT granted`.execute(database.systemDb)).rows.length;
    await expect.poll(blocked).toBeGreaterThan(0);
    end();
    const results = await Promise.allSettled([changing, closing]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  test('those who add never wait for each other', async () => {
    const [one, two] = [adding(async () => undefined), adding(async () => undefined)];
    await Promise.all([one.hasAdded, two.hasAdded]);
    one.end();
    two.end();
    await Promise.all([one.done, two.done]);
  });
});
