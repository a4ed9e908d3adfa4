import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { useAccesses } from '../../src/web/features/acme/api.ts';
import { useAttention, useAttentionCounts } from '../../src/web/features/attention/api.ts';
import { useAudit } from '../../src/web/features/audit/api.ts';
import { useAccount } from '../../src/web/features/billing/api.ts';
import { useCertificates, useCustomerCertificates } from '../../src/web/features/certificates/api.ts';
import { useChanges } from '../../src/web/features/changes/api.ts';
import {
  useCustomer,
  useCustomerChoices,
  useCustomerDomains,
  useCustomers,
} from '../../src/web/features/customers/api.ts';
import {
  useFileLook,
  useImport,
  useImportRows,
  useImports,
  useMappings,
} from '../../src/web/features/customers/import-api.ts';
import { useDirectCharges } from '../../src/web/features/direct-billing/api.ts';
import { useGlue, useLastChanges, useZone, useZoneVersions } from '../../src/web/features/dns/api.ts';
import { useDnssec, useDomainDetails, useDomains } from '../../src/web/features/domains/api.ts';
import { useTransfer } from '../../src/web/features/domains/transfer-api.ts';
import {
  useCustomerHealth,
  useDomainHealth,
  useHealthBoard,
  useHealthCount,
} from '../../src/web/features/health/api.ts';
import { useWatched } from '../../src/web/features/health/watched-api.ts';
import { useMoves } from '../../src/web/features/moves/api.ts';
import { KeyContext } from '../../src/web/features/operator/key-context.ts';
import { useCartPrices } from '../../src/web/features/orders/api.ts';
import { useOrder, useOrders } from '../../src/web/features/orders/order-api.ts';
import { useOverview } from '../../src/web/features/overview/api.ts';
import { useErasurePlan, useFormerCustomers, useFormerUsers } from '../../src/web/features/privacy/api.ts';
import { useBillingAddress } from '../../src/web/features/profile/api.ts';
import { useDueRenewals } from '../../src/web/features/renewals/api.ts';
import { useEarnings, useMonths, useRecipient, useStatement } from '../../src/web/features/statement/api.ts';
import { useTemplateList, useUses } from '../../src/web/features/templates/api.ts';
import { useTokens } from '../../src/web/features/tokens/api.ts';
import { useInvites, useUsers } from '../../src/web/features/users/people-api.ts';
import { useViews } from '../../src/web/features/views/api.ts';
import { setTokenSource } from '../../src/web/lib/api-client.ts';

/**
 * What the web app's hooks send, and which readings they ask for again. The readings are those of the features themselves: a
 * hook that names a key that nothing is kept under reads nothing again here either.
 */

type Key = readonly unknown[];
export const domain = 'acme.com';
/** A customer, a template, an import, a finding. */
export const id = '5f0f6b0c-0000-4000-8000-000000000001';
const page = { page: 1, pageSize: 50 };

/** What is on some screen, or was a moment ago: its hook, or its key where the hook needs more around it. */
const readings = {
  account: useAccount,
  balance: ['account', 'balance'],
  statement: () => useStatement(page),
  months: useMonths,
  earnings: () => useEarnings({ by: 'customer' }),
  recipient: useRecipient,
  renewals: () => useDueRenewals(90),
  billingAddress: () => useBillingAddress(true),
  profile: ['profile'],
  overview: () => useOverview(true),
  attention: () => useAttention({}),
  attentionCounts: () => useAttentionCounts(id),
  customers: () => useCustomers(page),
  choices: useCustomerChoices,
  customer: () => useCustomer(id),
  customerDomains: () => useCustomerDomains(id, page),
  otherCustomer: () => useCustomer('other'),
  imports: useImports,
  import: () => useImport(id),
  importRows: () => useImportRows(id, page),
  mappings: useMappings,
  look: () => useFileLook('file', undefined),
  domains: () => useDomains(page),
  details: () => useDomainDetails(domain),
  dnssec: () => useDnssec(domain, true),
  transfer: () => useTransfer(domain),
  zone: () => useZone(domain),
  versions: () => useZoneVersions(domain),
  lastChanges: () => useLastChanges(domain),
  glue: () => useGlue(domain),
  otherZone: () => useZone('other.com'),
  records: ['zones', 'matches', '192.0.2.1'],
  templates: useTemplateList,
  uses: () => useUses(id, {}),
  health: () => useDomainHealth(domain),
  board: () => useHealthBoard({}),
  healthCount: () => useHealthCount(id),
  customerHealth: () => useCustomerHealth(id),
  watched: () => useWatched(page),
  certificates: () => useCertificates(page),
  customerCertificates: () => useCustomerCertificates(id, page),
  moves: () => useMoves(page),
  changes: useChanges,
  charges: () => useDirectCharges(page),
  accesses: () => useAccesses(page),
  prices: () => useCartPrices([{ type: 'domain', address: domain, registration: 1, whois: false } as never]),
  orders: () => useOrders(page),
  order: () => useOrder(id),
  ordersFound: ['orders', 'matches', 'acme'],
  users: useUsers,
  invites: useInvites,
  tokens: useTokens,
  plan: () => useErasurePlan(id, true),
  formerCustomers: () => useFormerCustomers(page),
  formerUsers: () => useFormerUsers(page),
  views: () => useViews('domains', true),
  audit: () => useAudit(page),
} satisfies Record<string, (() => unknown) | Key>;
export type Reading = keyof typeof readings;

/** What an order changes. */
export const ofOrders: readonly Reading[] = [
  ...(['account', 'balance', 'statement', 'months', 'earnings', 'recipient', 'renewals'] as const),
  ...(['billingAddress', 'overview', 'attention', 'attentionCounts', 'customers', 'choices'] as const),
  ...(['customer', 'customerDomains', 'otherCustomer', 'domains', 'details', 'transfer'] as const),
  ...([
    'certificates',
    'customerCertificates',
    'moves',
    'charges',
    'prices',
    'orders',
    'ordersFound',
  ] as const),
];

/** `POST /x?y=z`, and its body where it has one. Its idempotency key is `key` in front. */
type Sent = readonly [line: string, body?: unknown];

interface Answered<More extends string> {
  sent: Sent[];
  /** Asked again. */
  again: (Reading | More)[];
  /** Shown at once, without asking. */
  put: (Reading | More)[];
  /** Forgotten. */
  gone: (Reading | More)[];
  /** Names of the files that the browser was handed. */
  saved: string[];
}

/** What one file's hooks need beside what all have. */
interface Around<More extends string> {
  /** Readings that no hook of another file names. */
  more?: Record<More, (() => unknown) | Key>;
  /** What is kept under a reading of `more`, where the hook looks at it. */
  kept?: Record<string, unknown>;
  /** What the portal says of an act that is done. */
  data?: unknown;
}

type Answer = () => Response | Promise<Response>;
export const refused =
  (status: number, code: string, data: unknown = null): Answer =>
  () =>
    Response.json({ code, message: 'No', data }, { status });
const silence: Answer = () => {
  throw new TypeError('fetch failed');
};

/** Does an act by hooks while everything of `readings` is kept, and returns what was sent and what is asked again after the answer. */
export async function asked<Acts, More extends string = never>(
  useActs: () => Acts,
  act: (acts: Acts) => Promise<unknown>,
  answer?: Answer,
  around: Around<More> = {},
): Promise<Answered<More>> {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', headers, body }: RequestInit = {}) => {
    // The look whether the portal is there at all.
    if (new Headers(headers).get('authorization') === null) return Response.json({ data: {} });
    const key = new Headers(headers).has('idempotency-key') ? 'key ' : '';
    const line = `${key}${method} ${url.replace(/^\/api/, '')}`;
    sent.push(typeof body === 'string' ? [line, JSON.parse(body)] : [line]);
    return answer ? answer() : Response.json({ data: around.data ?? {} });
  });
  setTokenSource({ token: async () => 'token', renew: async () => null });
  const saved: string[] = [];
  takeFiles(saved);
  try {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    const kept = keep(client, { ...readings, ...around.more }, around.kept ?? {});
    const taken = Promise.withResolvers<Acts>();
    draw(client, () => taken.resolve(useActs()));
    await act(await taken.promise).catch((error: unknown) => {
      if (!answer) throw error;
    });
    const which = (is: (key: Key, before: unknown) => boolean) =>
      [...kept].flatMap(([name, { keys, data }]) =>
        keys.every((key) => is(key, data)) ? [name as Reading | More] : [],
      );
    return {
      sent,
      again: which((key) => client.getQueryState(key)?.isInvalidated === true),
      put: which(
        (key, before) => client.getQueryState(key) !== undefined && client.getQueryData(key) !== before,
      ),
      gone: which((key) => client.getQueryState(key) === undefined),
      saved,
    };
  } finally {
    vi.unstubAllGlobals();
    setTokenSource({ token: async () => null, renew: async () => null });
  }
}

/** A browser as far as it takes files. Their addresses are given back at once, not in a minute. */
function takeFiles(saved: string[]): void {
  const later = setTimeout;
  vi.stubGlobal('setTimeout', (run: () => void, ms?: number) => later(run, ms === 60_000 ? 0 : ms));
  vi.stubGlobal('document', {
    createElement: () => {
      const link = { href: '', download: '', click: () => saved.push(link.download) };
      return link;
    },
  });
}

/** Kept under each key. */
const shown = { rows: [], meta: { total: 0, page: 1, pageSize: 50 } };

interface Kept {
  keys: Key[];
  data: unknown;
}

/** Keeps something under the keys of all readings, and returns both. */
function keep(
  client: QueryClient,
  all: Record<string, (() => unknown) | Key>,
  looked: Record<string, unknown>,
): Map<string, Kept> {
  const kept = new Map<string, Kept>();
  for (const [name, reading] of Object.entries(all)) {
    let keys: Key[] = [];
    if (typeof reading === 'function') {
      const before = new Set(client.getQueryCache().getAll());
      draw(client, reading);
      keys = client
        .getQueryCache()
        .getAll()
        .filter((query) => !before.has(query))
        .map(({ queryKey }) => queryKey);
    } else keys = [reading];
    if (keys.length === 0) throw new Error(`Another reading has the key of ${name}.`);
    kept.set(name, { keys, data: looked[name] ?? shown });
  }
  for (const { keys, data } of kept.values()) for (const key of keys) client.setQueryData(key, data);
  return kept;
}

/** Also inside the operator's door: nothing else asks for the key. */
const operator = { key: 'key-of-ben', leave: () => undefined };

function draw(client: QueryClient, useAll: () => unknown): void {
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <KeyContext value={operator}>
        <Screen useAll={useAll} />
      </KeyContext>
    </QueryClientProvider>,
  );
}

function Screen({ useAll }: { useAll: () => unknown }) {
  useAll();
  return null;
}

/** One hook: what is done by it, what it sends, what is asked again after success, and after a failure. */
type Statement<Acts, More extends string = never> = readonly [
  what: string,
  act: (acts: Acts) => Promise<unknown>,
  sends: Sent,
  again: readonly (Reading | More)[],
  againRefused: readonly (Reading | More)[],
  /** Where nobody knows what became of it, more is asked than after a refusal. */
  againUnknown?: readonly (Reading | More)[],
];

/** The tests of a file's hooks. */
export function testWrites<Acts, More extends string = never>(
  useActs: () => Acts,
  statements: readonly Statement<Acts, NoInfer<More>>[],
  around: Around<More> = {},
): void {
  for (const [what, act, sends, again, againRefused, againUnknown = againRefused] of statements) {
    const readAfter = async (answer?: Answer) => (await asked(useActs, act, answer, around)).again.sort();

    test(`${what} sends all that was asked for`, async () => {
      expect((await asked(useActs, act, undefined, around)).sent).toEqual([sends]);
    });

    test(`after ${what} what it changes is read again, and nothing else`, async () => {
      expect(await readAfter()).toEqual([...again].sort());
    });

    test(`where ${what} is refused or gets no answer, what may be so by now is read again`, async () => {
      expect(await readAfter(refused(422, 'unprocessable'))).toEqual([...againRefused].sort());
      expect(await readAfter(silence)).toEqual([...againUnknown].sort());
    });
  }
}

/** The tests of hooks that hand a file to the browser, and change nothing. */
export function testFiles<Acts>(
  useActs: () => Acts,
  files: readonly (readonly [what: string, act: (acts: Acts) => Promise<unknown>, line: string])[],
): void {
  const file = () =>
    new Response('x', { headers: { 'content-disposition': 'attachment; filename="report.csv"' } });
  test.each(files)('%s is asked for as it was wished, and saved under its name', async (_what, act, line) => {
    const { sent, saved, again } = await asked(useActs, act, file);
    expect({ sent, saved, again }).toEqual({ sent: [[line]], saved: ['report.csv'], again: [] });
  });
}
