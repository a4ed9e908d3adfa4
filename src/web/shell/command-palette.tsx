import { Loader, Modal, ScrollArea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMay } from '../features/users/api.ts';
import { callPage } from '../lib/api-client.ts';
import { useSession } from '../lib/session.tsx';
import classes from './command-palette.module.css';
import { usePlaces } from './places.ts';

/** So many of each kind are offered. */
const shown = 6;

interface Choice {
  key: string;
  label: string;
  description?: string | undefined;
  run: () => void;
}

interface ChoiceGroup {
  title: string;
  choices: Choice[];
}

/** Ctrl K: go to a domain, a customer, a certificate or a screen, buy a name, or act. The first choice is chosen. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const staff = useMay('customers.create');
  const { groups, loading } = useChoices(text, onClose);
  const choices = groups.flatMap((group) => group.choices);
  const active = Math.min(at, choices.length - 1);
  const idOf = (index: number) => `${list}-${index}`;

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      setAt((active + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choices[active]?.run();
    }
  }
  let index = -1;
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Commands">
        <div className={classes.field}>
          <input
            data-autofocus
            role="combobox"
            aria-label="Commands"
            aria-expanded={choices.length > 0}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={active >= 0 ? idOf(active) : undefined}
            placeholder={
              staff ? 'Go to a domain, a customer, a certificate or a screen' : 'Go to a domain or a screen'
            }
            value={text}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          {loading && <Loader size="xs" />}
        </div>
        <ScrollArea.Autosize mah="24rem">
          <div id={list} role="listbox" aria-label="Commands" className={classes.list}>
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: groups of a list box are such elements (ARIA practices).
              <div key={group.title} role="group" aria-label={group.title}>
                <p className={classes.title} aria-hidden>
                  {group.title}
                </p>
                {group.choices.map((choice) => {
                  index += 1;
                  const mine = index;
                  return (
                    <Option
                      key={choice.key}
                      id={idOf(mine)}
                      choice={choice}
                      active={mine === active}
                      onPoint={() => setAt(mine)}
                    />
                  );
                })}
              </div>
            ))}
          </div>
          <p role="status" className={classes.nothing} hidden={choices.length > 0}>
            {loading ? 'Searching...' : 'Nothing found'}
          </p>
        </ScrollArea.Autosize>
      </Modal.Content>
    </Modal.Root>
  );
}

function Option(props: { id: string; choice: Choice; active: boolean; onPoint: () => void }) {
  const { id, choice, active, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // The field keeps the focus and the keys; the pointer works here.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys for the whole list.
    // biome-ignore lint/a11y/useFocusableInteractive: the field points at it with aria-activedescendant.
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={active}
      className={classes.option}
      onPointerMove={onPoint}
      onClick={choice.run}
    >
      <span>{choice.label}</span>
      {choice.description && <span className={classes.description}>{choice.description}</span>}
    </div>
  );
}

/** What fits the text: the server's matches first, then screens and acts by their words. */
function useChoices(text: string, close: () => void): { groups: ChoiceGroup[]; loading: boolean } {
  const found = useMatches(text);
  const screens = useScreens();
  const navigate = useNavigate();
  const session = useSession();
  const mayBuy = useMay('orders.purchase');
  const words = text.trim().toLowerCase();
  const fits = (label: string) => label.toLowerCase().includes(words);
  const go = (href: string) => () => {
    close();
    void navigate({ href });
  };
  const linked = (entries: readonly { to: string; label: string; description?: string }[]) =>
    entries.map((entry) => ({ ...entry, key: entry.to, run: go(entry.to) }));
  const name = /^[a-z0-9-]{2,63}(\.[a-z]+)?$/.test(words) ? words : null;
  const buy = name && {
    key: 'buy',
    label: `Search for ${name.includes('.') ? name : `${name}.com`} to buy`,
    run: go(`/domains?name=${name.includes('.') ? name : `${name}.com`}`),
  };
  const signOut = { key: 'sign-out', label: 'Sign out', run: () => void session.signOut() };
  const groups = [
    { title: 'Domains', choices: linked(found.domains) },
    { title: 'Customers', choices: linked(found.customers) },
    { title: 'Certificates', choices: linked(found.certificates) },
    { title: 'Go to', choices: linked(screens.filter(({ label }) => fits(label))) },
    {
      title: 'Do',
      choices: [...(buy && mayBuy ? [buy] : []), ...(fits('Sign out') ? [signOut] : [])],
    },
  ].filter(({ choices }) => choices.length > 0);
  return { groups, loading: found.loading };
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

/** Domains, customers and certificates whose names contain what was typed. */
function useMatches(text: string) {
  const [search] = useDebouncedValue(text.trim(), 150);
  const enabled = search.length > 1;
  const query = { search, page: 1, pageSize: shown };
  const mayDomains = useMay('domains.read');
  const customers = useQuery({
    queryKey: ['customers', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /customer', { query, signal }),
    enabled: useMay('customers.create') && enabled,
  });
  const domains = useQuery({
    queryKey: ['domains', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /domain', { query, signal }),
    enabled: mayDomains && enabled,
  });
  const certificates = useQuery({
    queryKey: ['certificates', 'matches', search],
    queryFn: ({ signal }) => callPage('GET /ssl', { query, signal }),
    enabled: mayDomains && enabled,
  });
  const all = [customers, domains, certificates];
  return {
    loading: search !== text.trim() || all.some(({ isFetching }) => isFetching),
    customers: (customers.data?.rows ?? []).map((row) => ({
      to: `/customers/${row.customerId}`,
      label: row.contacts.owner.organization,
      description: `${row.contacts.owner.firstName} ${row.contacts.owner.lastName}`,
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
