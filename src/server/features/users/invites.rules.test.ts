import { describe, expect, test } from 'vitest';
import { inviteTexts, inviteVerdict } from './invites.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const before = new Date(now.getTime() - 1);
const later = new Date(now.getTime() + 1);
const open = { accepted_at: null, cancelled_at: null, closed_at: null, expires_at: later };
const invite = { email: 'Ann@msp.example', ...open };
const ann = { email: 'ann@MSP.example', emailVerified: true };
const said = (
  change: Partial<Record<keyof typeof open, Date>> = {},
  person: Partial<{ email: string | null; emailVerified: boolean }> = {},
  more: { profile?: { organisationId: string | null; disabled: boolean }; customerLives?: boolean } = {},
) =>
  inviteVerdict({ ...invite, ...change }, { ...ann, ...person }, more.profile, {
    now,
    customerLives: more.customerLives ?? true,
  });

describe('an invitation', () => {
  test('is accepted by the person it was sent to, however the address is written', () => {
    expect(said()).toBe(inviteTexts.accept);
  });

  test('that does not exist, was used or cancelled, or whose organization is closed is none', () => {
    expect(inviteVerdict(undefined, ann, undefined, { now, customerLives: true })).toBe(inviteTexts.unknown);
    expect(said({ accepted_at: before })).toBe(inviteTexts.used);
    expect(said({ cancelled_at: before })).toBe(inviteTexts.cancelled);
    expect(said({ closed_at: before })).toBe(inviteTexts.cancelled);
    // Used and cancelled later: who used it has joined.
    expect(said({ accepted_at: before, cancelled_at: before })).toBe(inviteTexts.used);
  });

  test('ends with its last moment', () => {
    expect(said({ expires_at: now })).toBe(inviteTexts.expired);
    expect(said({ expires_at: later })).toBe(inviteTexts.accept);
  });

  test('is for a verified address alone, and for the address that it was sent to', () => {
    expect(said({}, { email: 'bob@msp.example' })).toBe(inviteTexts.otherEmail);
    expect(said({}, { email: null })).toBe(inviteTexts.otherEmail);
    expect(said({}, { emailVerified: false })).toBe(inviteTexts.unverified);
    // To a stranger nothing is said of whether they are verified.
    expect(said({}, { email: 'bob@msp.example', emailVerified: false })).toBe(inviteTexts.otherEmail);
  });

  test('takes in a profile that belongs nowhere, and none that belongs somewhere or was disabled', () => {
    expect(said({}, {}, { profile: { organisationId: null, disabled: false } })).toBe(inviteTexts.accept);
    expect(said({}, {}, { profile: { organisationId: 'o', disabled: false } })).toBe(inviteTexts.member);
    expect(said({}, {}, { profile: { organisationId: null, disabled: true } })).toBe(inviteTexts.member);
  });

  test('for a customer ends with that customer', () => {
    expect(said({}, {}, { customerLives: false })).toBe(inviteTexts.cancelled);
  });
});
