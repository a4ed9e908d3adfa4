import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Role, roles } from '../../src/contracts/permissions.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { about, inOrder, mayCall, permitted } from './support/probe.ts';
import { requestFor } from './support/samples.ts';
import { idsOf, seedOrganisation } from './support/world.ts';

/**
 * The other side of the matrix: what one may do with what is one's own is done, or refused for a reason of its own.
 * An operation that answers 404 to everybody would pass every test of the wall.
 */

let portal: Portal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal[Symbol.asyncDispose]());

/** The registrar does not know the names that were seeded: it was asked, which is what counts here. */
const atRegistrar = [
  ...['dns.zone', 'dns.changeZone', 'dns.importPreview', 'dns.forceNameservers'],
  ...['dns.glue', 'dns.deleteGlue', 'dns.updateGlue', 'dns.dnssec', 'dns.removeDnssec'],
  ...['domains.lock', 'domains.unlock', 'domains.autoRenew', 'domains.contacts', 'domains.updateNameservers'],
  ...['domains.privacy', 'domains.resendVerification'],
];
/** What is answered to the seeded world's own things where it is not success. */
const refusals: Readonly<Record<string, string>> = {
  // It was described differently just before, and nobody has looked at it since.
  ...Object.fromEntries(
    ['choose', 'look', 'apply', 'pause', 'resume', 'cancel', 'retry', 'undo'].map((act) => [
      ...[`changes.${act}`, 'conflict'],
    ]),
  ),
  ...Object.fromEntries(atRegistrar.map((id) => [id, 'registrar_refused'])),
  // Rules that what was seeded, or the sample of a body, does not meet.
  'billing.autoBalance': 'unprocessable',
  'certificates.cancel': 'unprocessable',
  'certificates.parseCsr': 'validation_failed',
  'certificates.reissue': 'validation_failed',
  'certificates.resendApproval': 'unprocessable',
  'certificates.revoke': 'validation_failed',
  'certificates.setProof': 'unprocessable',
  'customers.delete': 'has_active_domains',
  'customers.resendPaymentLink': 'unprocessable',
  'direct.release': 'unprocessable',
  'direct.retry': 'unprocessable',
  'direct.settle': 'unprocessable',
  // Its template was changed just before.
  'dns.acceptDrift': 'conflict',
  'dns.createGlue': 'validation_failed',
  'orders.purchase': 'unprocessable',
  'orders.transfer': 'unprocessable',
  'privacy.eraseCustomer': 'unprocessable',
  'statement.receipt': 'unprocessable',
  'transfers.cancel': 'unprocessable',
  // The sample changes markups and billing, which these two may not.
  'customers.update as MSP_EMPLOYEE': 'forbidden',
  'customers.update as MSP_CUSTOMER': 'forbidden',
  // A manager's file may set what an employee may not, so an employee cannot start it.
  'customers.startImport as MSP_EMPLOYEE': 'not_found',
  // The sample's price is not the one of restoring.
  'orders.restore': 'price_changed',
  // The sample names a customer, whom only a customer's own user has.
  'users.change': 'validation_failed',
  // It was started just before.
  'customers.discardImport as MSP_OWNER': 'conflict',
  'customers.discardImport as MSP_ADMIN': 'conflict',
  // There is no certificate yet, and nothing was uploaded.
  'certificates.file': 'not_found',
  'customers.finishCsv': 'not_found',
  'customers.lookAtCsv': 'not_found',
  'users.finishLogo': 'not_found',
  // There are others in it, and there is an owner.
  'users.closeOrganization': 'organization_in_use',
  'users.closeOrganization as MSP_ADMIN': 'forbidden',
  // Shared by a colleague: managers remove those, employees their own.
  'views.delete as MSP_EMPLOYEE': 'not_found',
  'views.rename as MSP_EMPLOYEE': 'not_found',
  // The sample has seen another name.
  'views.rename': 'conflict',
  // The sample has seen another owner.
  'attention.change': 'conflict',
  // A checked file is its uploader's and the managers' (docs/decisions/0145).
  'customers.applySuggestions as MSP_EMPLOYEE': 'not_found',
  'customers.discardImport as MSP_EMPLOYEE': 'not_found',
  // A list and its line have ids of their own; the sample has one for both.
  ...Object.fromEntries(
    ['zone', 'change', 'setCode', 'look', 'order'].map((act) => [`moves.${act}`, 'not_found']),
  ),
  // The provider has no such account.
  'billing.dashboardLink': 'unprocessable',
};
const hidden = [401, 403, 404];

/** Tokens end with their person: they are revoked before anybody is removed. */
const isRemoval = (id: string) => id === 'users.remove';
const inTurn = [
  ...inOrder(permitted).filter(({ id }) => !isRemoval(id)),
  ...permitted.filter(({ id }) => isRemoval(id)),
];

/** The answer of each operation that this role may call, to the things of its own that fit it best. */
async function answersTo(role: Role): Promise<Map<string, string>> {
  const a = await seedOrganisation(portal, `own${role.slice(4, 6).toLowerCase()}`);
  // The MSP lets this customer change settings of domains; by default it does not.
  await portal.owner.query('UPDATE customers SET allow_domain_settings = true WHERE organisation_id = $1', [
    a.id,
  ]);
  const [first] = a.customers;
  const own = { id: first.id, domain: first.domain, text: `cus_${first.marker}` };
  // Not the caller: a user who changes or removes themselves is out.
  const others = [first.id, a.userIds.MSP_EMPLOYEE, ...(await idsOf(portal, a.id))].filter(
    (id) => id !== a.userIds[role],
  );
  const answers = new Map<string, string>();
  for (const operation of inTurn.filter((each) => mayCall(each, role))) {
    const asked = new Set<string>();
    for (const id of others) {
      const request = requestFor(operation, about(own, id), a.tokens[role]);
      const what = `${request.url} ${request.payload}`;
      // Ids that the operation has no place for make no other request.
      if (asked.has(what)) continue;
      asked.add(what);
      const { status, body } = await portal.call(request);
      const answer = status < 300 ? 'ok' : (JSON.parse(body) as { code: string }).code;
      if (!answers.has(operation.id) || !hidden.includes(status)) answers.set(operation.id, answer);
      if (!hidden.includes(status)) break;
    }
  }
  return answers;
}

test.each(roles)('%s may do with the own things what the table says', async (role) => {
  const answers = await answersTo(role);
  const wrong = [...answers].filter(
    ([id, answer]) => answer !== (refusals[`${id} as ${role}`] ?? refusals[id] ?? 'ok'),
  );
  expect(wrong).toEqual([]);
  expect(answers.size).toBe(permitted.filter((each) => mayCall(each, role)).length);
});

test('the table of refusals names operations that there are', () => {
  const known = new Set(permitted.map(({ id }) => id));
  expect(Object.keys(refusals).filter((key) => !known.has(key.replace(/ as .*/, '')))).toEqual([]);
});
