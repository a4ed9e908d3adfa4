import { expect, test } from 'vitest';
import { createChange } from './changes.ts';

const complaints = (request: object, more: object = {}) =>
  createChange.body
    .safeParse({ title: 'A change', request, targets: { kind: 'names', names: ['a.com'] }, ...more })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
const keep = { kind: 'keep-dmarc' };
const contact = { organization: '', firstName: '', lastName: '', email: '' };

test.each<[object, object, string]>([
  [keep, { title: '' }, 'title: Please name the change'],
  [keep, { targets: { kind: 'names', names: [] } }, 'targets.names: Please choose at least one domain'],
  [{ kind: 'delete-host', subdomain: '' }, {}, 'request.subdomain: Please name a host below the domain'],
  [{ kind: 'contacts', roles: [], contact: null }, {}, 'request.roles: Please choose at least one contact'],
  [{ kind: 'contacts', roles: ['tech'], contact: null }, {}, 'request.roles: A customer has no tech contact'],
  [{ kind: 'contacts', roles: ['tech'], contact }, {}, 'request.contact.email: This field is required'],
])('a change of %j %j is not taken, and that stands at its field', (request, more, complaint) => {
  expect(complaints(request, more)).toContain(complaint);
});

test('a change that names all it needs is taken', () => {
  expect(complaints(keep)).toBeUndefined();
  expect(complaints({ kind: 'contacts', roles: ['owner'], contact: null })).toBeUndefined();
});
