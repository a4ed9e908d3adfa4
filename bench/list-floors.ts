/**
 * Lists as a bare server would ask for them: the shortest statements that we know, for one organization (`$1`) whose person may see
 * everything. They are not the portal's own and may use every index. What a list says is the same.
 */
export interface FloorStatement {
  sql: string;
  /** Behind the organization. */
  parameters: readonly unknown[];
}

const customerColumns = `c.id, c.owner, c.admin, c.billing_contact, c.bill_directly, c.billing_email, c.payment_customer_id,
  c.allow_change_billing, c.markups, c.payment_method_set, c.allow_domain_settings, c.version, c.created_at, stops.stopped`;
/** Few customers dispute a payment. */
const stops = `LEFT JOIN (SELECT customer_id, json_build_object('since', min(disputed_at), 'disputes', count(*),
    'chargeId', CASE count(*) WHEN 1 THEN min(id::text) END) AS stopped
  FROM direct_charges WHERE organisation_id = $1 AND disputed_cents > dispute_released_cents GROUP BY 1) stops
  ON stops.customer_id = c.id`;
const living = 'c.organisation_id = $1 AND c.deleted_at IS NULL';
const held = "d.organisation_id = $1 AND d.status <> 'ended'";
const heldByEach = `(SELECT count(*)::int FROM domains d WHERE ${held} AND d.customer_id = c.id) AS domains`;
const customersInAll = `(SELECT count(*)::int FROM customers c WHERE ${living})`;
const domainsInAll = `(SELECT count(*)::int FROM domains d WHERE ${held})`;

/** Pages of 50 customers. */
export const customerFloors = {
  firstPage: {
    sql: `SELECT ${customerColumns}, ${heldByEach}, ${customersInAll} AS total
      FROM (SELECT * FROM customers c WHERE ${living} ORDER BY c.organization, c.id LIMIT 50) c ${stops}
      ORDER BY c.organization, c.id`,
    parameters: [],
  },
  /** Read from the other end, where it is the first page. */
  lastPageByLocation: {
    sql: `SELECT ${customerColumns}, ${heldByEach}, ${customersInAll} AS total
      FROM (SELECT * FROM customers c WHERE ${living} ORDER BY c.location, c.id LIMIT 50) c ${stops}
      ORDER BY c.location DESC, c.id DESC`,
    parameters: [],
  },
  /** Customers without one come behind the page. */
  byDomains: {
    sql: `WITH most AS MATERIALIZED (SELECT d.customer_id AS id, count(*)::int AS domains FROM domains d
        WHERE ${held} GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT 50)
      SELECT ${customerColumns}, most.domains, ${customersInAll} AS total
      FROM most JOIN customers c ON c.id = most.id ${stops}
      ORDER BY most.domains DESC, most.id DESC`,
    parameters: [],
  },
  search: {
    sql: `WITH found AS MATERIALIZED (SELECT c.id, c.contact_name FROM customers c WHERE ${living} AND c.search_text LIKE $2)
      SELECT ${customerColumns}, ${heldByEach}, (SELECT count(*)::int FROM found) AS total
      FROM (SELECT * FROM found ORDER BY contact_name, id LIMIT 50) page JOIN customers c ON c.id = page.id ${stops}
      ORDER BY page.contact_name, page.id`,
    parameters: ['%first12%'],
  },
} satisfies Record<string, FloorStatement>;

const domainColumns = `d.address, d.customer_id, d.expires_at, d.registered_at, d.status, d.auto_renew, d.locked,
  d.verification, d.verification_deadline, d.synced_at, d.missing_since,
  (SELECT json_build_object('state', s.state, 'orderId', s.registrar_order_id) FROM certificates s
    WHERE s.organisation_id = $1 AND s.address = d.address AND s.state <> 'declined'
    ORDER BY s.ordered_at DESC LIMIT 1) AS certificate`;
const withCustomers = 'LEFT JOIN customers c ON c.id = d.customer_id';

/** Pages of 50 domains. */
export const domainFloors = {
  firstPage: {
    sql: `SELECT ${domainColumns}, c.organization AS customer, ${domainsInAll} AS total
      FROM domains d ${withCustomers} WHERE ${held} ORDER BY d.address LIMIT 50`,
    parameters: [],
  },
  /** From the nearer end, and up to the page in the index alone. */
  farByExpiry: {
    sql: `SELECT ${domainColumns}, c.organization AS customer, ${domainsInAll} AS total
      FROM (SELECT d.expires_at, d.address FROM domains d WHERE ${held}
        ORDER BY d.expires_at, d.address LIMIT 50 OFFSET $2) page
      JOIN domains d ON d.address = page.address AND ${held} ${withCustomers}
      ORDER BY page.expires_at DESC, page.address DESC`,
    parameters: [5_000],
  },
  /** Customers in their order, each with its domains in theirs: a page needs the first few only. */
  byCustomer: {
    sql: `WITH page AS MATERIALIZED (SELECT d.id, c.organization, d.address FROM customers c
        JOIN domains d ON d.customer_id = c.id AND ${held}
        WHERE ${living} ORDER BY c.organization, d.address LIMIT 50 OFFSET $2::int)
      SELECT ${domainColumns}, page.organization AS customer, ${domainsInAll} AS total
      FROM page JOIN domains d ON d.id = page.id ORDER BY page.organization, d.address`,
    parameters: [50],
  },
  expiring: {
    sql: `SELECT ${domainColumns}, c.organization AS customer,
        (SELECT count(*)::int FROM domains d WHERE ${held} AND d.expires_at < now() + interval '30 days') AS total
      FROM domains d ${withCustomers} WHERE ${held} AND d.expires_at < now() + interval '30 days'
      ORDER BY d.expires_at, d.address LIMIT 50`,
    parameters: [],
  },
  search: {
    sql: `WITH found AS MATERIALIZED (SELECT d.id, d.address FROM domains d WHERE ${held} AND d.address LIKE $2)
      SELECT ${domainColumns}, c.organization AS customer, (SELECT count(*)::int FROM found) AS total
      FROM (SELECT * FROM found ORDER BY address LIMIT 50) page JOIN domains d ON d.id = page.id ${withCustomers}
      ORDER BY d.address`,
    parameters: ['%lio-12%'],
  },
} satisfies Record<string, FloorStatement>;
