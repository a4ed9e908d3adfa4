import pg from 'pg';
import { noMarkups } from '../src/contracts/values/money.ts';

/** How large a portal is, and what a domain of it has brought with it. */
export interface Size {
  organisations: number;
  domains: number;
  /** Rows of the log for each domain. */
  auditRows: number;
}

const customersEach = 50;
const priceCents = 1_200;
const costCents = 1_000;

/**
 * A portal of this size, in the state that years would leave: each domain was bought once, its money is booked, its log written.
 * `member` is an organization that exists already, and gets its equal part. Rows of all organizations lie mixed on the disk, as
 * they come in life. Triggers do not run: nothing waits for attention.
 */
export async function fillPortal(databaseUrl: string, member: string, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    await client.query(
      `CREATE TEMP TABLE o AS SELECT k, CASE WHEN k = 0 THEN $1::uuid ELSE uuidv7() END AS id
       FROM generate_series(0, $2::int - 1) AS k`,
      [member, size.organisations],
    );
    await client.query(
      `CREATE TEMP TABLE c AS SELECT o.k, m, uuidv7() AS id, o.id AS organisation_id
       FROM generate_series(0, $1::int - 1) AS m, o`,
      [customersEach],
    );
    await client.query(
      `CREATE TEMP TABLE d AS SELECT n, uuidv7() AS id, uuidv7() AS order_id, uuidv7() AS item_id, uuidv7() AS journal_id,
         c.organisation_id, c.id AS customer_id, c.k, 'growth-' || n || '.com' AS address,
         now() - interval '1 minute' * (n % 500000) AS at
       FROM generate_series(0, $1::int - 1) AS n
       JOIN c ON c.k = n % $2::int AND c.m = n / $2::int % $3::int`,
      [size.domains, size.organisations, customersEach],
    );
    await client.query('ANALYZE o, c, d');
    for (const [name, statement, values] of steps(size)) {
      const beganAt = performance.now();
      await client.query(statement, values);
      const seconds = (performance.now() - beganAt) / 1_000;
      if (seconds > 10) console.log(`  filled in ${name}: ${seconds.toFixed(0)} s`);
    }
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

function steps(size: Size): [name: string, statement: string, values?: unknown[]][] {
  return [
    [
      'organizations',
      `INSERT INTO organisations (id, name) SELECT id, 'MSP ' || k FROM o WHERE k > 0;
       INSERT INTO wallets (organisation_id) SELECT id FROM o ON CONFLICT DO NOTHING`,
    ],
    [
      'customers',
      `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
       SELECT id, organisation_id, j, j, j, $1 FROM c, LATERAL (SELECT jsonb_build_object(
         'organization', 'Customer ' || md5(m::text), 'firstName', 'First' || m, 'lastName', 'Last' || m,
         'address1', m || ' Main Street', 'city', 'Springfield', 'state', 'NY', 'postalCode', '10001',
         'country', (ARRAY['US', 'CA', 'GB', 'DE', 'FR'])[1 + m % 5], 'email', 'c' || m || '@example.com',
         'phone', '+1.2125550100') AS j) AS contact`,
      [JSON.stringify(noMarkups)],
    ],
    [
      'domains',
      `INSERT INTO domains (id, organisation_id, customer_id, address, status, expires_at, registered_at, synced_at,
         verification, verification_read_at)
       SELECT id, organisation_id, customer_id, address, 'active', now() + interval '1 day' * (10 + n % 690), at, now(),
         'verified', now() FROM d`,
    ],
    [
      'looks at their health',
      `INSERT INTO health_checks (domain_id, organisation_id, next_at, checked_at)
       SELECT id, organisation_id, now() + interval '1 hour' + random() * interval '23 hours', now() FROM d`,
    ],
    [
      'orders',
      `INSERT INTO orders (id, organisation_id, source, state, total_cents, created_at, ended_at)
       SELECT order_id, organisation_id, 'cart', 'settled', ${priceCents}, at, at FROM d`,
    ],
    [
      'items',
      `INSERT INTO order_items (id, organisation_id, order_id, position, kind, address, customer_id, years, price_cents,
         cost_cents, details, state, attempt, registrar_order_id, created_at, updated_at)
       SELECT item_id, organisation_id, order_id, 0, 'domain', address, customer_id, 1, ${priceCents},
         ${costCents}, '{}', 'succeeded', 1, n::text, at, at FROM d`,
    ],
    [
      'holds',
      `INSERT INTO holds (item_id, organisation_id, cents, state, created_at, ended_at)
       SELECT item_id, organisation_id, ${priceCents}, 'captured', at, at FROM d`,
    ],
    [
      'the journal',
      `INSERT INTO journal (id, organisation_id, kind, ref, actor, order_item_id, at)
       SELECT journal_id, organisation_id, 'purchase', 'item:' || item_id || ':capture', 'bench', item_id, at FROM d;
       INSERT INTO journal (id, organisation_id, kind, ref, actor)
       SELECT id, id, 'adjustment', 'adjust:' || id || ':growth', 'bench' FROM o`,
    ],
    [
      'postings',
      `INSERT INTO postings (journal_id, organisation_id, account, cents)
       SELECT journal_id, organisation_id, p.account, p.cents FROM d,
         (VALUES ('wallet', -${priceCents}), ('registrar_cost', ${costCents}), ('revenue', ${priceCents - costCents})) AS p (account, cents);
       INSERT INTO postings (journal_id, organisation_id, account, cents)
       SELECT o.id, o.id, p.account, p.cents FROM o, (VALUES ('wallet', ${plentyCents}), ('adjustments', -${plentyCents})) AS p (account, cents);
       UPDATE wallets w SET posted_cents = s.cents FROM (SELECT organisation_id, sum(cents) AS cents FROM postings
         WHERE account = 'wallet' GROUP BY 1) AS s WHERE s.organisation_id = w.organisation_id`,
    ],
    [
      'receipts',
      `INSERT INTO receipts (organisation_id, order_id, number, issued_at)
       SELECT organisation_id, order_id, row_number() OVER (PARTITION BY organisation_id ORDER BY n), at FROM d`,
    ],
    [
      'the log',
      `INSERT INTO audit_log (organisation_id, sequence, at, actor, action, object_kind, object, customer_id, previous_hash, hash)
       SELECT organisation_id, 1000000 + (n / $1::int) * $2::int + r, at, 'bench',
         (ARRAY['zone.changed', 'domain.renewed', 'domain.locked', 'customer.changed'])[1 + r % 4], 'domain', address, customer_id,
         sha256(int4send(n)), sha256(int4send(n + 1))
       FROM generate_series(1, $2::int) AS r, d`,
      [size.organisations, size.auditRows],
    ],
  ];
}

const plentyCents = 100_000_000;
