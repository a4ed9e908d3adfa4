import { describe, expect, test } from 'vitest';
import type { Permission } from '../permissions.ts';
import { type ChangeRequest, isOfSettings, mayUnlock, permissionFor } from './changes.ts';

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
