import '@mantine/spotlight/styles.css';
import { Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useState } from 'react';
import { useMay } from '../features/users/api.ts';
import { callPage } from '../lib/api-client.ts';
import { useSession } from '../lib/session.tsx';
import { usePlaces } from './places.ts';

/** So many of each kind are offered. */
const shown = 6;
const [store, palette] = createSpotlight();
type Group = ComponentProps<typeof Spotlight>['actions'][number];

/** Ctrl K: go to a customer, a domain or a screen. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  useEffect(() => palette.open(), []);
  const screens = useScreens();
  const found = useMatches(text);
  const navigate = useNavigate();
  const session = useSession();
  const staff = useMay('customers.create');
  const go = (to: string) => () => void navigate({ to });
  const search = text.trim().toLowerCase();
  const listed = screens.filter(({ label }) => label.toLowerCase().includes(search));
  const groups: Group[] = [
    { group: 'Customers', actions: found.customers.map((entry) => ({ ...entry, onClick: go(entry.id) })) },
    { group: 'Domains', actions: found.domains.map((entry) => ({ ...entry, onClick: go(entry.id) })) },
    {
      group: 'Go to',
      actions: listed.map(({ to, label }) => ({ id: to, label, onClick: go(to) })),
    },
    ...('sign out'.includes(search)
      ? [
          {
            group: 'Account',
            actions: [{ id: 'sign-out', label: 'Sign out', onClick: () => void session.signOut() }],
          },
        ]
      : []),
  ].filter(({ actions }) => actions.length > 0);
  return (
    <Spotlight
      store={store}
      overlayProps={{ blur: 0, backgroundOpacity: 0.5 }}
      shortcut={null}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={onClose}
      actions={groups}
      // The server and the list above have filtered already.
      filter={(_query, actions) => actions}
      nothingFound={found.loading ? 'Searching...' : 'Nothing found'}
      scrollable
      maxHeight={420}
      searchProps={{
        placeholder: staff ? 'Go to a customer, a domain or a screen' : 'Go to a domain or a screen',
        'aria-label': 'Commands',
        rightSection: found.loading ? <Loader size="xs" /> : null,
      }}
    />
  );
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
          { to: '/cart', label: 'Cart' },
          { to: '/domain/transfer', label: 'Transfer a domain' },
        ]
      : []),
    ...(money ? [{ to: '/account/statement', label: 'Statement' }] : []),
    { to: '/account/profile', label: 'Profile' },
  ];
}

/** Customers and domains whose names contain what was typed. */
function useMatches(text: string) {
  const [search] = useDebouncedValue(text.trim(), 150);
  const enabled = search.length > 1;
  const query = { search, page: 1, pageSize: shown };
  const customers = useQuery({
    queryKey: ['customers', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /customer', { query, signal }),
    enabled: useMay('customers.create') && enabled,
  });
  const domains = useQuery({
    queryKey: ['domains', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /domain', { query, signal }),
    enabled: useMay('domains.read') && enabled,
  });
  return {
    loading: customers.isFetching || domains.isFetching,
    customers: (customers.data?.rows ?? []).map((row) => ({
      id: `/customers/${row.customerId}`,
      label: row.contacts.owner.organization,
      description: `${row.contacts.owner.firstName} ${row.contacts.owner.lastName}`,
    })),
    domains: (domains.data?.rows ?? []).map((row) => ({
      id: `/domain/${row.address}`,
      label: row.address,
      description: row.customer,
    })),
  };
}
