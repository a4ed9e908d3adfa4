import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  AttentionCounts,
  AttentionItem,
  AttentionList,
} from '../../src/contracts/operations/attention.ts';
import { may, type Role, roles } from '../../src/contracts/permissions.ts';
import {
  type AttentionCause,
  attentionCauses,
  attentionRules,
} from '../../src/contracts/values/attention.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { insert, type Organisation, seedOrganisation } from './support/world.ts';

/** What waits for a person: opened with its cause, once, and closed with it, whatever the cause. */

let portal: Portal;
let a: Organisation;
beforeAll(async () => {
  portal = await startPortal();
  a = await seedOrganisation(portal, 'att');
});
afterAll(() => portal[Symbol.asyncDispose]());

async function call<T>(role: Role, method: 'GET' | 'PATCH' | 'PUT', path: string, body?: object) {
  const answer = await portal.call({
    ...{ method, url: `/api${path}` },
    headers: { authorization: `Bearer ${a.tokens[role]}`, 'content-type': 'application/json' },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
  return {
    status: answer.status,
    ...(JSON.parse(answer.body) as { data: T; details?: { message: string }[] }),
  };
}
const list = async (role: Role, query = '') =>
  (await call<AttentionList>(role, 'GET', `/attention?limit=200${query}`)).data.items;
const run = (statement: string, values: unknown[]) => portal.owner.query(statement, values);

/** Changes of the seeded rows of a customer (`$2`) that bring a cause about, and that end it. */
interface Case {
  begin: string;
  end: string;
  /** What it is about belongs to the organization, and to no customer. */
  ofNobody?: true;
}
const ofCustomer = 'WHERE organisation_id = $1 AND customer_id = $2';
const ofAll = 'WHERE organisation_id = $1 AND $2::uuid IS NOT NULL';
const newestTopUp =
  'WHERE $2::uuid IS NOT NULL AND id = (SELECT max(id::text)::uuid FROM topups WHERE organisation_id = $1)';
const charges = `organisation_id = $1 AND charge_id IN (SELECT id FROM direct_charges ${ofCustomer})`;
const moves = `organisation_id = $1 AND move_id IN (SELECT id FROM moves ${ofCustomer})`;
const zones = `organisation_id = $1 AND domain_id IN (SELECT id FROM domains ${ofCustomer})`;

/** A cause without its case does not compile. */
const cases: Record<AttentionCause, Case> = {
  renewal: {
    begin: `UPDATE domains SET expires_at = now() + interval '10 days', auto_renew = false ${ofCustomer}`,
    // The balance covers it.
    end: `UPDATE domains SET auto_renew = true ${ofCustomer}`,
  },
  certificate: {
    begin: `UPDATE certificates SET state = 'expired', valid_to = now() - interval '1 day' ${ofCustomer}`,
    end: `UPDATE certificates SET state = 'cancelled' ${ofCustomer}`,
  },
  acme: {
    begin: `WITH living AS (UPDATE acme_accesses SET revoked_at = NULL, expires_at = NULL ${ofCustomer} RETURNING id)
      INSERT INTO acme_access_log (organisation_id, access_id, at, last_at, event, outcome, identifiers, detail)
      SELECT $1, id, now(), now(), 'order', 'refused', '{}', 'Ask the provider.' FROM living`,
    end: `UPDATE acme_accesses SET revoked_at = now() ${ofCustomer}`,
  },
  charge: {
    begin: `UPDATE direct_charges SET state = 'failed' ${ofCustomer}`,
    end: `UPDATE direct_charges SET state = 'waived' ${ofCustomer}`,
  },
  refund: {
    begin: `UPDATE direct_refunds SET state = 'failed' WHERE ${charges}`,
    end: `UPDATE direct_refunds SET state = 'done' WHERE ${charges}`,
  },
  transfer: {
    begin: `UPDATE transfers SET completed_at = NULL, failed_at = NULL ${ofCustomer}`,
    end: `UPDATE transfers SET completed_at = now() ${ofCustomer}`,
  },
  registrant: {
    begin: `UPDATE domains SET verification = 'waiting', verification_deadline = now() + interval '9 days' ${ofCustomer}`,
    end: `UPDATE domains SET verification = 'verified' ${ofCustomer}`,
  },
  restore: {
    begin: `UPDATE domains SET status = 'expired', restorable_until = now() + interval '9 days' ${ofCustomer}`,
    end: `UPDATE domains SET status = 'active', restorable_until = NULL ${ofCustomer}`,
  },
  import: {
    begin: `UPDATE imports SET state = 'ready' ${ofAll}`,
    end: `UPDATE imports SET state = 'discarded' ${ofAll}`,
    ofNobody: true,
  },
  'zone-write': {
    begin: `UPDATE zone_versions SET state = 'unknown' WHERE ${zones}`,
    end: `UPDATE zone_versions SET state = 'applied' WHERE ${zones}`,
  },
  payment: {
    begin: `UPDATE topups SET state = 'requires_action', kind = 'manual', updated_at = now(), created_at = now() ${newestTopUp}`,
    end: `UPDATE topups SET state = 'succeeded' ${newestTopUp}`,
    ofNobody: true,
  },
  change: {
    begin: `UPDATE changes SET state = 'partly', ended_at = now() ${ofAll}`,
    end: `UPDATE changes SET state = 'done' ${ofAll}`,
    ofNobody: true,
  },
  health: {
    begin: `UPDATE health_findings SET cleared_at = NULL, muted_until = NULL WHERE ${zones}`,
    end: `UPDATE health_findings SET cleared_at = now() WHERE ${zones}`,
  },
  move: {
    begin: `INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, facts)
      SELECT gen_random_uuid(), $1, id, 900, 'a.com', 'checked', '{"hindrance": null}' FROM moves ${ofCustomer}
      ON CONFLICT (move_id, number) DO UPDATE SET left_out = false`,
    end: `UPDATE move_lines SET left_out = true WHERE ${moves}`,
  },
  'move-dns': {
    begin: `INSERT INTO move_lines (id, organisation_id, move_id, number, address, state, item_id, held)
      SELECT gen_random_uuid(), $1, m.id, 901, d.address, 'ordered', gen_random_uuid(), 'It is signed.'
      FROM moves m JOIN domains d USING (organisation_id, customer_id) ${ofCustomer}
      ON CONFLICT (move_id, number) DO UPDATE SET held = excluded.held`,
    end: `UPDATE move_lines SET held = NULL WHERE ${moves}`,
  },
  order: {
    begin: `UPDATE order_items SET state = 'review' ${ofCustomer}`,
    end: `UPDATE order_items SET state = 'succeeded' ${ofCustomer}`,
  },
};

async function each(statement: string): Promise<void> {
  for (const { id } of a.customers) await run(statement, [a.id, id]);
}

describe.each(Object.entries(cases) as [AttentionCause, Case][])('%s', (cause, { begin, end, ofNobody }) => {
  const found = (role: Role) => list(role, `&cause=${cause}`);

  test('is opened by the change that brings it about, seen by those who may, once, and closed by the one that ends it', async () => {
    await each(end);
    expect(await found('MSP_OWNER')).toEqual([]);
    await each(begin);
    const items = await found('MSP_OWNER');
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) {
      expect(item).toMatchObject({
        cause,
        title: expect.stringMatching(/\w/),
        owner: null,
        snoozedUntil: null,
      });
      expect(item.action.to).toMatch(/^\/\w/);
    }
    const customers = new Set(items.map(({ customerId }) => customerId));
    expect(customers).toEqual(new Set(ofNobody ? [null] : a.customers.map(({ id }) => id)));
    for (const role of roles) {
      const seen = may(role, attentionRules[cause].permission);
      const own = role === 'MSP_CUSTOMER' ? [a.customers[0].id] : [...customers];
      const expected = items.filter(({ customerId }) => seen && own.includes(customerId as string));
      expect([role, await found(role)]).toEqual([role, expected]);
    }
    // The clock states the same again.
    await portal.features.attention.tasks['attention.sweep']();
    expect(await found('MSP_OWNER')).toEqual(items);
    await each(end);
    expect(await found('MSP_OWNER')).toEqual([]);
    await portal.features.attention.tasks['attention.sweep']();
    expect(await found('MSP_OWNER')).toEqual([]);
  });

  test('raised again while many look and sweep it is the same entry; ended while they do, it is gone', async () => {
    const { attention } = portal.features;
    const beside = () => [
      ...Array.from({ length: 3 }, () => found('MSP_OWNER')),
      ...Array.from({ length: 2 }, () => attention.settle()),
      attention.tasks['attention.sweep'](),
    ];
    await each(begin);
    const ids = async () => (await found('MSP_OWNER')).map(({ id }) => id).sort();
    const before = await ids();
    expect(before.length).toBeGreaterThan(0);
    await Promise.all([each(begin), ...beside(), each(begin)]);
    expect(await ids()).toEqual(before);
    await Promise.all([...beside(), each(end), ...beside()]);
    expect(await ids()).toEqual([]);
    await Promise.all([each(begin), ...beside()]);
    expect(await ids()).toEqual(before);
    await each(end);
    expect(await ids()).toEqual([]);
  });

  test('is closed by the clock, where nothing marked the change', async () => {
    await each(begin);
    expect(await found('MSP_OWNER')).not.toEqual([]);
    await run(`SET session_replication_role = replica`, []);
    await each(end);
    await run(`SET session_replication_role = origin`, []);
    expect(await found('MSP_OWNER')).not.toEqual([]);
    await portal.features.attention.tasks['attention.sweep']();
    expect(await found('MSP_OWNER')).toEqual([]);
  });
});

describe('what people do with the list', () => {
  const names = Array.from({ length: 11 }, (_, n) => `listed-${n}-zq.com`);
  beforeAll(async () => {
    for (const { end } of Object.values(cases)) await each(end);
    for (const [n, address] of names.entries()) {
      await insert(portal, 'domains', {
        ...{ id: newId(), organisation_id: a.id, customer_id: a.customers[n % 2]?.id, address, locked: true },
        ...{ status: 'active', expires_at: new Date(Date.now() + (n + 1.5) * 2 * 86_400_000) },
      });
    }
  });
  beforeEach(() =>
    run('UPDATE attention_items SET owner_id = NULL, snoozed_until = NULL WHERE organisation_id = $1', [
      a.id,
    ]),
  );
  const counts = async (query = '') =>
    (await call<AttentionCounts>('MSP_OWNER', 'GET', `/attention/counts${query}`)).data;
  const change = (item: AttentionItem | undefined, body: object, role: Role = 'MSP_EMPLOYEE') =>
    call<AttentionItem>(role, 'PATCH', `/attention/${item?.id}`, body);

  test('the pressing come first, then the earliest; pages follow each other without a gap or a repeat', async () => {
    const all = await list('MSP_OWNER');
    expect(all.map(({ name }) => name)).toEqual(names);
    expect(all.map(({ severity }) => severity)).toEqual([...Array(3).fill('now'), ...Array(8).fill('soon')]);
    const paged: AttentionItem[] = [];
    for (let more = true; more; ) {
      const after = paged.at(-1)?.id;
      const { data } = await call<AttentionList>(
        ...(['MSP_OWNER', 'GET', `/attention?limit=4${after ? `&after=${after}` : ''}`] as const),
      );
      expect(data.items.length).toBeLessThanOrEqual(4);
      paged.push(...data.items);
      more = data.more;
    }
    expect(paged).toEqual(all);
    const more = async (limit: number) =>
      (await call<AttentionList>('MSP_OWNER', 'GET', `/attention?limit=${limit}`)).data.more;
    expect([await more(names.length - 1), await more(names.length)]).toEqual([true, false]);
    expect(await list('MSP_OWNER', `&after=${newId()}`)).toEqual([]);
  });

  test('by severity, customer and cause; the counts say the same', async () => {
    const customer = a.customers[1].id;
    expect(await list('MSP_OWNER', '&severity=now')).toHaveLength(3);
    expect(await list('MSP_OWNER', `&customerId=${customer}`)).toHaveLength(5);
    expect(await list('MSP_OWNER', '&cause=transfer')).toEqual([]);
    expect(await counts()).toEqual({
      ...{ now: 3, soon: 8, snoozed: 0, mine: 0 },
      causes: [{ cause: 'renewal', count: 11 }],
    });
    expect(await counts(`?customerId=${customer}`)).toMatchObject({ now: 1, soon: 4 });
    expect(await list('MSP_CUSTOMER')).toEqual([]);
    const overview = await call<{ attention: object }>('MSP_OWNER', 'GET', '/overview');
    expect(overview.data.attention).toEqual({ now: 3, soon: 8 });
  });

  test('what is taken over is somebody’s, and is given back', async () => {
    const [first] = await list('MSP_EMPLOYEE');
    const ownerId = a.userIds.MSP_EMPLOYEE;
    const { status, data } = await change(first, { ownerId });
    expect([status, data.owner]).toEqual([200, { userId: ownerId, name: 'somebody' }]);
    expect((await list('MSP_EMPLOYEE', '&mine=true')).map(({ id }) => id)).toEqual([first?.id]);
    expect(await list('MSP_OWNER', '&mine=true')).toEqual([]);
    // A cause that ends and comes back is the same entry, and its owner has it still.
    await run('UPDATE domains SET auto_renew = true WHERE address = $1', [first?.name]);
    expect(await list('MSP_EMPLOYEE', '&mine=true')).toEqual([]);
    await run('UPDATE domains SET auto_renew = false WHERE address = $1', [first?.name]);
    expect((await list('MSP_EMPLOYEE', '&mine=true')).map(({ id }) => id)).toEqual([first?.id]);
    expect((await change(first, { ownerId: null })).data.owner).toBeNull();
  });

  test('only colleagues can own an entry', async () => {
    const [first] = await list('MSP_OWNER');
    for (const ownerId of [a.userIds.MSP_CUSTOMER, newId()]) {
      const { status, details } = await change(first, { ownerId });
      expect([status, details?.[0]?.message]).toEqual([400, 'This person does not work here']);
    }
    expect((await change(first, { ownerId: a.userIds.MSP_ADMIN }, 'MSP_CUSTOMER')).status).toBe(403);
  });

  test('what is put off is in no other list until then, and no longer than a year', async () => {
    const [first] = await list('MSP_OWNER');
    const snoozedUntil = new Date(Date.now() + 86_400_000).toISOString();
    expect((await change(first, { snoozedUntil })).data.snoozedUntil).toBe(snoozedUntil);
    expect((await list('MSP_OWNER')).map(({ id }) => id)).not.toContain(first?.id);
    expect((await list('MSP_OWNER', '&snoozed=true')).map(({ id }) => id)).toEqual([first?.id]);
    expect(await counts()).toMatchObject({ now: 2, snoozed: 1 });
    await run("UPDATE attention_items SET snoozed_until = now() - interval '1 second' WHERE id = $1", [
      first?.id,
    ]);
    expect((await list('MSP_OWNER')).map(({ id }) => id)).toContain(first?.id);
    for (const days of [-1, 367]) {
      const wrong = new Date(Date.now() + days * 86_400_000).toISOString();
      const { status, details } = await change(first, { snoozedUntil: wrong });
      expect([status, details?.[0]?.message]).toEqual([400, 'Please choose a date within the next year']);
    }
  });

  test('what staff put off the customer’s own user sees still: only they can end it', async () => {
    const verify = (state: 'waiting' | 'verified') =>
      run(
        `UPDATE domains SET verification = $2, verification_deadline = now() + interval '9 days 12 hours' WHERE address = $1`,
        [names[0], state],
      );
    await verify('waiting');
    const seen = await list('MSP_CUSTOMER');
    expect(seen).toMatchObject([{ cause: 'registrant', name: names[0], snoozedUntil: null }]);
    const snoozedUntil = new Date(Date.now() + 86_400_000).toISOString();
    expect((await change(seen[0], { snoozedUntil })).data.snoozedUntil).toBe(snoozedUntil);
    expect(await list('MSP_OWNER', '&cause=registrant')).toEqual([]);
    expect(await list('MSP_CUSTOMER')).toEqual(seen);
    expect(await list('MSP_CUSTOMER', '&snoozed=true')).toEqual([]);
    const counted = await call<AttentionCounts>('MSP_CUSTOMER', 'GET', '/attention/counts');
    expect(counted.data).toMatchObject({ snoozed: 0, causes: [{ cause: 'registrant', count: 1 }] });
    await verify('verified');
  });

  test('however many look and sweep at once, each thing is one entry', async () => {
    await run('DELETE FROM attention_items WHERE organisation_id = $1', [a.id]);
    await run('INSERT INTO attention_marks (organisation_id, cause) VALUES ($1, $2), ($1, $3)', [
      ...[a.id, 'renewal', 'certificate'],
    ]);
    const { attention } = portal.features;
    await Promise.all([
      ...Array.from({ length: 4 }, () => list('MSP_OWNER')),
      ...Array.from({ length: 3 }, () => attention.settle()),
      attention.tasks['attention.sweep'](),
    ]);
    expect((await list('MSP_OWNER')).map(({ name }) => name)).toEqual(names);
    expect(portal.log()).not.toContain('could not be brought up to date');
  });

  test('the daily mail has the list, goes to those who want it and have something, once a day', async () => {
    const mails = async () => {
      const { rows } = await run(
        `SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'messageId' LIKE 'attention.%'`,
        [],
      );
      return rows.map(({ payload }) => payload as { to: string; letter: { subject: string } });
    };
    for (const role of ['MSP_EMPLOYEE', 'MSP_CUSTOMER'] as const) {
      expect((await call(role, 'PUT', '/attention/digest', { daily: true })).data).toEqual({ daily: true });
    }
    expect((await call('MSP_OWNER', 'GET', '/attention/digest')).data).toEqual({ daily: false });
    for (let n = 0; n < 2; n += 1) await portal.features.attention.tasks['attention.digest']();
    // The customer's own user sees nothing of renewals.
    expect(await mails()).toMatchObject([
      { to: `msp_employee@${a.marker}.example`, letter: { subject: '11 things need attention' } },
    ]);
    await run('UPDATE attention_digests SET sent_on = sent_on - 1 WHERE organisation_id = $1', [a.id]);
    await call('MSP_EMPLOYEE', 'PUT', '/attention/digest', { daily: false });
    await portal.features.attention.tasks['attention.digest']();
    expect(await mails()).toHaveLength(1);
  });

  test('a cause that cannot be read is logged, and the others are brought up to date all the same', async () => {
    await run('ALTER TABLE transfers RENAME TO transfers_gone', []);
    await run('UPDATE domains SET auto_renew = true WHERE address = $1', [names[0]]);
    await portal.features.attention.tasks['attention.sweep']();
    await run('ALTER TABLE transfers_gone RENAME TO transfers', []);
    expect((await list('MSP_OWNER')).map(({ name }) => name)).toEqual(names.slice(1));
    expect(portal.log()).toContain('could not be brought up to date');
  });

  test('closed entries are forgotten after 30 days', async () => {
    const kept = async () =>
      (
        await run('SELECT id FROM attention_items WHERE closed_at IS NOT NULL AND organisation_id = $1', [
          a.id,
        ])
      ).rows.length;
    expect(await kept()).toBeGreaterThan(0);
    await run(
      "UPDATE attention_items SET closed_at = now() - interval '29 days' WHERE closed_at IS NOT NULL",
      [],
    );
    await portal.features.attention.tasks['attention.forget']();
    expect(await kept()).toBeGreaterThan(0);
    await run(
      "UPDATE attention_items SET closed_at = now() - interval '31 days' WHERE closed_at IS NOT NULL",
      [],
    );
    await portal.features.attention.tasks['attention.forget']();
    expect(await kept()).toBe(0);
  });
});

test.each(['charge', 'refund'] as const)(
  'a %s that an earlier version stated, without its charge, leads to its charge after the first sweep',
  async (cause) => {
    const leads = async () => (await list('MSP_OWNER', `&cause=${cause}`)).map(({ action }) => action.to);
    await each(cases[cause].begin);
    const whole = await leads();
    expect(whole.length).toBeGreaterThan(0);
    for (const to of whole) expect(to).toMatch(/^\/direct-billing\?charge=[0-9a-f-]{36}$/);
    await run("UPDATE attention_items SET facts = facts - 'chargeId' WHERE organisation_id = $1", [a.id]);
    expect(new Set(await leads())).toEqual(new Set(['/direct-billing']));
    await portal.features.attention.tasks['attention.sweep']();
    expect((await leads()).sort()).toEqual(whole.sort());
    await each(cases[cause].end);
  },
);

test('every cause is told of to somebody of the organization', () => {
  for (const cause of attentionCauses) expect(may('MSP_OWNER', attentionRules[cause].permission)).toBe(true);
});
