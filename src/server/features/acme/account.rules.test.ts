import { expect, test } from 'vitest';
import { contactsOf, deadAccess } from './account.rules.ts';
import { issuedIdFrom } from './issued.ts';
import { AcmeProblem, documentOf } from './problems.rules.ts';
import { mayRevoke, reasonOf } from './revoke.rules.ts';

function typeOf(run: () => unknown): string {
  try {
    run();
    return 'taken';
  } catch (error) {
    return error instanceof AcmeProblem ? error.type : String(error);
  }
}

test('contacts are single mail addresses', () => {
  expect(contactsOf(undefined)).toEqual([]);
  expect(contactsOf(['mailto:admin@example.com'])).toEqual(['mailto:admin@example.com']);
  expect(typeOf(() => contactsOf(['tel:+12025551212']))).toBe('unsupportedContact');
  for (const contact of [
    'mailto:',
    'mailto:a@b',
    'mailto:a@example.com,b@example.com',
    'mailto:a@example.com?subject=x',
    'mailto:@example.com',
    'mailto:a@example.com@b.example',
  ]) {
    expect(
      typeOf(() => contactsOf([contact])),
      contact,
    ).toBe('invalidContact');
  }
  for (const contacts of [
    'mailto:a@example.com',
    [1],
    Array(11).fill('mailto:a@example.com'),
    [`mailto:${'a'.repeat(302)}@example.com`],
  ]) {
    expect(typeOf(() => contactsOf(contacts))).toBe('malformed');
  }
  const most = Array<string>(10).fill(`mailto:${'a'.repeat(301)}@example.com`);
  expect(contactsOf(most)).toEqual(most);
});

test('of a long contact that is refused the beginning is told', () => {
  const told = (contact: string) => expect(() => contactsOf([contact]));
  told(`tel:${'1'.repeat(80)}`).toThrow(`: tel:${'1'.repeat(76)}.`);
  told(`mailto:${'a'.repeat(80)}`).toThrow(`mailto:${'a'.repeat(73)} is not`);
});

test('an access that has ended says how, and where to get another', () => {
  expect(deadAccess('active')).toBeNull();
  expect(deadAccess('revoked')).toMatchObject({ type: 'unauthorized', status: 401 });
  expect(deadAccess('revoked')?.message).toContain('has been revoked');
  expect(deadAccess('expired')?.message).toContain('has expired');
});

test('reasons of revocation are those that a subscriber may give', () => {
  expect(reasonOf(undefined)).toBe(0);
  for (const reason of [0, 1, 3, 4, 5]) expect(reasonOf(reason)).toBe(reason);
  for (const reason of [2, 6, 7, 8, 9, 10, 11, -1, 1.5, '1', null]) {
    expect(
      typeOf(() => reasonOf(reason)),
      String(reason),
    ).toBe('badRevocationReason');
  }
});

test('an account revokes its own, and what another of the same customer had for names that it covers', () => {
  const who = { accountId: 'a', customerId: 'c', hosts: null };
  const what = { accountId: 'b', customerId: 'c', names: ['example.com', 'www.example.com'] };
  expect(mayRevoke(who, what)).toBe(true);
  expect(mayRevoke(who, { ...what, customerId: 'd' })).toBe(false);
  expect(mayRevoke({ ...who, hosts: ['example.com'] }, what)).toBe(false);
  expect(mayRevoke({ ...who, hosts: ['example.com', 'www.example.com'] }, what)).toBe(true);
  expect(mayRevoke({ ...who, hosts: ['other.example'] }, { ...what, accountId: 'a' })).toBe(true);
});

test('a certificate is named as in the example of RFC 9773', () => {
  const keyId = '69885B6B87464041E1B37B847BA0AE2CDE01C8D4';
  expect(issuedIdFrom(keyId, '00:87:65:43:21'.replaceAll(':', ''))).toBe(
    'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE',
  );
  expect(issuedIdFrom(keyId, '8765 4321'.replace(' ', ''))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  expect(issuedIdFrom(keyId, '1')).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ');
});

test('a problem document has its type, its words, and a reason for each name', () => {
  const identifier = { type: 'dns', value: 'example.com' };
  const problem = new AcmeProblem('rejectedIdentifier', 'No.', {
    subproblems: [{ type: 'rejectedIdentifier', detail: 'No.', identifier }],
    members: { more: 1 },
  });
  expect(documentOf(problem)).toEqual({
    ...{ type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail: 'No.', status: 403, more: 1 },
    subproblems: [{ type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail: 'No.', identifier }],
  });
  expect(documentOf(new AcmeProblem('malformed', 'No.'))).toEqual({
    ...{ type: 'urn:ietf:params:acme:error:malformed', detail: 'No.', status: 400 },
  });
  const headers = { Link: 'x' };
  expect(new AcmeProblem('malformed', 'No.', { headers }).headers).toEqual(headers);
});
