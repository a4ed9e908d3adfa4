import { describe, expect, test } from 'vitest';
import { jobActions } from '#contracts/values/audit-actions.ts';
import {
  auditActionOf,
  dayStartOf,
  exceedsDailyLimit,
  isAsSeen,
  isBoughtWith,
  justRenewedSince,
  passwordOf,
  renewalRefusal,
  splitRunning,
  totalCents,
  validatedBy,
} from './checkout.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(now.getTime() + days * dayMs);

describe('a renewal', () => {
  const domain = { status: 'active', expiresAt: inDays(20), restorable: false, justRenewed: false };
  const line = { address: 'a.com', years: 1, seenExpiry: inDays(20) };
  const refusal = (on: Partial<typeof domain>, asked: Partial<typeof line> = {}) =>
    renewalRefusal({ ...line, ...asked }, { ...domain, ...on }, now)?.message ?? null;
  const { seenExpiry: _, ...unseen } = line;

  test('of a domain of ours is taken', () => {
    expect(refusal({})).toBe(null);
    expect(refusal({ status: 'expired', expiresAt: inDays(-3) })).toBe(null);
  });

  test('waits for the end of a transfer', () => {
    expect(refusal({ status: 'transferring' })).toContain('when its transfer is complete');
    expect(renewalRefusal(line, { ...domain, expiresAt: null }, now)?.message).toContain('its transfer');
  });

  test('that names the expiry it moves is refused when that was moved meanwhile, and the cart may drop it', () => {
    const moved = { ...domain, expiresAt: inDays(20 + 365) };
    expect(renewalRefusal(line, moved, now)).toEqual({
      message: 'a.com was renewed in the meantime and now expires on Dec 12, 2027',
      renewed: true,
    });
  });

  test('is no other renewal while the expiry differs by the rounding of a registry, at most 180 days', () => {
    expect(refusal({ expiresAt: inDays(20 + 180) })).toBe(null);
    expect(refusal({ expiresAt: new Date(inDays(20 + 180).getTime() + 1) })).toContain('in the meantime');
  });

  test('that names no expiry is refused within ten minutes of another one', () => {
    expect(renewalRefusal(unseen, { ...domain, justRenewed: true }, now)?.message).toContain(
      'a moment ago and now expires on 2026-12-12',
    );
    expect(renewalRefusal(unseen, domain, now)).toBe(null);
    expect(refusal({ justRenewed: true })).toBe(null);
    expect(justRenewedSince(now)).toEqual(new Date('2026-11-22T11:50:00Z'));
  });

  test('of a domain that the registry has deleted is refused; it can be restored', () => {
    expect(refusal({ restorable: true })).toContain('can be restored');
  });

  test('goes up to ten years in all, and no day further', () => {
    const nineYears = { expiresAt: inDays(9 * 365.25), restorable: false };
    const seenExpiry = nineYears.expiresAt;
    expect(refusal(nineYears, { seenExpiry })).toBe(null);
    expect(refusal(nineYears, { seenExpiry, years: 2 })).toContain('more than 10 years');
    expect(refusal({ expiresAt: inDays(9 * 365.25 + 1) }, { seenExpiry })).toContain('more than 10 years');
  });
});

describe('the price', () => {
  const lines = [
    { priceCents: 1_231, seenCents: 1_231 },
    { priceCents: 900, seenCents: null },
  ];

  test('is as seen when the total and each line that was shown are the same', () => {
    expect(isAsSeen(lines, 2_131)).toBe(true);
    expect(totalCents(lines)).toBe(2_131);
  });

  test('has changed by one cent more or less', () => {
    expect(isAsSeen(lines, 2_130)).toBe(false);
    expect(isAsSeen(lines, 2_132)).toBe(false);
  });

  test('has changed when two lines differ and the total is equal', () => {
    const swapped = [
      { priceCents: 1_231, seenCents: 900 },
      { priceCents: 900, seenCents: 1_231 },
    ];
    expect(isAsSeen(swapped, 2_131)).toBe(false);
    expect(isAsSeen([...lines, { priceCents: 500, seenCents: 400 }], 2_631)).toBe(false);
  });

  test('of a line that costs nothing was seen as nothing', () => {
    expect(isAsSeen([{ priceCents: 900, seenCents: 0 }], 900)).toBe(false);
  });
});

describe("an employee's limit of the day", () => {
  test('may be used up to the last cent, and no further', () => {
    expect(exceedsDailyLimit(5_000, 3_000, 2_000)).toBe(false);
    expect(exceedsDailyLimit(5_000, 3_000, 2_001)).toBe(true);
    expect(exceedsDailyLimit(5_000, 0, 5_001)).toBe(true);
    expect(exceedsDailyLimit(0, 0, 1)).toBe(true);
    expect(exceedsDailyLimit(0, 0, 0)).toBe(false);
  });

  test('counts from midnight UTC', () => {
    const start = new Date('2026-11-22T00:00:00.000Z');
    expect(dayStartOf(start)).toEqual(start);
    expect(dayStartOf(new Date('2026-11-22T23:59:59.999Z'))).toEqual(start);
  });
});

describe('what is being bought already', () => {
  const lines = [
    { kind: 'domain' as const, address: 'a.com' },
    { kind: 'renewal' as const, address: 'a.com' },
    { kind: 'domain' as const, address: 'b.com' },
  ];

  test('is attached to; another kind of the same name, and another name, are bought', () => {
    expect(splitRunning(lines, [{ id: 'i1', kind: 'domain', address: 'a.com' }])).toEqual({
      fresh: [lines[1], lines[2]],
      attached: ['i1'],
    });
  });

  test('of another kind at these addresses is none of this order', () => {
    expect(splitRunning(lines, [{ id: 'i1', kind: 'certificate', address: 'a.com' }])).toEqual({
      fresh: lines,
      attached: [],
    });
  });
});

describe('how a certificate is validated when the caller says "Email" and names nobody', () => {
  const certificate = {
    ...{ provider: 'p', productType: 't', csr: 'c', regType: 'new' as const },
    ...{ validation: 'Email' as const, approverEmail: null },
  };
  const by = (change: object, isOurs: boolean) =>
    validatedBy({ address: 'a.com', certificate: { ...certificate, ...change } }, isOurs);

  test('by DNS where the domain is ours, else by a mailbox that every authority may ask', () => {
    expect(by({}, true)).toEqual({ validation: 'DNS' });
    expect(by({}, false)).toEqual({ approverEmail: 'admin@a.com' });
  });

  test('as they said when they named a mailbox or another way', () => {
    expect(by({ approverEmail: 'webmaster@a.com' }, true)).toEqual({});
    expect(by({ validation: 'File' }, true)).toEqual({});
    expect(validatedBy({ address: 'a.com' }, true)).toEqual({});
  });

  test('a domain that is bought in the same order is ours', () => {
    expect(isBoughtWith([{ kind: 'domain', address: 'a.com' }], 'a.com')).toBe(true);
    expect(isBoughtWith([{ kind: 'domain', address: 'b.com' }], 'a.com')).toBe(false);
    const both = ['b.com', 'a.com'].map((address) => ({ kind: 'domain' as const, address }));
    expect(isBoughtWith(both, 'a.com')).toBe(true);
    expect(isBoughtWith([{ kind: 'certificate', address: 'a.com' }], 'a.com')).toBe(false);
  });
});

test('the audit log tells a purchase, a renewal, a transfer and a restoration apart, and a job from a person', () => {
  const kinds = ['domain', 'certificate', 'renewal', 'transfer', 'redemption'] as const;
  expect(kinds.map((kind) => auditActionOf(kind, 'cart', jobActions))).toEqual([
    'orders.purchase',
    'orders.purchase',
    'orders.renew',
    'orders.transfer',
    'orders.restore',
  ]);
  expect(auditActionOf('renewal', 'auto_renew', jobActions)).toBe(jobActions['renewals.renew'].action);
});

test('a password for the registrar has 20 letters, digits, underscores and tildes, whatever the random bytes', () => {
  expect(passwordOf(Buffer.from('fbefbe'.repeat(5), 'hex'))).toBe('~'.repeat(20));
  expect(passwordOf(Buffer.from('ffffff'.repeat(5), 'hex'))).toBe('_'.repeat(20));
  expect(passwordOf(Buffer.alloc(15))).toBe('A'.repeat(20));
});
