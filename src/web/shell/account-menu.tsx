import { Button, Menu, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { IconChevronDown, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useProfile } from '../features/users/api.ts';
import { useSession } from '../lib/session.tsx';

/** Signed in: the organisation, three links, Sign out. Signed out: sign in, or create an account (P1 §2). */
export function AccountMenu() {
  const session = useSession();
  const profile = useProfile();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  if (session.status === 'loading') return null;
  const signedIn = session.status === 'signed-in';
  const name = profile.data?.organization || 'Hello';
  return (
    <Menu width={280} position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconUser size={18} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={signedIn ? `Account menu, ${name}` : 'Account menu'}
        >
          <Text span inherit truncate maw={140} visibleFrom="xs">
            {signedIn ? name : 'Account'}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {signedIn ? (
          <>
            <Menu.Label>{name}</Menu.Label>
            <Menu.Item component={Link} to="/account">
              Profile &amp; Billing Details
            </Menu.Item>
            <Menu.Item component={Link} to="/customers">
              Manage Customers
            </Menu.Item>
            <Menu.Item component={Link} to="/domain">
              Manage Domains &amp; Certificates
            </Menu.Item>
          </>
        ) : (
          <Stack p="sm" gap="xs">
            <Text size="sm">Already have an account?</Text>
            <Button variant="default" onClick={() => void session.signIn()}>
              Sign in
            </Button>
            <Text size="sm">Don't yet have an account? Create one now to get started.</Text>
            <Button onClick={() => void session.signIn({ signUp: true })}>Create Account</Button>
          </Stack>
        )}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            fw={colorScheme === scheme ? 600 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {{ auto: 'As the system', light: 'Light', dark: 'Dark' }[scheme]}
          </Menu.Item>
        ))}
        {signedIn && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => void session.signOut()}>Sign out</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
