import { expect, test } from 'vitest';
import { permissions, type Role, roles } from '#contracts/permissions.ts';
import { attentionCauses, attentionRules } from '#contracts/values/attention.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import type { ShownItem } from './attention.repo.ts';
import { causesOf, shown } from './shown.ts';

/** An entry in the words of the moment, for the person who reads it. */

const now = new Date('2026-11-22T12:00:00Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const as = (role: Role): Scope =>
  ({
    ...{ organisationId: 'org', userId: 'u', email: 'u@msp.test', rights: rightsOfRole, role },
    reach: role === 'MSP_CUSTOMER' ? { kind: 'customers', ids: ['cus'] } : wholeOrganisation,
    ...{ ip: null, requestId: 'test' },
  }) as Scope;
const row = (change: Partial<ShownItem> = {}): ShownItem => ({
  ...{ id: 'i', cause: 'registrant', rank: 0, address: 'a.com', customerId: 'cus', customer: 'Acme' },
  ...{ deadline: inMs(86_400_000), facts: { suspended: false, bounced: true }, openedAt: inMs(-5) },
  ...{ snoozedUntil: null, version: 4, ownerId: null, ownerName: null, ownerEmail: null },
  ...change,
});

test('an entry has what it is about, in words, with its moments and its act', () => {
  expect(shown(row(), now, as('MSP_OWNER'))).toEqual({
    ...{ id: 'i', cause: 'registrant', severity: 'now', name: 'a.com', customerId: 'cus', customer: 'Acme' },
    title: 'is waiting for its owner to confirm an email address',
    detail: expect.stringContaining('Acme'),
    ...{ when: '1 day left', deadline: '2026-11-23T12:00:00.000Z', openedAt: '2026-11-22T11:59:59.995Z' },
    ...{ owner: null, snoozedUntil: null, version: 4, renewal: null },
    action: { label: 'Open', to: expect.stringContaining('a.com') },
  });
  const bare = { rank: 1, address: null, customerId: null, customer: null, deadline: null };
  expect(shown(row(bare), now, as('MSP_OWNER'))).toMatchObject({
    ...{ severity: 'soon', name: null, customerId: null, customer: '', deadline: null, when: '' },
  });
});

test('whose an entry is has their name, or their address where they gave none', () => {
  const ownerOf = (change: Partial<ShownItem>) => shown(row(change), now, as('MSP_OWNER')).owner;
  const owner = { ownerId: 'o', ownerName: 'Bob', ownerEmail: 'bob@msp.test' };
  expect(ownerOf(owner)).toEqual({ userId: 'o', name: 'Bob' });
  expect(ownerOf({ ...owner, ownerName: '' })).toEqual({ userId: 'o', name: 'bob@msp.test' });
  expect(ownerOf({ ...owner, ownerName: null, ownerEmail: null })).toEqual({ userId: 'o', name: '' });
});

test('an entry is put off until its moment, for staff alone', () => {
  const until = (snoozedUntil: Date, role: Role) => shown(row({ snoozedUntil }), now, as(role)).snoozedUntil;
  expect([until(inMs(1), 'MSP_EMPLOYEE'), until(now, 'MSP_EMPLOYEE')]).toEqual([
    '2026-11-22T12:00:00.001Z',
    null,
  ]);
  expect(until(inMs(1), 'MSP_CUSTOMER')).toBeNull();
});

test('what can be renewed says what the cart needs, and nothing else does', () => {
  const expiresAt = '2026-12-01T00:00:00.000Z';
  const facts = { state: 'manual', reason: null, priceCents: 900, autoRenew: true, expiresAt };
  const renewal = shown(row({ cause: 'renewal', facts }), now, as('MSP_OWNER'));
  expect([renewal.renewal, renewal.action.label]).toEqual([
    { autoRenew: true, expireDate: expiresAt },
    'Renew',
  ]);
});

test('of an ACME client the MSP is advised, and a customer’s own user is not', () => {
  const facts = {
    ...{ accessId: 'x', name: 'web', text: 'no', advice: 'Raise the limit', others: 0 },
    ...{ at: now.toISOString(), validTo: null },
  };
  const detail = (role: Role) => shown(row({ cause: 'acme', facts }), now, as(role)).detail;
  expect(detail('MSP_OWNER')).toContain('Raise the limit');
  expect(detail('MSP_CUSTOMER')).not.toContain('Raise the limit');
});

test('a person sees the causes whose permission they have, a script those that it was given', () => {
  for (const role of roles) {
    expect(causesOf(as(role))).toEqual(
      attentionCauses.filter((cause) => permissions[attentionRules[cause].permission][role] !== 'none'),
    );
  }
  const script: Scope = {
    ...as('MSP_OWNER'),
    rights: { kind: 'named', permissions: ['customers.create'] },
  };
  expect(causesOf(script)).toEqual(
    attentionCauses.filter((cause) => attentionRules[cause].permission === 'customers.create'),
  );
});
