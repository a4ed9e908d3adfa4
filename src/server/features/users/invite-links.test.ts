import { expect, test } from 'vitest';
import { sha256 } from '#kernel/ids.ts';
import { createSeal } from '#kernel/seal.ts';
import { createInviteLinks } from './invite-links.ts';

const now = new Date('2026-11-22T12:00:00Z');
const [own, other] = [1, 2].map((number) => createSeal([{ number, secret: `key ${number}` }]));
const row = { id: 'invite-1', organisation_id: 'msp-1' };
const linksOf = (clientUrl: string | null, seal = own) =>
  createInviteLinks({
    seal,
    clientUrl,
    publicUrl: 'https://portal.test',
    clock: { now: () => now },
  } as never);

test('an invitation has a secret of its own each time, is known by its hash, and is good for seven days', () => {
  const { secretFor, linkOf } = linksOf(null);
  const [first, second] = [secretFor(row, now), secretFor(row, now)];
  expect(first.expires_at).toEqual(new Date('2026-11-29T12:00:00Z'));
  expect(first.token_hash.equals(second.token_hash)).toBe(false);
  const link = linkOf({ ...row, ...first, role: 'MSP_EMPLOYEE' } as never);
  expect(link).toMatch(/^https:\/\/portal\.test\/invite\/[\w-]{43}$/);
  expect(sha256(link.split('/').at(-1) ?? '').equals(first.token_hash)).toBe(true);
});

test.each([
  ['MSP_CUSTOMER', 'https://customers.test', 'https://customers.test'],
  ['MSP_CUSTOMER', null, 'https://portal.test'],
  ['MSP_EMPLOYEE', 'https://customers.test', 'https://portal.test'],
])('a link for an %s, where the portal of customers is %s, leads to %s', (role, clientUrl, to) => {
  const { secretFor, linkOf } = linksOf(clientUrl);
  const link = linkOf({ ...row, ...secretFor(row, now), role } as never);
  expect(link.startsWith(`${to}/invite/`)).toBe(true);
});

test('a secret opens for its own invitation under its own key, and leads nowhere otherwise', () => {
  const sealed = { ...row, ...linksOf(null).secretFor(row, now), role: 'MSP_EMPLOYEE' };
  expect(linksOf(null, other).linkOf(sealed as never)).toBe('');
  expect(linksOf(null).linkOf({ ...sealed, id: 'invite-2' } as never)).toBe('');
  expect(linksOf(null).linkOf({ ...sealed, organisation_id: 'msp-2' } as never)).toBe('');
});
