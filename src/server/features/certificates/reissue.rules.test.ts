import { describe, expect, test } from 'vitest';
import { dueForReissueAt, reissueRefusal, reissueValidation } from './reissue.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const dayMs = 86_400_000;
const at = (ms: number) => new Date(now.getTime() + ms);

describe('a certificate can be reissued', () => {
  test('inside its order term, to the moment', () => {
    expect(reissueRefusal({ state: 'completed' }, at(1), now)).toBe(null);
    expect(reissueRefusal({ state: 'completed' }, now, now)).toContain('term has ended');
    expect(reissueRefusal({ state: 'completed' }, null, now)).toContain('term has ended');
  });

  test('once it was issued', () => {
    expect(reissueRefusal({ state: 'expired' }, at(1), now)).toBe(null);
    for (const state of ['awaiting-approval', 'in-progress', 'declined', 'revoked']) {
      expect(reissueRefusal({ state }, at(1), now)).toContain('only after it has been issued');
    }
  });
});

describe('control is proved', () => {
  const life = {
    ...{ state: 'completed', validFrom: null, validTo: null, termEndsAt: null, renewed: false },
    ...{ orderedAt: now, renewalOrderedAt: null },
    ...{ method: 'DNS', proofState: 'set' as string | null, autoReissue: true, reissueState: null },
  };
  const before = { method: 'Email' as const, approverEmail: null, address: 'a.com' };

  test('by DNS where the portal writes the proof itself', () => {
    expect(reissueValidation(life, before)).toEqual({ validation: 'DNS', approverEmail: null });
  });

  test('else as before, and by a mailbox that every authority may ask where none was named', () => {
    const byHand = { ...life, autoReissue: false };
    expect(reissueValidation(byHand, before)).toEqual({ validation: 'Email', approverEmail: 'admin@a.com' });
    expect(reissueValidation(byHand, { ...before, approverEmail: 'hostmaster@a.com' })).toMatchObject({
      approverEmail: 'hostmaster@a.com',
    });
    expect(reissueValidation(byHand, { ...before, method: 'File' })).toEqual({
      validation: 'File',
      approverEmail: null,
    });
    expect(reissueValidation(byHand, { ...before, method: undefined })).toMatchObject({
      validation: 'Email',
    });
  });
});

test('it reissues itself 30 days before its end, and not twice within a day', () => {
  expect(dueForReissueAt(now)).toEqual({ endingBefore: at(30 * dayMs), triedSince: at(-dayMs) });
});
