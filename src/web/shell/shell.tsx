import { Anchor, AppShell, Badge, Burger, Button, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHelp, IconShoppingCart, IconUsers, IconWorld, IconWorldSearch } from '@tabler/icons-react';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { SearchBox } from '../features/domains/search-box.tsx';
import { cart, newDomainItem, useCart } from '../features/orders/cart.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { AccountMenu } from './account-menu.tsx';

const staticPages: Record<string, string> = {
  '/terms-and-conditions': 'Terms and Conditions',
  '/privacy-policy': 'Privacy policy',
};

/** Header with search and cart, side navigation, footer (P1 §2, P2 §2). */
export function Shell() {
  const [opened, nav] = useDisclosure(false);
  const session = useSession();
  const config = usePublicConfig();
  const profile = useProfile();
  const { pathname } = useLocation();
  const signedIn = session.status === 'signed-in';
  const member = signedIn && profile.data != null;
  const maySearch = useMay('catalogue.read');
  const staticTitle = staticPages[pathname];
  const searchable = member && maySearch && !staticTitle && !pathname.startsWith('/onboarding');
  return (
    <AppShell
      header={{ height: 64 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened, desktop: !member } }}
      padding="md"
    >
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="md" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap">
            {member && (
              <Burger
                opened={opened}
                onClick={nav.toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? 'Close navigation' : 'Open navigation'}
              />
            )}
            <Anchor component={Link} to="/" underline="never" c="inherit" fw={700}>
              {config.productName}
            </Anchor>
            {staticTitle && <Text visibleFrom="xs">{staticTitle}</Text>}
          </Group>
          <Group gap="sm" wrap="nowrap">
            {member && maySearch && <CartButton userId={profile.data?.userId ?? null} />}
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      {member && (
        <AppShell.Navbar p="sm" aria-label="Main">
          <SideNavigation onNavigate={nav.close} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="main">
        {searchable && <HeaderSearch userId={profile.data?.userId ?? null} />}
        <Outlet />
        <Footer />
      </AppShell.Main>
    </AppShell>
  );
}

function HeaderSearch({ userId }: { userId: string | null }) {
  const { has } = useCart(userId);
  const navigate = useNavigate();
  return (
    <div className="header-search">
      <SearchBox
        inCart={has}
        onAdd={(address) => cart.add(newDomainItem(address))}
        onPick={(address) => void navigate({ to: '/domains', search: { name: address } })}
      />
    </div>
  );
}

function CartButton({ userId }: { userId: string | null }) {
  const { items } = useCart(userId);
  const filled = items.length > 0;
  return (
    <Button
      component={Link}
      to="/cart"
      variant={filled ? 'filled' : 'default'}
      leftSection={<IconShoppingCart size={18} />}
      rightSection={
        filled ? (
          <Badge size="sm" variant="white" circle>
            {items.length}
          </Badge>
        ) : undefined
      }
      aria-label={`Cart, ${items.length} ${items.length === 1 ? 'item' : 'items'}`}
    >
      <Text span visibleFrom="xs" inherit>
        Cart
      </Text>
    </Button>
  );
}

function SideNavigation({ onNavigate }: { onNavigate: () => void }) {
  const { pathname } = useLocation();
  const entries = [
    { to: '/domain/list', label: 'Domains', icon: <IconWorld size={18} />, may: useMay('domains.read') },
    { to: '/domains', label: 'Search', icon: <IconWorldSearch size={18} />, may: useMay('catalogue.read') },
    { to: '/customers', label: 'Customers', icon: <IconUsers size={18} />, may: useMay('customers.read') },
  ] as const;
  return (
    <>
      {entries
        .filter((entry) => entry.may)
        .map((entry) => (
          <NavLink
            key={entry.to}
            component={Link}
            to={entry.to}
            label={entry.label}
            leftSection={entry.icon}
            active={pathname === entry.to}
            aria-current={pathname === entry.to ? 'page' : undefined}
            onClick={onNavigate}
          />
        ))}
      <NavLink
        component={Link}
        to="/terms-and-conditions"
        label="Help"
        leftSection={<IconHelp size={18} />}
        onClick={onNavigate}
      />
    </>
  );
}

function Footer() {
  return (
    <footer className="footer">
      <Group gap="lg">
        <Anchor component={Link} to="/terms-and-conditions" size="sm">
          Terms and Conditions
        </Anchor>
        <Anchor component={Link} to="/privacy-policy" size="sm">
          Privacy policy
        </Anchor>
        <Anchor component={Link} to="/" size="sm">
          Cookies
        </Anchor>
      </Group>
    </footer>
  );
}
