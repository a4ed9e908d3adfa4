import { Button, Card, Container, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconUsers, IconUsersGroup, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useProfile } from '../features/users/api.ts';
import { Guard } from '../features/users/guard.tsx';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { Page } from '../ui/page.tsx';

/** `/`: tiles when signed in, the landing page when not (P2 §1 and §2). */
export default function HomeScreen() {
  const session = useSession();
  if (session.status === 'loading') return null;
  if (session.status === 'signed-out') return <Landing />;
  return (
    <Guard>
      <Tiles />
    </Guard>
  );
}

function Landing() {
  const session = useSession();
  return (
    <Container size="sm" py={{ base: 48, sm: 96 }}>
      <Stack gap="lg" align="flex-start">
        <Title order={1}>Automated domain management.</Title>
        <Text size="lg" c="dimmed">
          Register, renew and transfer domains, keep DNS and certificates in order, and bill your customers:
          one place for managed service providers, safe with money.
        </Text>
        <Group>
          <Button size="md" onClick={() => void session.signIn()}>
            Get Started Today
          </Button>
        </Group>
      </Stack>
    </Container>
  );
}

function Tiles() {
  const profile = useProfile();
  const config = usePublicConfig();
  // P2 §2 and decisions no. 13.
  const users = profile.data?.type === 'MSP_ADMIN' && config.appType !== 'client';
  const tiles = [
    {
      to: '/domain/list',
      title: 'Domains',
      text: 'Expiry, DNS and certificates',
      icon: <IconWorld size={28} />,
    },
    {
      to: '/customers',
      title: 'Customers',
      text: 'Contacts, billing and markups',
      icon: <IconUsers size={28} />,
    },
    ...(users
      ? [{ to: '/users', title: 'Users', text: 'People and invitations', icon: <IconUsersGroup size={28} /> }]
      : []),
  ];
  return (
    <Page title="Search for domains">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {tiles.map((tile) => (
          <Card key={tile.to} component={Link} to={tile.to} withBorder padding="lg">
            <Stack gap={6}>
              {tile.icon}
              <Text fw={600} size="lg">
                {tile.title}
              </Text>
              <Text size="sm" c="dimmed">
                {tile.text}
              </Text>
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
    </Page>
  );
}
