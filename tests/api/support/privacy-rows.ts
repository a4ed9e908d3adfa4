import { newId } from '../../../src/server/kernel/ids.ts';
import { contacts, type PrivacyStand } from './privacy.ts';
import { insert, rowOf } from './world.ts';

const { email, firstName, lastName } = contacts.owner;
const said = `said by ${email}`;
const json = JSON.stringify({ said: email });
/** What is sealed elsewhere: here the word lies in it as it is, so that it can be looked for. */
const bytes = Buffer.from(email);
const inAYear = new Date(Date.now() + 365 * 86_400_000);

/** Whose the rows are, and what they are about. */
export interface Theirs {
  customerId: string;
  userId: string;
  address: string;
  itemId: string;
}

/** A person's words in each column that an erasure empties, and that no door of the seed has filled. */
export async function seedWords(stand: PrivacyStand, theirs: Theirs): Promise<void> {
  const { portal, organisationId } = stand;
  const { rows } = await portal.owner.query<{ id: string }>('SELECT id FROM domains WHERE address = $1', [
    theirs.address,
  ]);
  const domainId = rows[0]?.id ?? '';
  const add = async (table: string, given: Record<string, unknown>) => {
    const id = newId();
    const common = { id, organisation_id: organisationId, customer_id: theirs.customerId };
    const row = await rowOf(portal, table, 'ours', { ...common, ...given });
    await insert(portal, table, row);
    return id;
  };
  await fillRows(stand, theirs);
  await seedFormerUser(add, theirs);
  await seedZone(add, domainId);
  await seedChange(add, theirs, domainId);
  await seedMachines(add, theirs);
  await add('attention_items', { cause: 'acme', object: theirs.customerId, rank: 1, facts: json });
  await add('health_findings', {
    ...{ domain_id: domainId, watched_id: null, kind: 'spf-open', detail: said, muted_reason: said },
  });
  await add('watched_names', { address: `${lastName.toLowerCase()}.example`, registrar: said });
  const moveId = await add('moves', {});
  await add('move_lines', {
    ...{ move_id: moveId, item_id: theirs.itemId, address: theirs.address, state: 'settled', dns: 'keep' },
    ...{ code_sealed: bytes, zone: json, held: json, differences: json, accepted: json },
  });
}

/** Columns of rows that the doors of the seed have written. */
async function fillRows({ portal }: PrivacyStand, { customerId, itemId }: Theirs): Promise<void> {
  const statements: [string, unknown[]][] = [
    ['UPDATE customers SET payment_method_revoked = $2 WHERE id = $1', [customerId, said]],
    ['UPDATE domains SET credentials_sealed = $2 WHERE customer_id = $1', [customerId, bytes]],
    ['UPDATE invites SET token_sealed = $2 WHERE customer_id = $1', [customerId, bytes]],
    ['UPDATE payment_setup_links SET token_hash = $2 WHERE customer_id = $1', [customerId, bytes]],
    ['UPDATE certificates SET chain_pem = $2 WHERE customer_id = $1', [customerId, said]],
    ['UPDATE direct_charges SET failure = $2 WHERE customer_id = $1', [customerId, said]],
    ['UPDATE direct_refunds SET failure = $2 WHERE item_id = $1', [itemId, said]],
    [
      'UPDATE order_items SET public_error = $2, outcome_note = $2, secrets_sealed = $3 WHERE id = $1',
      [itemId, said, bytes],
    ],
    ['UPDATE zone_versions SET hash = $1, reason = $1', [said]],
    ['UPDATE import_rows SET notes = $1', [json]],
    ["UPDATE imports SET notice = $1 WHERE file_name = 'quixworth.csv'", [said]],
    ["UPDATE idempotency_keys SET key = $1, request_hash = $1 WHERE operation = 'customers.create'", [said]],
  ];
  for (const [statement, values] of statements) await portal.owner.query(statement, values);
}

type Add = (table: string, given: Record<string, unknown>) => Promise<string>;

/** Somebody who was the customer's user, and what the present one did. */
async function seedFormerUser(add: Add, { userId }: Theirs): Promise<void> {
  await add('users', {
    ...{ identity_issuer: `https://${email}`, identity_subject: said, email: `former-${email}` },
    ...{ username: said, first_name: firstName, last_name: lastName, role: 'MSP_CUSTOMER' },
    removed_at: new Date(),
  });
  await add('imports', { state: 'done', actor_id: userId, actor: email, actor_ip: said, file_name: 'a.csv' });
  await add('saved_views', { user_id: userId, screen: 'domains', name: said, query: said, shared: false });
  await add('request_keys', {
    ...{ caller: said, operation: said, key: said, request_hash: said, reply_sealed: bytes },
  });
}

async function seedZone(add: Add, domainId: string): Promise<void> {
  await add('zone_copies', { domain_id: domainId, nameservers: [said], body: said });
  const templateId = await add('dns_templates', { records: '{}' });
  await add('dns_template_uses', {
    ...{ template_id: templateId, domain_id: domainId, version: 1, state: 'held', next_at: inAYear },
    ...{ filled: json, owned: json, previous: json, drift: json },
  });
}

async function seedChange(add: Add, { userId }: Theirs, domainId: string): Promise<void> {
  const change = await add('changes', {
    ...{ user_id: userId, author: email, title: said, reason: said, state: 'done', undoes: null },
    request: JSON.stringify({ kind: 'contacts', roles: ['owner'], contact: contacts.owner }),
  });
  await add('change_items', {
    ...{ change_id: change, domain_id: domainId, state: 'done', address: said, note: said },
    ...{ before: json, after: json, version: said, warnings: json },
  });
}

/** What the customer's servers did by ACME. */
async function seedMachines(add: Add, { address }: Theirs): Promise<void> {
  const access = await add('acme_accesses', {
    name: said,
    hmac_sealed: bytes,
    hosts: null,
    by_customer: true,
  });
  await add('acme_access_log', {
    ...{ id: undefined, access_id: access, event: 'order', outcome: 'refused' },
    ...{ identifiers: [said], detail: said, advice: said },
  });
  const account = await add('acme_accounts', { access_id: access, contacts: [email], status: 'valid' });
  await add('acme_orders', {
    ...{ access_id: access, account_id: account, names: [address], state: 'invalid', csr: said, chain: said },
  });
}
