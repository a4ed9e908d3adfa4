import { expect, test } from 'vitest';
import { wordsOf } from '../../../../tests/support/letters.ts';
import { invitationLetter } from './users.letters.ts';

test('who is invited reads by whom, to what, with which address, and until when', () => {
  const letter = invitationLetter({
    ...{ organisation: 'Blue Fig', place: 'Nameward', email: 'dan@msp.example' },
    ...{ link: 'https://portal.test/invite/x', until: new Date('2026-11-29T23:30:00Z') },
  });
  expect(letter.subject).toBe('Blue Fig invites you to Nameward');
  expect(letter.button).toEqual({ text: 'Accept the invitation', address: 'https://portal.test/invite/x' });
  const words = wordsOf(letter);
  expect(words).toContain('Blue Fig invites you to Nameward.');
  expect(words).toContain('Sign in or sign up with dan@msp.example, and confirm.');
  expect(words).toMatch(/can be used once, until Nov 29, 2026.*UTC\. If you did not expect it/);
});
