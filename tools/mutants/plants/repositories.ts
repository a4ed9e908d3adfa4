import type { Plant } from '../bug.ts';
import { conditionsOf, conditionsOfTexts } from './kinds.ts';

const features = 'src/server/features';
const by = (test: string, files: readonly string[], but: Readonly<Record<string, string>> = {}) =>
  files.flatMap((file) =>
    conditionsOf(`${features}/${file}.repo.ts`, `${features}/${test}.repo.db.test.ts`, but),
  );

const ofTexts = (name: string, but: Readonly<Record<string, string>> = {}) =>
  conditionsOfTexts(`${features}/${name}.repo.ts`, `${features}/${name}.repo.db.test.ts`, but);

/** Repositories of which every condition has its test. */
export const plantsInRepositories: readonly Plant[] = [
  ...by('billing/topups', ['billing/topups', 'billing/auto-topup']),
  ...by('billing/profile', ['billing/profile']),
  ...by('billing/events', ['billing/events']),
  ...by('certificates/certificates', ['certificates/certificates', 'certificates/reissues']),
  ...by('certificates/notices', ['certificates/notices']),
  ...ofTexts('certificates/notices'),
  ...by('dns/versions', ['dns/versions', 'dns/copies', 'dns/places']),
  ...by('customers/customers', ['customers/customers', 'customers/payment']),
  ...by('users/users', ['users/users', 'users/invites', 'users/profiles']),
  ...conditionsOf(`${features}/users/closing.repo.ts`, `${features}/users/closing.db.test.ts`, {
    ".where('id', '=', scope.organisationId)": 'row-level security says it a second time',
  }),
  ...conditionsOfTexts(`${features}/users/closing.repo.ts`, `${features}/users/closing.db.test.ts`),
  ...by('domains/domains', [
    ...['domains/domains', 'domains/portfolio', 'domains/settings'],
    ...['domains/transfers', 'domains/verification'],
  ]),
  ...by('acme/access', ['acme/access', 'acme/access-log', 'acme/allowances']),
  ...by('acme/orders', ['acme/orders', 'acme/standing', 'acme/places', 'acme/accounts'], {
    ".where('address', 'in', candidates)": 'without it more is read, of which the caller takes the same',
  }),
  ...by('moves/moves', ['moves/moves']),
  ...ofTexts('moves/moves'),
  ...by('changes/changes', ['changes/changes']),
  ...ofTexts('changes/changes'),
  ...ofTexts('changes/items'),
  ...by('attention/attention', ['attention/attention', 'attention/change']),
  ...ofTexts('attention/attention'),
  ...by('attention/digests', ['attention/digests']),
  ...ofTexts('attention/digests'),
  ...by('audit/audit', ['audit/audit']),
  ...conditionsOf(
    `${features}/customers/customer-list.repo.ts`,
    `${features}/customers/customer-list.db.test.ts`,
    {
      ".where('c.deleted_at', 'is', null)": 'a page is of customers that were found among the living',
    },
  ),
  ...conditionsOfTexts(
    `${features}/customers/import-writing.repo.ts`,
    `${features}/customers/import-moved.db.test.ts`,
    { "r.kind IN ('changed', 'same')": 'rows of other kinds have no customer yet' },
  ),
];
