import { inTransaction } from '../../../src/server/kernel/db/database.ts';
import { newId } from '../../../src/server/kernel/ids.ts';
import { enqueueJob } from '../../../src/server/kernel/jobs.ts';
import { contacts, type PrivacyStand } from './privacy.ts';
import { seedWords } from './privacy-rows.ts';
import { insert, person } from './world.ts';

const day = 86_400_000;
const formerPhone = '+1.2125559876';
/** By what the three are known: names, addresses, phone numbers. */
export const words = [
  ...Object.values(contacts).flatMap((one) => [
    one.firstName,
    one.lastName,
    one.email,
    one.phone,
    one.address1,
  ]),
  ...[formerPhone, 'pay@quixworth.example'],
];
export const address = 'privacy-shop-one.com';

export interface Seeded {
  customerId: string;
  userToken: string;
  userId: string;
  itemId: string;
}

/** A customer with everything that the portal ever writes about one, through its own doors where they are near. */
export async function seedPrivateCustomer(stand: PrivacyStand): Promise<Seeded> {
  const { portal, owner, act } = stand;
  const first = { ...contacts, admin: { ...contacts.admin, phone: formerPhone } };
  const made = {
    contacts: first,
    billing: { billDirectly: false, email: 'pay@quixworth.example', allowChangeBilling: false },
  };
  const { customerId } = await act<{ customerId: string }>(
    owner.token,
    'POST',
    '/customer',
    made,
    'privacy-key-1',
  );
  await act(owner.token, 'PATCH', `/customer/${customerId}`, { contacts });
  const [quote] = await act<{ price: number }[]>(owner.token, 'POST', '/cart/prices', [
    { address, period: 1 },
  ]);
  const order = { domains: [{ address, customerId, period: 1 }], price: quote?.price };
  await act(owner.token, 'POST', '/cart/purchase', order, 'privacy-key-2');
  await act(owner.token, 'PUT', `/${address}/contacts`, { admin: contacts.admin });
  // Its own person, by invitation.
  const { email } = contacts.owner;
  const user = await person(portal, email, null);
  const invited = { email, type: 'MSP_CUSTOMER', authorizedClientId: customerId };
  const invite = await act<{ link: string }>(owner.token, 'POST', '/user/subuser', invited);
  await act(user.token, 'POST', '/user/subuser/create');
  await act(user.token, 'POST', `/user/subuser/acceptinvite/${invite.link.split('/').at(-1)}`);
  const { userId } = await act<{ userId: string }>(user.token, 'GET', '/user');
  const itemId = await seedRows(stand, customerId);
  await seedWords(stand, { customerId, userId, address, itemId });
  return { customerId, userToken: user.token, userId, itemId };
}

/** What other doors would write: files, certificates, charges, letters. */
async function seedRows(stand: PrivacyStand, customerId: string): Promise<string> {
  const { portal, organisationId } = stand;
  const its = { organisation_id: organisationId, customer_id: customerId };
  const { rows } = await portal.owner.query('SELECT id, order_id FROM order_items WHERE address = $1', [
    address,
  ]);
  const { id: itemId, order_id: orderId } = rows[0] as { id: string; order_id: string };
  const { owner: o, admin, billing } = contacts;
  const certificate = newId();
  await insert(portal, 'certificates', {
    ...{
      id: certificate,
      ...its,
      address,
      provider: 'Sectigo',
      product_type: 'comodo_ssl',
      state: 'completed',
    },
    ...{ csr: `O=${o.organization}`, contacts: JSON.stringify({ admin }), approver_email: admin.email },
    ...{
      certificate_pem: o.organization,
      remark: `wrote to ${billing.email}`,
      valid_to: new Date(Date.now() + day),
    },
  });
  await insert(portal, 'certificate_reissues', {
    ...{
      id: newId(),
      organisation_id: organisationId,
      certificate_id: certificate,
      csr: `O=${o.organization}`,
    },
    ...{ state: 'declined', automatic: true, remark: admin.email, created_at: new Date() },
  });
  await insert(portal, 'certificate_issues', {
    ...{
      organisation_id: organisationId,
      certificate_id: certificate,
      serial: '7',
      certificate_pem: o.organization,
    },
    ...{ valid_from: new Date(), valid_to: new Date(), recorded_at: new Date() },
  });
  await insert(portal, 'transfers', {
    ...{
      id: newId(),
      ...its,
      address,
      requested_at: new Date(),
      failed_at: new Date(),
      reason: `no word from ${o.email}`,
    },
  });
  await insert(portal, 'auto_renewals', {
    ...{
      organisation_id: organisationId,
      address,
      expiry_year: 2027,
      expires_at: new Date(),
      state: 'unable',
    },
    ...{
      price_cents: 1_231,
      reason_kind: 'refused',
      reason: `${o.email} must confirm`,
      updated_at: new Date(),
    },
  });
  await insert(portal, 'payment_setup_links', {
    ...{ id: newId(), ...its, token_hash: Buffer.from('h'), email: billing.email, expires_at: new Date() },
  });
  await insert(portal, 'direct_charges', {
    ...{
      id: newId(),
      ...its,
      order_id: orderId,
      part: 1,
      cents: 500,
      state: 'failed',
      note: `called ${o.phone}`,
    },
  });
  await insert(portal, 'direct_refunds', {
    ...{ item_id: itemId, organisation_id: organisationId, state: 'sending', reason: `for ${o.lastName}` },
  });
  await seedPapers(stand, its);
  return itemId;
}

/** Files, zones, tokens, letters. */
async function seedPapers(
  { portal, organisationId, owner }: PrivacyStand,
  its: { organisation_id: string; customer_id: string },
): Promise<void> {
  const { owner: o, admin, billing } = contacts;
  const upload = newId();
  await insert(portal, 'imports', {
    ...{
      id: upload,
      organisation_id: organisationId,
      upload_key: 'k',
      file_name: 'quixworth.csv',
      columns: ['email'],
    },
    ...{ state: 'done', new_rows: 1, changed_rows: 0, same_rows: 0, faulty_rows: 0, actor_id: owner.userId },
    ...{ actor: 'boss@northwind.example', actor_role: 'MSP_OWNER', created_at: new Date() },
  });
  await insert(portal, 'import_rows', {
    ...{
      import_id: upload,
      organisation_id: organisationId,
      number: 2,
      cells: [o.email.toUpperCase(), o.phone],
    },
    ...{
      kind: 'new',
      organization: o.organization,
      match_key: o.email,
      state: JSON.stringify(o),
      notes: '[]',
    },
  });
  await portal.owner.query(
    `INSERT INTO zone_versions (id, organisation_id, domain_id, records, record_count, hash, state, author, reason, created_at,
       customer_id)
     SELECT $1, $2, id, $3, 1, 'h', 'applied', $4, 'edit', now(), customer_id FROM domains WHERE address = $5`,
    [newId(), organisationId, JSON.stringify({ TXT: [{ text: admin.email }] }), o.email, address],
  );
  await insert(portal, 'api_tokens', {
    ...{
      id: newId(),
      ...its,
      user_id: owner.userId,
      name: `For ${o.firstName}`,
      token_hash: Buffer.from('t'),
    },
    permissions: ['domains.read'],
    reach: 'customer',
  });
  await inTransaction(portal.stack.database.db, { organisationId }, (tx) =>
    enqueueJob(tx, 'mail.send', {
      ...{ to: billing.email, sender: { organisationId, inItsName: true }, messageId: 'seeded' },
      letter: { subject: 'Hello', parts: [`Dear ${billing.firstName}`] },
    }),
  );
}
