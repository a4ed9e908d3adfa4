import { expect, test } from 'vitest';
import { effectOf } from './events.rules.ts';

const event = (kind: string, data: Record<string, string> = {}) => {
  const [object = '', name = ''] = kind.split(' ');
  const domain = data.domain_name ?? null;
  return { id: '1', object, event: name, at: null, domain, restorableUntil: null, data };
};

test.each([
  ['DOMAIN CREATED'],
  ['DOMAIN REGISTERED'],
  ['DOMAIN RENEWED'],
  ['DOMAIN EXPIRED'],
  ['DOMAIN REDEEMED'],
  ['DOMAIN NAMESERVER_UPDATE'],
  ['DOMAIN MODIFIED'],
  ['DOMAIN UPDATED'],
  ['DOMAIN REGISTRANT_VERIFICATION_STATUS_CHANGE'],
  ['domain renewed'],
])('%s has the domain read again', (kind) => {
  expect(effectOf(event(kind, { domain_name: 'a.com' }))).toEqual({ kind: 'sync', address: 'a.com' });
});

test('a change of a transfer or of an order has that very one looked at', () => {
  expect(effectOf(event('TRANSFER STATUS_CHANGE', { domain_name: 'a.com' }))).toEqual({
    kind: 'transfer',
    address: 'a.com',
  });
  expect(effectOf(event('ORDER STATUS_CHANGE', { order_id: '77' }))).toEqual({
    kind: 'order',
    registrarOrderId: '77',
  });
});

test('a deletion says until when the domain can be restored, where the event does', () => {
  const restorableUntil = new Date('2026-12-22T10:00:00.000Z');
  const deleted = event('DOMAIN DELETED', { domain_name: 'a.com' });
  expect(effectOf({ ...deleted, restorableUntil })).toEqual({
    kind: 'deleted',
    address: 'a.com',
    restorableUntil,
  });
  expect(effectOf(deleted)).toMatchObject({ kind: 'deleted', restorableUntil: null });
});

test('what is of no consequence is told apart from what nobody has taught the portal', () => {
  expect(effectOf(event('DOMAIN ZONE_CHECK_STATUS_CHANGE', { domain_name: 'a.com' })).kind).toBe('nothing');
  expect(effectOf(event('ORDER CLAIM_STATUS_CHANGE', { order_id: '77' })).kind).toBe('nothing');
  // It needs no subject for that.
  expect(effectOf(event('ORDER CLAIM_STATUS_CHANGE')).kind).toBe('nothing');
  expect(effectOf(event('ORDER REGISTERED', { domain_name: 'a.com' })).kind).toBe('unknown');
  expect(effectOf(event('DOMAIN TELEPORTED', { domain_name: 'a.com' })).kind).toBe('unknown');
  expect(effectOf(event('', {})).kind).toBe('unknown');
});

test('an event without its subject is unknown, so that it is kept and logged', () => {
  for (const kind of ['DOMAIN RENEWED', 'DOMAIN DELETED', 'TRANSFER STATUS_CHANGE']) {
    expect(effectOf(event(kind)).kind).toBe('unknown');
  }
  // The order is looked at by its own number, whatever name is told with it.
  expect(effectOf(event('ORDER STATUS_CHANGE', { domain_name: 'a.com' })).kind).toBe('unknown');
  expect(effectOf(event('ORDER STATUS_CHANGE')).kind).toBe('unknown');
});
