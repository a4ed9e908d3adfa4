import { describe, expect, test } from 'vitest';
import type { ChangeRequest, SettingRequest } from '#contracts/values/changes.ts';
import type { DomainSettings } from '#contracts/values/domain-settings.ts';
import type { Contact } from '../../ports/registrar.ts';
import type { SettingsNow } from '../domains/index.ts';
import { partOf, planSetting, settingLines } from './setting-plan.rules.ts';

const ann: Contact = {
  ...{ organization: 'Ann Ltd', firstName: 'Ann', lastName: 'Lee', email: 'ann@ann.example' },
  ...{ phone: '+1.2125550100', address1: '1 Main St', city: 'Rome', state: 'NY' },
  ...{ postalCode: '10001', country: 'US' },
};
const bob: Contact = { ...ann, organization: 'Bob Inc', firstName: 'Bob', email: 'bob@bob.example' };

const withoutContacts: readonly DomainSettings[] = [{}, { contacts: {} }];

const now = (settings: DomainSettings, more: Partial<SettingsNow> = {}): SettingsNow => ({
  ...{
    settings,
    customerId: null,
    expiresAt: new Date('2027-03-01T12:00:00Z'),
    managed: false,
    signed: false,
  },
  ...{ providerNameservers: ['ns1.us.example', 'ns2.us.example'], customerContacts: null },
  registrantLockDays: 60,
  ...more,
});
const plan = (request: SettingRequest, present: SettingsNow, cents: number | null = null) =>
  planSetting(request, present, cents);
const undo = (before: DomainSettings, after: DomainSettings, present: DomainSettings) =>
  planSetting({ kind: 'undo', done: { before, after } }, now(present));

describe('a switch', () => {
  test('is turned where it is not yet so', () => {
    expect(plan({ kind: 'lock', locked: true }, now({ locked: false }))).toMatchObject({
      ...{ kind: 'change', before: { locked: false }, after: { locked: true }, warnings: [] },
    });
    expect(plan({ kind: 'lock', locked: true }, now({ locked: true }))).toEqual({ kind: 'same', note: '' });
  });

  test('says what follows of it', () => {
    const warnings = (request: SettingRequest, settings: DomainSettings) => {
      const verdict = plan(request, now(settings));
      return verdict.kind === 'change' ? verdict.warnings : verdict.kind;
    };
    expect(warnings({ kind: 'lock', locked: false }, { locked: true })).toEqual([
      'Anyone who has its auth code can move it away.',
    ]);
    expect(warnings({ kind: 'auto-renew', enabled: false }, { autoRenew: true })).toEqual([
      expect.stringMatching(/^It ends on .*2027.* unless somebody renews it\.$/),
    ]);
    expect(warnings({ kind: 'privacy', enabled: false }, { privacy: true })).toEqual([
      'The data of its registrant becomes public.',
    ]);
    expect(warnings({ kind: 'privacy', enabled: true }, { privacy: false })).toEqual([]);
    const served = now({ locked: false }, { managed: true });
    expect(plan({ kind: 'lock', locked: true }, served)).toMatchObject({ warnings: [] });
  });

  test('names the price of the renewals that it lets the portal buy', () => {
    const verdict = plan({ kind: 'auto-renew', enabled: true }, now({ autoRenew: false }), 1231);
    expect(verdict).toMatchObject({ note: expect.stringContaining('for about $12.31 a year') });
    const unknown = plan({ kind: 'auto-renew', enabled: true }, now({ autoRenew: false }));
    expect(unknown).toMatchObject({ note: expect.stringContaining('at its price of that day') });
  });

  test('does not exist for every domain', () => {
    expect(plan({ kind: 'privacy', enabled: true }, now({ privacy: null }))).toEqual({
      ...{ kind: 'barred', note: 'There is no WHOIS privacy for this domain.' },
    });
  });
});

describe('nameservers', () => {
  const others = { kind: 'nameservers' as const, nameservers: ['ns1.else.example', 'ns2.else.example'] };
  const ours = { nameservers: ['ns1.us.example', 'ns2.us.example'] };

  test('are the same in any order and case', () => {
    const present = { nameservers: ['NS2.else.example', 'ns1.else.example'] };
    expect(plan(others, now(present))).toMatchObject({ kind: 'same' });
  });

  test('of a signed domain are left alone, unless nothing changes', () => {
    expect(plan(others, now(ours, { signed: true }))).toMatchObject({
      ...{ kind: 'barred', note: expect.stringContaining('DNSSEC') },
    });
    const present = now({ nameservers: others.nameservers }, { signed: true });
    expect(plan(others, present)).toMatchObject({ kind: 'same' });
  });

  test('that leave the portal’s DNS say so; those that come to it need a zone first', () => {
    expect(plan(others, now(ours, { managed: true }))).toMatchObject({
      warnings: ['Its records here are not served any more.'],
    });
    expect(plan({ kind: 'nameservers', ...ours }, now({ nameservers: others.nameservers }))).toMatchObject({
      ...{ kind: 'barred', note: expect.stringContaining('Activate managed DNS') },
    });
    const mixed = { nameservers: ['ns1.us.example', 'ns1.else.example'] };
    expect(plan({ kind: 'nameservers', ...mixed }, now({ nameservers: others.nameservers }))).toMatchObject({
      ...{ kind: 'change', after: mixed },
    });
  });

  test('go back to the portal’s DNS when that is undone', () => {
    const left = { nameservers: others.nameservers };
    expect(undo(ours, left, left)).toMatchObject({ kind: 'change', after: ours });
  });
});

describe('contacts', () => {
  const toBob = { kind: 'contacts' as const, roles: ['owner' as const, 'tech' as const], contact: bob };

  test('change role by role: only those that are different', () => {
    const verdict = plan(
      toBob,
      now({ contacts: { owner: ann, admin: ann, tech: { ...bob, address2: '' } } }),
    );
    expect(verdict).toMatchObject({ kind: 'change', before: { contacts: { owner: ann } } });
    expect(verdict).toHaveProperty('after', { contacts: { owner: bob } });
  });

  test('of a new registrant are said to need a confirmation; another phone is not', () => {
    expect(plan(toBob, now({ contacts: { owner: ann } }))).toMatchObject({
      warnings: ['The registrant must confirm this by email, and the domain cannot leave for 60 days.'],
    });
    const phone = { ...toBob, contact: { ...ann, phone: '+1.2125550199' } };
    expect(plan(phone, now({ contacts: { owner: ann } }))).toMatchObject({ warnings: [] });
  });

  test('are those of the customer, where there is one', () => {
    const theirs = { kind: 'contacts' as const, roles: ['admin' as const], contact: null };
    expect(plan(theirs, now({ contacts: { admin: ann } }))).toMatchObject({ kind: 'barred' });
    const customerContacts = { owner: ann, admin: bob, billing: ann };
    expect(plan(theirs, now({ contacts: { admin: ann } }, { customerContacts }))).toMatchObject({
      after: { contacts: { admin: bob } },
    });
  });

  test('of a person who is forgotten are set nowhere', () => {
    const forgotten = { kind: 'contacts' as const, roles: [], contact: null };
    expect(plan(forgotten, now({ contacts: { admin: ann } }))).toMatchObject({ kind: 'same' });
  });

  test('go back role by role, except those that were changed later', () => {
    const [was, left] = [{ contacts: { owner: ann, tech: ann } }, { contacts: { owner: bob, tech: bob } }];
    expect(undo(was, left, { contacts: { owner: bob, tech: { ...bob, city: 'Oslo' } } })).toMatchObject({
      ...{ kind: 'change', after: { contacts: { owner: ann } } },
      note: 'Some of its contacts were changed later and stay as they are.',
    });
    expect(undo(was, left, left)).toMatchObject({ kind: 'change', after: was, note: '' });
    expect(undo(was, left, was)).toMatchObject({
      ...{ kind: 'same', note: 'Its contacts were changed later and stay as they are.' },
    });
  });
});

test('a domain comes to a customer, and to none', () => {
  const [one, none] = [{ customerId: 'one' }, { customerId: null }];
  expect(plan({ kind: 'customer', ...one }, now(none))).toMatchObject({ before: none, after: one });
  expect(plan({ kind: 'customer', ...none }, now(one))).toMatchObject({ before: one, after: none });
});

test('an undo leaves alone what was changed later', () => {
  const [one, two] = [{ customerId: 'one' }, { customerId: 'two' }];
  expect(undo(one, two, two)).toMatchObject({ kind: 'change', before: two, after: one });
  expect(undo(one, two, { customerId: 'three' })).toEqual({
    ...{ kind: 'same', note: 'It was changed later and stays as it is.' },
  });
});

test('an undo is about what its change was about', () => {
  const undoOf = { kind: 'undo', changeId: 'x', title: 'T', of: 'privacy' } satisfies ChangeRequest;
  expect(partOf(undoOf)).toBe('privacy');
  expect(partOf({ kind: 'customer', customerId: null })).toBe('customerId');
});

test('each difference is said in words', () => {
  const name = (id: string) => `Customer ${id}`;
  const lines = (before: DomainSettings, after: DomainSettings) => settingLines(before, after, name);
  expect(lines({ locked: false }, { locked: true })).toEqual([
    { label: 'Lock', before: 'Unlocked', after: 'Locked' },
  ]);
  expect(lines({ autoRenew: true }, { autoRenew: false })).toEqual([
    { label: 'Auto renew', before: 'On', after: 'Off' },
  ]);
  expect(lines({ locked: true }, { locked: false })).toMatchObject([{ before: 'Locked', after: 'Unlocked' }]);
  expect(lines({ privacy: false }, { privacy: true })).toEqual([
    { label: 'WHOIS privacy', before: 'Off', after: 'On' },
  ]);
  expect(lines({ nameservers: ['a.b', 'c.d'] }, { nameservers: ['e.f', 'g.h'] })).toEqual([
    { label: 'Nameservers', before: 'a.b, c.d', after: 'e.f, g.h' },
  ]);
  expect(lines({}, { nameservers: ['e.f'] })).toMatchObject([{ before: '', after: 'e.f' }]);
  expect(lines({ customerId: null }, { customerId: '7' })).toEqual([
    { label: 'Customer', before: 'No customer', after: 'Customer 7' },
  ]);
  expect(lines({ customerId: '7' }, { customerId: null })).toMatchObject([
    { before: 'Customer 7', after: 'No customer' },
  ]);
  expect(lines({ contacts: { owner: ann } }, { contacts: { owner: bob } })).toEqual([
    { label: 'Owner: company', before: 'Ann Ltd', after: 'Bob Inc' },
    { label: 'Owner: first name', before: 'Ann', after: 'Bob' },
    { label: 'Owner: email', before: 'ann@ann.example', after: 'bob@bob.example' },
  ]);
  for (const nobody of withoutContacts) {
    expect(lines(nobody, { contacts: { tech: ann } })[0]).toEqual({
      ...{ label: 'Tech: company', before: '', after: 'Ann Ltd' },
    });
  }
});

test('each field of a contact that becomes another is named, of each role; blanks and capitals are no difference', () => {
  const fields = [
    ...([
      ['organization', 'company'],
      ['firstName', 'first name'],
      ['lastName', 'last name'],
    ] as const),
    ...([
      ['email', 'email'],
      ['phone', 'phone'],
      ['address1', 'address'],
    ] as const),
    ...([
      ['address2', 'address line 2'],
      ['address3', 'address line 3'],
      ['city', 'city'],
    ] as const),
    ...([
      ['state', 'state'],
      ['postalCode', 'postal code'],
      ['country', 'country'],
    ] as const),
  ];
  const other: Contact = Object.assign({}, ann, ...fields.map(([field]) => ({ [field]: `new ${field}` })));
  const lines = settingLines({ contacts: { tech: ann } }, { contacts: { tech: other } }, String);
  expect(lines).toEqual(
    fields.map(([field, label]) => ({
      ...{ label: `Tech: ${label}`, before: ann[field] ?? '', after: `new ${field}` },
    })),
  );
  const shouting = Object.fromEntries(
    Object.entries(ann).map(([field, text]) => [field, ` ${text} `.toUpperCase()]),
  );
  const same = { contacts: { owner: ann, admin: ann, billing: { ...ann, city: 'Oslo' } } };
  const after = { contacts: { owner: shouting as unknown as Contact, admin: bob, billing: ann } };
  expect(settingLines(same, after, String).map(({ label }) => label)).toEqual([
    ...['Admin: company', 'Admin: first name', 'Admin: email', 'Billing: city'],
  ]);
});

test('renewals of a domain whose end nobody knows are told without a day, and nothing is said to end', () => {
  const unknown = { expiresAt: null };
  const on = plan({ kind: 'auto-renew', enabled: true }, now({ autoRenew: false }, unknown), 1231);
  expect(on).toMatchObject({ note: 'Renews for about $12.31 a year', warnings: [] });
  const off = plan({ kind: 'auto-renew', enabled: false }, now({ autoRenew: true }, unknown), 1231);
  expect(off).toMatchObject({ note: '', warnings: [] });
  expect(plan({ kind: 'auto-renew', enabled: true }, now({ autoRenew: false }), 1231)).toMatchObject({
    note: expect.stringMatching(/^Renews before .*2027.*, for about \$12\.31 a year$/),
  });
});

test('a registrant who was not there before must confirm, and a registry without a lock is not said to have one', () => {
  const toBob = { kind: 'contacts' as const, roles: ['owner' as const], contact: bob };
  const warnings = ['The registrant must confirm this by email.'];
  for (const nobody of withoutContacts) {
    expect(plan(toBob, now(nobody, { registrantLockDays: 0 }))).toMatchObject({ warnings });
  }
  const tech = { ...toBob, roles: ['tech' as const] };
  expect(plan(tech, now({ contacts: { owner: ann, tech: ann } }))).toMatchObject({ warnings: [] });
});
