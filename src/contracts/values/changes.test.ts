import { describe, expect, test } from 'vitest';
import type { Permission } from '../permissions.ts';
import {
  type ChangeRequest,
  changeStates,
  isOfSettings,
  isUnderWay,
  mayAct,
  mayUnlock,
  permissionFor,
  removesMuch,
  requestText,
} from './changes.ts';

const undoOf = (of?: Extract<ChangeRequest, { kind: 'undo' }>['of']): ChangeRequest => ({
  ...{ kind: 'undo', changeId: 'c', title: 'A change' },
  ...(of ? { of } : {}),
});
const template: ChangeRequest = { kind: 'apply-template', templateId: 't', version: 1, values: {} };
const contacts: ChangeRequest = { kind: 'contacts', roles: ['owner'], contact: null };

describe('a change', () => {
  test.each<[string, ChangeRequest, boolean]>([
    ['that unlocks domains', { kind: 'lock', locked: false }, true],
    ['that locks them', { kind: 'lock', locked: true }, false],
    // What is taken back may have been either: after it, domains may be open that were not.
    ['that takes back a lock or an unlocking', undoOf('lock'), true],
    ['that takes back another setting', undoOf('privacy'), false],
    ['that takes back one of zones', undoOf('add-record'), false],
    ['that takes back one from before there were others', undoOf(), false],
    ['of another setting', { kind: 'auto-renew', enabled: false }, false],
    ['of zones', { kind: 'keep-dmarc' }, false],
  ])('%s may leave domains open for transfers: %o %s', (_what, request, expected) => {
    expect(mayUnlock(request)).toBe(expected);
  });

  test.each<[Permission, ChangeRequest[]]>([
    ['dns.write', [{ kind: 'keep-dmarc' }, template, undoOf(), undoOf('set-spf'), undoOf('apply-template')]],
    ['domains.unlock', [{ kind: 'lock', locked: false }, undoOf('lock')]],
    ['customers.edit', [{ kind: 'customer', customerId: null }, undoOf('customer')]],
    [
      'domains.settings',
      [
        { kind: 'lock', locked: true },
        { kind: 'auto-renew', enabled: true },
        { kind: 'privacy', enabled: false },
        { kind: 'nameservers', nameservers: ['ns1.a.net'] },
        contacts,
        ...(['auto-renew', 'privacy', 'nameservers', 'contacts'] as const).map((of) => undoOf(of)),
      ],
    ],
  ])('needs %s, and so does taking it back', (permission, requests) => {
    expect(requests.map(permissionFor)).toEqual(requests.map(() => permission));
    expect(requests.map(isOfSettings)).toEqual(requests.map(() => permission !== 'dns.write'));
  });
});

test('each state has its acts: nothing is applied twice, and nothing that began is discarded', () => {
  const acts = [
    'describe',
    'choose',
    'look',
    'apply',
    'discard',
    'pause',
    'resume',
    'cancel',
    'retry',
    'undo',
  ] as const;
  const table = changeStates.map(
    (state) => `${state}: ${acts.filter((act) => mayAct(state, act)).join(' ')}`,
  );
  expect(table).toEqual([
    'draft: describe discard',
    'ready: describe choose look apply discard',
    'running: pause cancel',
    'paused: resume cancel',
    'done: undo',
    'partly: choose cancel retry undo',
    'cancelled: undo',
    'undone: ',
  ]);
  expect(changeStates.filter(isUnderWay)).toEqual(['draft', 'running']);
});

test('more than 30 % is much', () => {
  expect([removesMuch(3, 10), removesMuch(4, 10), removesMuch(1, 3), removesMuch(0, 0)]).toEqual([
    ...[false, true, true, false],
  ]);
});

const a = { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' } as const;
const ann = {
  ...{ organization: 'Blue Fig', firstName: 'Ann', lastName: 'Smith', address1: '1 Main Street' },
  ...{ city: 'Austin', state: 'TX', postalCode: '78701', country: 'US' },
  ...{ email: 'ann@bluefig.example', phone: '+1.5125550100' },
};

test.each<[string, ChangeRequest]>([
  [
    'Replace 192.0.2.1 with 192.0.2.2 in every zone that has it',
    { kind: 'replace-value', find: '192.0.2.1', replacement: '192.0.2.2', part: false },
  ],
  ['Add the A record 192.0.2.1 at “www”', { kind: 'add-record', record: a }],
  [
    'Add the A record 192.0.2.1 at the domain itself',
    { kind: 'add-record', record: { ...a, subdomain: '' } },
  ],
  ['Change the A record at “www” to 192.0.2.1', { kind: 'change-record', record: a, value: null }],
  [
    'Change the A record 192.0.2.9 at “www” to 192.0.2.1',
    { kind: 'change-record', record: a, value: '192.0.2.9' },
  ],
  ['Remove all TXT records at “www”', { kind: 'remove-record', type: 'TXT', subdomain: 'www', value: null }],
  [
    'Remove the TXT record old at “www”',
    { kind: 'remove-record', type: 'TXT', subdomain: 'www', value: 'old' },
  ],
  ['Set SPF to v=spf1 -all where it is missing', { kind: 'set-spf', text: 'v=spf1 -all', where: 'missing' }],
  [
    'Set DMARC to v=DMARC1; p=none everywhere',
    { kind: 'set-dmarc', text: 'v=DMARC1; p=none', where: 'everywhere' },
  ],
  [
    'Delete the host shop in every zone that has it',
    { kind: 'delete-host', subdomain: 'shop', below: false },
  ],
  [
    'Delete the host shop and everything below it in every zone that has it',
    { kind: 'delete-host', subdomain: 'shop', below: true },
  ],
  [
    'Remove aliases to a.net, b.net and c.net',
    { kind: 'remove-aliases', hosts: ['a.net', 'b.net', 'c.net'] },
  ],
  [
    'Remove aliases to a.net, b.net, c.net and 2 more hosts',
    { kind: 'remove-aliases', hosts: ['a.net', 'b.net', 'c.net', 'd.net', 'e.net'] },
  ],
  [
    'Remove aliases to a.net, b.net, c.net and 1 more host',
    { kind: 'remove-aliases', hosts: ['a.net', 'b.net', 'c.net', 'd.net'] },
  ],
  ['Keep one DMARC record where there are several', { kind: 'keep-dmarc' }],
  ['Undo “A change”', undoOf()],
  ['Apply version 1 of a template', template],
  ['Lock against transfers', { kind: 'lock', locked: true }],
  ['Unlock for transfers', { kind: 'lock', locked: false }],
  ['Turn auto renew on', { kind: 'auto-renew', enabled: true }],
  ['Turn auto renew off', { kind: 'auto-renew', enabled: false }],
  ['Turn WHOIS privacy on', { kind: 'privacy', enabled: true }],
  ['Turn WHOIS privacy off', { kind: 'privacy', enabled: false }],
  ['Set the nameservers to ns1.a.net', { kind: 'nameservers', nameservers: ['ns1.a.net'] }],
  [
    'Set the nameservers to ns1.a.net and ns2.a.net',
    { kind: 'nameservers', nameservers: ['ns1.a.net', 'ns2.a.net'] },
  ],
  ['Set the owner contact to those of each domain’s customer', contacts],
  [
    'Set the owner and tech contacts to Ann Smith, Blue Fig',
    { kind: 'contacts', roles: ['owner', 'tech'], contact: ann },
  ],
  // The contact was of a person who is forgotten.
  ['Set contacts', { kind: 'contacts', roles: [], contact: null }],
  ['Assign to no customer', { kind: 'customer', customerId: null }],
  ['Assign to another customer', { kind: 'customer', customerId: 'c' }],
])('what is asked is told in words: %s', (text, request) => {
  expect(requestText(request)).toBe(text);
});

test('a customer and a template are told by their names where those are known', () => {
  expect(requestText({ kind: 'customer', customerId: 'c' }, 'Acme')).toBe('Assign to Acme');
  expect(requestText(template, 'Mail')).toBe('Apply version 1 of the template “Mail”');
});
