import { expect, test, vi } from 'vitest';
import { listDomains } from '#contracts/operations/domains.ts';
import { ofOrders, type Reading, testWrites } from '../../../../tests/support/asked.tsx';
import { readAgainAfter } from '../../../../tests/support/read-again.tsx';
import { requestsSent } from '../../../../tests/support/request-keys.tsx';
import {
  domainKeys,
  useAllDomains,
  useForceNameservers,
  useRemoveDnssec,
  useResendVerification,
  useRestore,
  useSetAutoRenew,
  useSetContacts,
  useSetLock,
  useSetNameservers,
  useSetPrivacy,
} from './api.ts';

const domain = 'acme.com';

function useActs() {
  const [lock, renew, privacy] = [useSetLock(), useSetAutoRenew(), useSetPrivacy()];
  const [dnssec, force] = [useRemoveDnssec(domain), useForceNameservers(domain)];
  return { lock, renew, privacy, dnssec, force, resend: useResendVerification() };
}
type Acts = ReturnType<typeof useActs>;

test.each<[string, (acts: Acts) => Promise<unknown>]>([
  ['the lock', ({ lock }) => lock.mutateAsync({ domain, locked: true })],
  ['auto renew', ({ renew }) => renew.mutateAsync({ domain, enabled: true } as never)],
  ['privacy', ({ privacy }) => privacy.mutateAsync({ domain, enabled: true })],
  ['DNSSEC', ({ dnssec }) => dnssec.mutateAsync()],
  ['the nameservers', ({ force }) => force.mutateAsync(undefined as never)],
  ['a verification that is sent again', ({ resend }) => resend.mutateAsync({ domain } as never)],
])(
  'after a change of %s the domain, its lists, its DNS, what falls due and what needs attention are read again',
  async (_what, act) => {
    const shown = [
      [...domainKeys.one(domain), 'all_info'],
      domainKeys.list,
      ['dns', 'zone', domain],
      ['overview'],
      ['attention'],
      ['account', 'renewals', 90],
    ];
    expect(await readAgainAfter(useActs, shown, act)).toEqual(shown);
  },
);

const useRestoration = () => useRestore(domain);
const declined = { orderId: 'o', renewals: { success: [], fail: [{ domain, error: 'No' }] }, pending: [] };

test.each(['done', 'refused'] as const)(
  'a restoration that was answered is over, whatever the answer was, and the next try orders it again: %s',
  async (first) => {
    const tries = [[80, first] as const, [80, 'done'] as const];
    expect(await requestsSent(useRestoration, tries, declined)).toEqual([1, 2]);
  },
);

test('while nobody knows what became of a restoration each try is the same order, at another price too', async () => {
  const unknown = ['silence', 'broken'] as const;
  const tries = [80, 95].flatMap((price) => unknown.map((answer) => [price, answer] as const));
  expect(await requestsSent(useRestoration, [...tries, [95, 'done'], [95, 'done']])).toEqual([
    1, 1, 1, 1, 1, 2,
  ]);
});

test('after a restoration, and after one that was refused, what an order changes is read again', async () => {
  const info = [...domainKeys.one(domain), 'all_info'];
  const shown = [info, domainKeys.list, ['account', 'balance'], ['overview']];
  const restore = (act: ReturnType<typeof useRestore>) => act.mutateAsync(80).catch(() => undefined);
  const refused = () => Response.json({ code: 'insufficient_funds', message: 'No' }, { status: 422 });
  for (const answer of [undefined, refused]) {
    expect(await readAgainAfter(useRestoration, shown, restore, answer)).toEqual(shown);
  }
});

test.each([0, 1, 200, 201, 400, 401])(
  'every domain that fits the filters is chosen, whatever page it is on, in their order: %i',
  async (total) => {
    const addresses = Array.from({ length: total }, (_, n) => ({ address: `n${n}.com` }));
    const answer = async (url: string) => {
      const { searchParams } = new URL(url, 'https://portal.example');
      const { page, pageSize, ...filter } = listDomains.query.parse(Object.fromEntries(searchParams));
      const from = ((page ?? 1) - 1) * pageSize;
      const isWanted = filter.search === 'com' && filter.sort === '-address';
      const rows = isWanted ? addresses.slice(from, from + pageSize) : [];
      const meta = { total, page, pageSize };
      return Response.json({ data: rows, meta });
    };
    await readAgainAfter(useAllDomains, [], async (all) => {
      vi.stubGlobal('fetch', answer);
      expect(await all.mutateAsync({ search: 'com', sort: '-address' })).toEqual(addresses);
    });
  },
);

function useWrites() {
  const more = { contacts: useSetContacts(domain), nameservers: useSetNameservers(domain) };
  return { ...useActs(), ...more, restore: useRestore(domain) };
}
type Writes = ReturnType<typeof useWrites>;

/** Whatever the registrar answered: the domain, its zone, what falls due, and who waits for it. */
const settled: Reading[] = [
  ...(['domains', 'details', 'customer', 'customerDomains', 'otherCustomer', 'renewals'] as const),
  ...(['dnssec', 'zone', 'versions', 'lastChanges', 'glue', 'otherZone', 'templates', 'uses'] as const),
  ...(['attention', 'attentionCounts', 'overview'] as const),
];
const setting = (
  what: string,
  act: (writes: Writes) => Promise<unknown>,
  ...sends: [line: string, body?: unknown]
) => [what, act, sends, settled, settled] as const;
const contact = (organization: string) => ({ organization, firstName: 'Ann', address2: 'Floor 2' }) as never;
const people = { owner: contact('A'), admin: contact('B'), billing: contact('C'), tech: contact('D') };
const nameservers = ['ns1.example.net', 'ns2.example.net'];

testWrites(useWrites, [
  setting(
    'a lock',
    ({ lock }) => lock.mutateAsync({ domain, locked: true }),
    ...(['POST /domain/lock_domain', { domain }] as const),
  ),
  setting(
    'an unlocking',
    ({ lock }) => lock.mutateAsync({ domain, locked: false }),
    ...(['POST /domain/unlock_domain', { domain }] as const),
  ),
  setting(
    'auto renew',
    ({ renew }) => renew.mutateAsync({ domain, enabled: false }),
    ...(['POST /domain/auto_renew', { domain, enabled: false }] as const),
  ),
  setting(
    'privacy',
    ({ privacy }) => privacy.mutateAsync({ domain, enabled: true }),
    ...(['POST /domain/privacy', { domain, enabled: true }] as const),
  ),
  setting(
    'a verification',
    ({ resend }) => resend.mutateAsync({ domain }),
    ...(['POST /domain/resend_verification', { domain }] as const),
  ),
  setting('an end of DNSSEC', ({ dnssec }) => dnssec.mutateAsync(), 'DELETE /acme.com/dnssec'),
  setting(
    'the managed DNS',
    ({ force }) => force.mutateAsync({ dnssecConfirmed: true }),
    ...(['POST /acme.com/zone/force_dns_nameservers', { dnssecConfirmed: true }] as const),
  ),
  setting(
    'nameservers',
    (writes) => writes.nameservers.mutateAsync({ nameservers, dnssecConfirmed: true }),
    ...(['POST /acme.com/nameserver/update_nameservers', { nameservers, dnssecConfirmed: true }] as const),
  ),
  setting(
    'contacts',
    ({ contacts }) => contacts.mutateAsync(people),
    ...(['PUT /acme.com/contacts', people] as const),
  ),
  [
    'a restoration',
    ({ restore }) => restore.mutateAsync(80),
    ['key POST /domain/restore', { domain, price: 80 }],
    ofOrders,
    ofOrders,
  ],
]);
