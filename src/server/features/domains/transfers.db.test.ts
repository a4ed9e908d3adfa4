import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '#kernel/db/database.ts';
import { newId } from '#kernel/ids.ts';
import { createLeases } from '#kernel/leases.ts';
import type { Scope } from '#kernel/scope.ts';
import { logged, loggedAbout } from '../../../../tests/support/audit-log.ts';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.ts';
import { attemptsOf, takeJobs } from '../../../../tests/support/jobs.ts';
import { createPeople, type People } from '../../../../tests/support/people.ts';
import { customerRow, itemRow, orderRow } from '../../../../tests/support/rows.ts';
import { ownDomain } from '../../../../tests/support/zone-registrar.ts';
import { type Outcome, UpstreamRefused, UpstreamUnavailable } from '../../ports/outcome.ts';
import type { RegistrarDomain, TransferCheck, TransferStatus } from '../../ports/registrar.ts';
import { recordTransferStart } from './portfolio.repo.ts';
import { closeTransfer, compareTask, lookBeforeTask, openTransfer } from './transfers.repo.ts';
import { createTransfers } from './transfers.service.ts';

let database: TestDatabase;
let people: People;
let scope: Scope;
let said: TransferStatus | 'silent';
let delegation: string[] | 'silent';
let after: string[];
let ds: string[] | 'silent';
let answer: TransferCheck | Error;
let orderState: string | null;
/** Orders that the registrar was asked to cancel, and names whose transfer it was asked about. */
let asked: string[];
let cancelled: Outcome<void>;
let names = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  people = createPeople(database);
  ({ scope } = await people.organisation());
});
afterAll(() => database.close());
beforeEach(() => {
  said = 'pending_owner';
  delegation = ['ns1.old.net', 'ns2.old.net'];
  ds = [];
  [asked, orderState] = [[], null];
  cancelled = { kind: 'done', value: undefined };
  after = ['ns2.old.net', 'ns1.old.net'];
  answer = {
    transferable: false,
    unavailable: true,
    reason: null,
    reasonCode: null,
    status: null,
    hindrance: null,
  };
});

function transfers() {
  const silence = () => new UpstreamUnavailable('nobody answers');
  return createTransfers({
    db: database.db,
    systemDb: database.systemDb,
    clock: people.clock,
    publicUrl: 'https://portal.test',
    transferTimes: { approvalDays: 1, releaseDays: 5 },
    leases: createLeases({ db: database.db, newId, writeMs: 60_000 }),
    resolver: {
      nameservers: async () => {
        if (delegation === 'silent') throw silence();
        return delegation;
      },
    },
    zoneSource: {
      ask: async (name, type) => {
        if (ds === 'silent') throw silence();
        return { exists: true, records: ds.map((data) => ({ name, type, fields: { data } })) };
      },
    },
    registrar: {
      transferStatus: async (domain) => {
        asked.push(domain);
        if (said === 'silent') throw silence();
        return said;
      },
      checkTransfer: async () => {
        if (answer instanceof Error) throw answer;
        return answer;
      },
      cancelTransfer: async (orderId) => {
        asked.push(`cancel ${orderId}`);
        return cancelled;
      },
      order: async () => (orderState === null ? null : ({ state: orderState } as never)),
      domain: async (domain) => ({ domain, nameservers: after }) as RegistrarDomain,
    },
  });
}

async function begin(
  itemId = newId(),
  customerId: string | null = null,
): Promise<{ itemId: string; domain: string }> {
  names += 1;
  const place = { itemId, organisationId: scope.organisationId, address: `move${names}.com` };
  await inTransaction(database.db, scope, (tx) =>
    openTransfer(tx, { ...place, customerId, now: people.clock.now() }),
  );
  return { itemId: place.itemId, domain: place.address };
}

const end = (itemId: string, reason: string | null = null) =>
  inTransaction(database.db, scope, (tx) =>
    closeTransfer(tx, { itemId, organisationId: scope.organisationId, reason, now: people.clock.now() }),
  );
const run = (task: typeof lookBeforeTask | typeof compareTask, itemId: string) =>
  transfers().tasks[task]({ organisationId: scope.organisationId, itemId });

describe('a transfer', () => {
  test('a registry that cannot be asked is an error and not a no', async () => {
    await expect(transfers().check(scope, 'acme.com')).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: "There was an error checking domain's transferability",
    });
  });

  test('of a name that is here is refused unasked; of one that has left the account the registrar is asked', async () => {
    answer = { ...(answer as TransferCheck), transferable: true, unavailable: false };
    await ownDomain(database, scope, 'came-and-left.com');
    const check = async () => (await transfers().check(scope, 'came-and-left.com')).domainResponse;
    expect(await check()).toMatchObject({ transferrable: 0, hindrance: 'here' });
    await inTransaction(database.db, scope, (tx) =>
      tx
        .updateTable('domains')
        .set({ missing_since: people.clock.now() })
        .where('address', '=', 'came-and-left.com')
        .execute(),
    );
    expect(await check()).toMatchObject({ transferrable: 1, hindrance: null });
  });

  test('of a signed domain, the check says so; where nobody answers, it says nothing', async () => {
    answer = {
      transferable: true,
      unavailable: false,
      reason: null,
      reasonCode: null,
      status: null,
      hindrance: null,
    };
    const signed = async () => (await transfers().check(scope, 'signed.com')).dnsRecords.signed;
    expect(await signed()).toBe(0);
    ds = ['20326 8 2'];
    expect(await signed()).toBe(1);
    ds = 'silent';
    expect(await signed()).toBeNull();
  });

  test('of a name that another organization of this portal has, the check tells nothing but whom to ask', async () => {
    answer = {
      ...{ transferable: false, unavailable: false, status: null, hindrance: null },
      reason:
        'Domain already belongs to current reseller; owner account zq-other-msp, contact zq@other.example',
      reasonCode: 'domain_already_belongs_to_current_reseller',
    };
    const { scope: other } = await people.organisation();
    await ownDomain(database, other, 'theirs.com');
    const [theirs, nobodys] = [
      await transfers().check(scope, 'theirs.com'),
      await transfers().check(scope, 'elsewhere.com'),
    ];
    // The same whether it is another organization's here, or in another account at the registrar.
    expect(theirs).toEqual(nobodys);
    expect(theirs.domainResponse).toEqual({
      transferrable: 0,
      reason: 'This domain can be moved by the portal’s support only.',
      reason_code: 'domain_already_belongs_to_current_reseller',
      hindrance: 'other-account',
    });
    expect(JSON.stringify(theirs)).not.toMatch(/zq/);
  });

  test('keeps the last word of the registrar while it does not answer, and since when it stands', async () => {
    const { domain } = await begin();
    said = 'pending_registry';
    const first = await transfers().status(scope, domain);
    expect(first.steps.map(({ state }) => state)).toEqual(['done', 'done', 'current', 'waiting']);
    people.clock.forward(6 * 86_400_000);
    said = 'silent';
    const later = await transfers().status(scope, domain);
    expect(later).toMatchObject({ registrarStatus: 'pending_registry', askedAt: first.askedAt, stuck: true });
    expect(later.steps).toEqual(first.steps);
  });

  test('is found to be delegated as before, in whatever order the names come', async () => {
    const { itemId, domain } = await begin();
    await run(lookBeforeTask, itemId);
    await end(itemId);
    await run(compareTask, itemId);
    await run(compareTask, itemId);
    const status = await transfers().status(scope, domain);
    expect(status).toMatchObject({ state: 'completed', nameservers: { kept: true } });
  });

  test('other nameservers than before are told', async () => {
    const { itemId, domain } = await begin();
    await run(lookBeforeTask, itemId);
    after = ['ns1.other.net', 'ns2.other.net'];
    await end(itemId);
    await run(compareTask, itemId);
    const { nameservers } = await transfers().status(scope, domain);
    expect(nameservers).toEqual({
      before: ['ns1.old.net', 'ns2.old.net'],
      after: ['ns1.other.net', 'ns2.other.net'],
      kept: false,
    });
  });

  test('a delegation that was never seen is not compared with the new one, nor read after the end', async () => {
    const { itemId, domain } = await begin();
    delegation = 'silent';
    await expect(run(lookBeforeTask, itemId)).rejects.toThrow('nobody answers');
    await end(itemId);
    delegation = ['ns1.new.net', 'ns2.new.net'];
    await run(lookBeforeTask, itemId);
    await run(compareTask, itemId);
    const { nameservers } = await transfers().status(scope, domain);
    expect(nameservers).toMatchObject({ before: null, kept: null });
  });

  test('ends once: what failed is not completed afterwards, and cannot be cancelled', async () => {
    const { itemId, domain } = await begin();
    await end(itemId, 'The transfer was refused or cancelled.');
    await end(itemId);
    const status = await transfers().status(scope, domain);
    expect(status).toMatchObject({
      state: 'failed',
      reason: 'The transfer was refused or cancelled.',
      held: null,
    });
    await expect(transfers().cancel(scope, domain)).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('whose cancellation stays unknown is looked at again, and the log says who asked for it', async () => {
    const orderId = await orderRow(database, scope.organisationId);
    const ordered = { kind: 'transfer', state: 'pending', registrar_order_id: '7' } as const;
    const itemId = await itemRow(database, { organisationId: scope.organisationId, orderId }, ordered);
    const { domain } = await begin(itemId);
    cancelled = { kind: 'unknown', text: 'no answer' };
    await takeJobs(database.url);
    await expect(transfers().cancel(scope, domain)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect((await logged(database.db, scope, 'transfers.cancel')).at(-1)).toMatchObject({
      ...{ by: scope.userId, object: domain, after: { status: 'cancelled', outcome: 'unknown' } },
    });
    expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['orders.seek-end']);
  });

  test('that was cancelled, or that the registrar says has ended, has its order look for that end, also in review', async () => {
    const orderId = await orderRow(database, scope.organisationId);
    const ordered = { kind: 'transfer', state: 'review', registrar_order_id: '8' } as const;
    const itemId = await itemRow(database, { organisationId: scope.organisationId, orderId }, ordered);
    const { domain } = await begin(itemId);
    await takeJobs(database.url);
    const planned = [{ task: 'orders.seek-end', payload: { organisationId: scope.organisationId, itemId } }];
    await transfers().cancel(scope, domain);
    expect(await attemptsOf(database.url, 'orders.seek-end')).toEqual([25]);
    expect(await takeJobs(database.url)).toEqual(planned);
    said = 'cancelled';
    await transfers().status(scope, domain);
    expect(await takeJobs(database.url)).toEqual(planned);
  });

  test('can be followed by its customer’s own user, and by a token, who are not told what the MSP pays for it', async () => {
    const customerId = await customerRow(database, scope.organisationId);
    const as = { type: 'MSP_CUSTOMER', authorizedClientId: customerId } as const;
    const { scope: theirs } = await people.join(scope, as);
    const orderId = await orderRow(database, scope.organisationId);
    const ordered = {
      kind: 'transfer',
      state: 'pending',
      price_cents: 12_31,
      customer_id: customerId,
    } as const;
    const itemId = await itemRow(database, { organisationId: scope.organisationId, orderId }, ordered);
    const { domain } = await begin(itemId, customerId);
    const seenBy = async (who: Scope) => {
      const { state, held } = await transfers().status(who, domain);
      return { state, held };
    };
    const token: Scope = { ...scope, rights: { kind: 'named', permissions: ['domains.read'] } };
    expect(await seenBy(scope)).toEqual({ state: 'running', held: 12.31 });
    expect(await seenBy(theirs)).toEqual({ state: 'running', held: null });
    expect(await seenBy(token)).toEqual({ state: 'running', held: null });
  });

  test('another organisation does not see it', async () => {
    const { domain } = await begin();
    const { scope: stranger } = await people.organisation();
    await expect(transfers().status(stranger, domain)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of a name that the registrar refuses to look at is refused in its words; silence is an error', async () => {
    answer = new UpstreamRefused('invalid', '465', 'Not a name.');
    await expect(transfers().check(scope, 'acme.com')).rejects.toMatchObject({
      ...{ code: 'registrar_refused', message: 'Not a name.', error: '465' },
    });
    answer = new UpstreamUnavailable('no answer');
    await expect(transfers().check(scope, 'acme.com')).rejects.toMatchObject({
      ...{ code: 'upstream_unavailable', message: "There was an error checking domain's transferability" },
    });
    answer = new TypeError('a bug');
    await expect(transfers().check(scope, 'acme.com')).rejects.toThrow('a bug');
  });

  test('of a name that is on its way is said to be under way; nameservers that nobody told are none', async () => {
    await inTransaction(database.db, scope, (tx) =>
      recordTransferStart(tx, {
        ...{ organisationId: scope.organisationId, address: 'coming.com', customerId: null, now: new Date() },
        ...{ autoRenew: false, privacy: false, credentialsSealed: null },
      }),
    );
    expect((await transfers().check(scope, 'coming.com')).domainResponse.hindrance).toBe('under-way');
    expect((await transfers().check(scope, 'coming.com')).dnsRecords).toMatchObject({
      ...{ NS: ['ns1.old.net', 'ns2.old.net'], answered: 1 },
    });
    delegation = 'silent';
    expect((await transfers().check(scope, 'coming.com')).dnsRecords).toMatchObject({ NS: [], answered: 0 });
  });

  test('is asked about while it is under way, and not once it has ended', async () => {
    const [open, done] = [await begin(), await begin()];
    await end(done.itemId);
    for (const { domain } of [open, done]) await transfers().status(scope, domain);
    expect(asked).toEqual([open.domain]);
    for (const { itemId } of [open, done]) {
      await transfers().tasks['transfers.ask']({ organisationId: scope.organisationId, itemId });
    }
    expect(asked).toEqual([open.domain, open.domain]);
  });

  test('is asked about in turn, those first that were not asked about for longest, and never before them', async () => {
    const own = [await begin(), await begin(), await begin()];
    const [first, second, never] = own.map(({ domain }) => domain) as [string, string, string];
    const ended = await begin();
    await end(ended.itemId);
    for (const domain of [first, second]) {
      await transfers().status(scope, domain);
      people.clock.forward(1_000);
    }
    asked = [];
    await transfers().tasks['transfers.poll']();
    const mine = asked.filter((name) => [first, second, never, ended.domain].includes(name));
    expect(mine).toEqual([never, first, second]);
  });

  async function ordered(
    state: 'pending' | 'review',
    registrar_order_id: string | null,
    customerId?: string,
  ) {
    const orderId = await orderRow(database, scope.organisationId);
    const item = { kind: 'transfer', state, registrar_order_id } as const;
    const itemId = await itemRow(database, { organisationId: scope.organisationId, orderId }, item);
    const one = await begin(itemId, customerId);
    await takeJobs(database.url);
    return one;
  }

  test('that is cancelled is cancelled at the registrar by its order, and in the log about its customer', async () => {
    const customerId = await customerRow(database, scope.organisationId);
    const { domain } = await ordered('pending', '77', customerId);
    cancelled = { kind: 'pending', orderId: null, text: 'Within the hour.' };
    expect(await transfers().cancel(scope, domain)).toEqual({ domain, notice: 'Within the hour.' });
    expect(asked).toEqual(['cancel 77']);
    const { before, after, ...entry } = (await logged(database.db, scope, 'transfers.cancel')).at(-1) ?? {};
    expect(entry).toEqual({ by: scope.userId, kind: 'domain', object: domain });
    expect([before, after]).toEqual([{ status: null }, { status: 'cancelled' }]);
    expect((await loggedAbout(database.db, scope, 'transfers.cancel')).at(-1)).toBe(customerId);
  });

  test('whose cancellation is refused goes on: nothing is logged, and its order looks for no end', async () => {
    const { domain } = await ordered('pending', '78');
    cancelled = { kind: 'refused', reason: 'other', code: '415', text: 'Too late.' };
    const entries = async () => (await logged(database.db, scope, 'transfers.cancel')).length;
    const before = await entries();
    await expect(transfers().cancel(scope, domain)).rejects.toMatchObject({
      ...{ code: 'registrar_refused', message: 'Too late.' },
    });
    expect([await entries(), await takeJobs(database.url)]).toEqual([before, []]);
  });

  test.each([
    ['cancelled', 'ok'],
    ['pending', 'outcome_unknown'],
  ])('whose cancellation got no answer is what its order says: %s', async (state, code) => {
    const { domain } = await ordered('pending', '79');
    cancelled = { kind: 'unknown', text: 'no answer' };
    orderState = state;
    const told = await transfers()
      .cancel(scope, domain)
      .then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
    expect(told).toBe(code);
    expect((await takeJobs(database.url)).map(({ task }) => task)).toEqual(['orders.seek-end']);
  });

  test('that the registrar has not taken yet, or that is none of theirs, cannot be cancelled', async () => {
    const { domain } = await ordered('pending', null);
    await expect(transfers().cancel(scope, domain)).rejects.toMatchObject({
      ...{ code: 'unprocessable', message: 'This transfer is no longer under way.' },
    });
    const { scope: stranger } = await people.organisation();
    await expect(transfers().cancel(stranger, domain)).rejects.toMatchObject({ code: 'not_found' });
    expect(asked).toEqual([]);
  });
});
