import { describe, expect, test } from 'vitest';
import { createProfile, inviteBody } from './users.ts';

const fine = { username: 'acme42', organization: 'Acme 42' };

function complaints(values: Partial<typeof fine>): string[] {
  const parsed = createProfile.body.safeParse({ ...fine, ...values });
  // The first complaint of a field is the one that is shown.
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message).slice(0, 1);
}

describe('Create Account (P2 §5)', () => {
  test.each([
    ['', 'Username is required'],
    ['  ', 'Username is required'],
    ['acme4', 'Username must be at least 6 characters'],
    ['a'.repeat(25), 'Username cannot exceed 24 characters'],
    ['acme_42', 'Only numbers and letters'],
    ['acme 42', 'Only numbers and letters'],
  ])('username "%s": %s', (username, message) => {
    expect(complaints({ username })).toEqual([message]);
  });

  test.each([
    ['', 'Organization is required'],
    ['Acme', 'Organization must be at least 6 characters'],
    ['A'.repeat(25), 'Organization cannot exceed 24 characters'],
    ['Acme & Co', 'Only numbers and letters'],
    ['Acme\nLimited', 'Only numbers and letters'],
    ['Acme\tLimited', 'Only numbers and letters'],
    ['Acme\u2028Limited', 'Only numbers and letters'],
  ])('organization "%s": %s', (organization, message) => {
    expect(complaints({ organization })).toEqual([message]);
  });

  test.each([6, 24])('%d characters are taken; an organization may have spaces', (length) => {
    const username = 'a'.repeat(length);
    const organization = `A 1${'a'.repeat(length - 3)}`;
    expect(createProfile.body.parse({ username, organization })).toEqual({ username, organization });
  });
});

describe('an invitation', () => {
  test('is for an employee unless it says otherwise, and needs an email address', () => {
    expect(inviteBody.parse({ email: ' ann@msp.example ' })).toEqual({
      email: 'ann@msp.example',
      type: 'MSP_EMPLOYEE',
    });
    expect(inviteBody.safeParse({ email: '' }).error?.issues[0]?.message).toBe('This field is required');
  });

  test.each(['MSP_ADMIN', 'MSP_OWNER'])('is not for an %s: those are named on the users screen', (type) => {
    expect(inviteBody.safeParse({ email: 'ann@msp.example', type }).success).toBe(false);
  });
});
