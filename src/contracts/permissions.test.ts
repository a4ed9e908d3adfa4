import { expect, test } from 'vitest';
import { needsFirstPayment } from './operation.ts';
import { operations } from './operations.ts';
import { may, type Permission, permissions, type Role, reachOf, roles } from './permissions.ts';

/**
 * Tests that are made from the table would follow it wherever it goes. Here it stands once more, as it was decided
 * (design, "Who may do what"): anyone who widens it must say so in two places.
 */

/** In the order owner, admin, employee, customer: everything, the own only, nothing. */
const decided: Record<
  Permission,
  `${'✓' | '◐' | '–'}${'✓' | '◐' | '–'}${'✓' | '◐' | '–'}${'✓' | '◐' | '–'}`
> = {
  'domains.read': '✓✓✓◐',
  'dns.write': '✓✓✓◐',
  'dns.templates': '✓✓✓–',
  'domains.settings': '✓✓✓◐',
  'domains.unlock': '✓✓✓–',
  'domains.watch': '✓✓✓–',
  'catalogue.read': '✓✓✓–',
  'orders.purchase': '✓✓✓–',
  'orders.read': '✓✓✓–',
  'acme.manage': '✓✓✓◐',
  'customers.read': '✓✓✓◐',
  'customers.create': '✓✓✓–',
  'customers.edit': '✓✓✓◐',
  'customers.delete': '✓✓––',
  'customers.export': '✓✓––',
  'customers.billing': '✓✓––',
  'balance.read': '✓✓✓–',
  'balance.topup': '✓✓––',
  'account.payment': '✓✓––',
  'statement.export': '✓✓––',
  'users.manage': '✓✓––',
  'roles.grant': '✓✓––',
  'organisation.write': '✓✓––',
  'organisation.close': '✓✓––',
  'audit.read': '✓✓◐◐',
  'audit.export': '✓✓––',
  'tokens.manage': '✓✓––',
  'privacy.manage': '✓✓––',
  'attention.manage': '✓✓✓–',
  'changes.manage': '✓✓✓–',
  'views.use': '✓✓✓–',
  'profile.self': '◐◐◐◐',
};
const signs = { all: '✓', own: '◐', none: '–' } as const;

test('each permission reaches as far as was decided, for each role', () => {
  const table = Object.entries(permissions).map(([name, reach]) => [
    name,
    roles.map((role) => signs[reach[role]]).join(''),
  ]);
  expect(
    Object.fromEntries(table),
    'if a permission is new or reaches another distance by decision, say so in `decided` above',
  ).toEqual(decided);
});

test('a role has a permission that reaches anything, its own only included, and none that reaches nothing', () => {
  for (const [permission, row] of Object.entries(decided) as [Permission, string][]) {
    const told = roles.map((role) => [signs[reachOf(role, permission)], may(role, permission)]);
    expect([permission, told]).toEqual([permission, [...row].map((sign) => [sign, sign !== '–'])]);
  }
});

/** Operations that others than owners and administrators may call; whatever is not here is theirs alone. */
const opened: Record<'nobody' | 'identity' | 'MSP_CUSTOMER' | 'MSP_EMPLOYEE', string> = {
  // Without a token; a webhook is known by its signature.
  nobody: `billing.webhook certificates.prices direct.openSetup direct.setup system.config system.document users.logo`,
  identity: 'users.acceptInvite users.checkInvite users.createProfile users.createSubuser',
  MSP_CUSTOMER: `acme.allowance acme.change acme.get acme.list acme.log acme.make acme.revoke attention.counts attention.getDigest
    attention.list attention.setDigest audit.list certificates.file certificates.get certificates.list certificates.listForCustomer
    customers.choices customers.get customers.list customers.update dns.changeZone dns.createGlue dns.deleteGlue dns.dnssec dns.export dns.findRecords
    dns.forceNameservers dns.glue dns.importPreview dns.lastChanges dns.removeDnssec dns.updateGlue dns.version dns.versions dns.zone domains.autoRenew
    domains.contacts domains.details domains.list domains.listForCustomer domains.lock domains.privacy domains.resendVerification
    domains.updateNameservers health.board health.check health.get health.ofCustomer health.report health.watched
    overview.get privacy.exportOwn transfers.status users.getProfile`,
  MSP_EMPLOYEE: `acme.setAllowance attention.change billing.account billing.balance earnings.list certificates.approvers certificates.cancel certificates.parseCsr
    certificates.reissue certificates.resendApproval certificates.revoke certificates.setAutoReissue
    certificates.setProof changes.apply changes.cancel changes.choose changes.create changes.describe changes.discard
    changes.get changes.items changes.list changes.look changes.pause changes.resume changes.retry changes.undo customers.applySuggestions customers.create customers.csvSample customers.csvUploadUrl customers.discardImport
    customers.dropImportMapping customers.importMappings customers.keepImportMapping customers.lookAtCsv
    customers.finishCsv customers.getImport customers.importRejects customers.importRows customers.imports
    customers.startImport dns.acceptDrift dns.changeTemplate dns.checkTemplate dns.deleteTemplate dns.forgetTemplate
    dns.saveTemplate dns.templateUses dns.templates domains.lookup domains.lookupList domains.suggestions domains.unlock health.assignWatched health.mute health.unwatch health.watch moves.change moves.create moves.drop
    moves.get moves.list moves.look moves.order moves.setCode moves.zone orders.get
    orders.list orders.outcome orders.prices orders.purchase orders.restore orders.transfer renewals.due statement.list statement.months
    statement.receipt transfers.cancel transfers.check views.delete views.list views.rename
    views.save`,
};
const names = (text: string) => text.split(/\s+/).toSorted();

test('an operation is open to a wider circle than owners and administrators only where that was decided', () => {
  const mayCall = (access: string, role: Role) =>
    access in permissions && permissions[access as Permission][role] !== 'none';
  const circle = (access: string) => {
    if (['public', 'signature', 'webhook'].includes(access)) return 'nobody';
    if (access === 'identity') return 'identity';
    return (['MSP_CUSTOMER', 'MSP_EMPLOYEE'] as const).find((role) => mayCall(access, role)) ?? 'managers';
  };
  const found = Map.groupBy(operations, ({ access }) => circle(access));
  for (const [who, text] of Object.entries(opened)) {
    const ids = (found.get(who as keyof typeof opened) ?? []).map(({ id }) => id).toSorted();
    expect([who, ids], 'one more or one less? If that was decided, say so in `opened` above').toEqual([
      who,
      names(text),
    ]);
  }
});

test('what needs a fresh sign-in goes on needing it', () => {
  const fresh = operations.filter(({ freshSignIn }) => freshSignIn === true).map(({ id }) => id);
  expect(fresh).toEqual(
    expect.arrayContaining([
      ...[
        'acme.make',
        'billing.dashboardLink',
        'domains.unlock',
        'privacy.eraseCustomer',
        'privacy.eraseUser',
      ],
      ...['privacy.readHold', 'tokens.create', 'users.closeOrganization'],
    ]),
  );
  const sometimes = operations
    .filter(({ freshSignIn }) => typeof freshSignIn === 'object')
    .map(({ id }) => id);
  expect(sometimes).toEqual(
    expect.arrayContaining(['acme.change', 'domains.details', 'users.change', 'users.remove']),
  );
});

/** What the onboarding itself needs; everything else that asks for a permission opens with the first payment. */
const beforeFirstPayment = `billing.account billing.accountLink billing.address billing.balance billing.cancelTopUp
  billing.dashboardLink billing.refreshAccount billing.topUp billing.topUpStatus overview.get privacy.exportOwn users.closeOrganization users.getProfile`;

test('before the first payment nothing is open but the profile, the payment account and the payment', () => {
  const open = operations.filter((each) => each.access in permissions && !needsFirstPayment(each));
  expect(open.map(({ id }) => id).sort()).toEqual(beforeFirstPayment.split(/\s+/));
  // Where no permission is asked for there is no organisation that could have paid.
  expect(
    operations.filter(({ access, opens }) => opens && !(access in permissions)).map(({ id }) => id),
  ).toEqual([]);
});
