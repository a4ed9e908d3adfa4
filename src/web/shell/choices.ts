import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { hostOf } from '#contracts/values/dns-records.ts';
import { usdText } from '#contracts/values/format.ts';
import type { Typing } from '../features/domains/search-box.tsx';
import { useMay } from '../features/users/api.ts';
import { call, callPage } from '../lib/api-client.ts';
import { useSession } from '../lib/session.tsx';
import { usePlaces } from './places.ts';

/** So many of each kind are offered. */
const shown = 6;
const shownOrders = 3;
const shownZones = 2;
/** A filter in an address need not be the whole of a long text. */
const longestFilter = 60;

export interface Choice {
  key: string;
  label: string;
  description?: string | undefined;
  run: () => void;
}

interface ChoiceGroup {
  title: string;
  choices: Choice[];
}

/** What fits the text: the server's matches first, then screens and acts by their words. */
export function useChoices(typing: Pick<Typing, 'text' | 'first' | 'buying' | 'onBuy' | 'onDone'>): {
  groups: ChoiceGroup[];
  loading: boolean;
  /** Something could not be searched, so what is missing here may exist. */
  failed: boolean;
} {
  const { text, onDone } = typing;
  const found = useMatches(text);
  const screens = useScreens();
  const navigate = useNavigate();
  const session = useSession();
  const words = text.trim().toLowerCase();
  const fits = (label: string) => label.toLowerCase().includes(words);
  const go = (href: string) => () => {
    onDone();
    void navigate({ href });
  };
  const linked = (entries: readonly { to: string; label: string; description?: string }[]) =>
    entries.map((entry) => ({
      ...entry,
      key: `${entry.to} ${entry.label} ${entry.description ?? ''}`,
      run: go(entry.to),
    }));
  const buy = { title: 'Names to buy', choices: buyingOf(typing, words) };
  const signOut = { key: 'sign-out', label: 'Sign out', run: () => void session.signOut() };
  const groups = [
    ...(typing.first === 'buy' ? [buy] : []),
    { title: 'Domains', choices: linked(found.domains) },
    { title: 'Customers', choices: linked(found.customers) },
    { title: 'Certificates', choices: linked(found.certificates) },
    { title: 'DNS records', choices: linked([...found.zones, ...found.records]) },
    { title: 'Orders', choices: linked(found.orders) },
    { title: 'Go to', choices: linked(screens.filter(({ label }) => fits(label))) },
    ...(typing.first === 'go' ? [buy] : []),
    { title: 'Actions', choices: fits('Sign out') ? [signOut] : [] },
  ].filter(({ choices }) => choices.length > 0);
  return { groups, loading: found.loading, failed: found.failed };
}

/** People who type to buy may search for anything, and read beside the field what is wrong with it. */
function buyingOf(typing: Pick<Typing, 'first' | 'buying' | 'onBuy'>, words: string): Choice[] {
  const [label = ''] = words.split('.');
  const isName = /^[a-z0-9-]+(\.[a-z]+)?$/.test(words) && label.length >= 2 && label.length <= 63;
  if (!typing.buying || words === '' || (typing.first === 'go' && !isName)) return [];
  const name = !isName ? `“${words}”` : words.includes('.') ? words : `${words}.com`;
  return [{ key: 'buy', label: `Search for ${name} to buy`, run: typing.onBuy }];
}

function useScreens(): { to: string; label: string }[] {
  const places = usePlaces();
  const create = useMay('customers.create');
  const buy = useMay('orders.purchase');
  const money = useMay('balance.read');
  return [
    ...places,
    ...(create ? [{ to: '/customers/add', label: 'Add Customer' }] : []),
    ...(buy
      ? [
          { to: '/domains', label: 'Search for domains' },
          { to: '/domains/list', label: 'Register a list of names' },
          { to: '/cart', label: 'Cart' },
          { to: '/domain/transfer', label: 'Transfer a domain' },
          { to: '/domain/moves', label: 'Transfer a list of domains' },
        ]
      : []),
    ...(money ? [{ to: '/account/statement', label: 'Statement' }] : []),
    { to: '/account/profile', label: 'Profile' },
  ];
}

/** What has a name that contains what was typed. */
function useMatches(text: string) {
  const [search] = useDebouncedValue(text.trim(), 150);
  const enabled = search.length > 1;
  const query = { search, page: 1, pageSize: shown };
  // Until the new matches are there, the list keeps those before them: what somebody points at does not vanish under their hand.
  const kept = enabled ? { placeholderData: keepPreviousData } : {};
  const mayDomains = useMay('domains.read');
  const customers = useQuery({
    queryKey: ['customers', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /customer', { query, signal }),
    enabled: useMay('customers.create') && enabled,
    ...kept,
  });
  const domains = useQuery({
    queryKey: ['domains', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /domain', { query, signal }),
    enabled: mayDomains && enabled,
    ...kept,
  });
  const certificates = useQuery({
    queryKey: ['certificates', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /ssl', { query, signal }),
    enabled: mayDomains && enabled,
    ...kept,
  });
  const orders = useQuery({
    queryKey: ['orders', 'matches', search],
    queryFn: ({ signal }) =>
      callPage('GET /order', { query: { ...query, pageSize: shownOrders, sort: '-createdAt' }, signal }),
    enabled: useMay('orders.read') && enabled,
    ...kept,
  });
  const records = useQuery({
    queryKey: ['zones', 'matches', search],
    queryFn: ({ signal }) => call('GET /dns/records', { query: { search }, signal }),
    enabled: mayDomains && enabled,
    ...kept,
  });
  const all = [customers, domains, certificates, orders, records];
  return {
    loading: search !== text.trim() || all.some(({ isFetching }) => isFetching),
    failed: all.some(({ isError }) => isError),
    customers: (customers.data?.rows ?? []).map((row) => ({
      to: `/customers/${row.customerId}`,
      label: row.contacts.owner.organization,
      description: `${row.contacts.owner.firstName} ${row.contacts.owner.lastName}`,
    })),
    // The records of a name are a screen of their own: worth a line when the name is clear.
    zones: (domains.data?.rows ?? []).slice(0, shownZones).map((row) => ({
      to: `/domain/${row.address}/dns`,
      label: row.address,
      description: 'Records',
    })),
    records: (records.data ?? []).map(({ domain, type, subdomain, value }) => ({
      to: `/domain/${domain}/dns?${new URLSearchParams({ search: value.slice(0, longestFilter) })}`,
      label: hostOf({ subdomain }, domain),
      description: `${type} ${value}`,
    })),
    orders: (orders.data?.rows ?? []).map((row) => ({
      to: `/orders/${row.orderId}`,
      label:
        row.items.map(({ address }) => address).find((address) => address.includes(search.toLowerCase())) ??
        'Order',
      description: `${row.items.length === 1 ? '1 item' : `${row.items.length} items`}, ${usdText(row.total)}`,
    })),
    domains: (domains.data?.rows ?? []).map((row) => ({
      to: `/domain/${row.address}`,
      label: row.address,
      description: row.customer,
    })),
    certificates: (certificates.data?.rows ?? []).flatMap((row) =>
      row.orderId
        ? [{ to: `/SSL/${row.orderId}`, label: row.address, description: `${row.provider}, ${row.state}` }]
        : [],
    ),
  };
}
