import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PublicConfig } from '#contracts/operations/system.ts';
import type { Profile } from '#contracts/operations/users.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useBillingAddress, useResetPassword } from './api.ts';
import { GoToProvider } from './go-to-provider.tsx';
import { LogoUpload } from './logo-upload.tsx';

export interface ManageProfileProps {
  profile: Profile;
  config: PublicConfig;
  mayChangeLogo: boolean;
  maySeeAccount: boolean;
  onSignInAgain: () => void;
  /** Buttons that hand out what the portal holds about the person. */
  ownData: ReactNode;
  /** The button by which the organization is closed; null for those who may not. */
  closing: ReactNode;
}

/** "Manage Profile" (P1 §2): who I am, my password, our logo, and the address the payment provider keeps. */
export function ManageProfile(props: ManageProfileProps) {
  const { profile, config } = props;
  return (
    <Stack gap="md" maw={720}>
      <Card title="Account">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label="Account Name" value={profile.organization} readOnly />
            <TextInput label="Email" value={profile.email} readOnly autoComplete="email" />
          </SimpleGrid>
          {config.identity.passwordResetUrl && <Password config={config} email={profile.email} />}
        </Stack>
      </Card>
      {props.mayChangeLogo && (
        <Card title="Logo">
          <LogoUpload organization={profile.organization} logoPath={profile.logoPath} />
        </Card>
      )}
      {props.maySeeAccount && (
        <Card title="Billing Address">
          <Address onSignInAgain={props.onSignInAgain} />
        </Card>
      )}
      <Card title="Your data">
        <Text size="sm" mb="md">
          Everything the portal holds about you: your profile, invitations and actions.
        </Text>
        {props.ownData}
      </Card>
      {props.closing}
    </Stack>
  );
}

function Password({ config, email }: { config: PublicConfig; email: string }) {
  const reset = useResetPassword(config.identity, email);
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <TextInput label="Password" value="••••••••••" readOnly aria-readonly w={200} />
        <Button variant="default" disabled={reset.isPending} onClick={() => reset.mutate()}>
          {reset.isPending ? 'Sending...' : 'Reset'}
        </Button>
      </Group>
      <div aria-live="polite">
        {reset.data !== undefined && (
          <Text size="sm" className="result-ok">
            {reset.data}
          </Text>
        )}
        {reset.error && (
          <Text size="sm" c="var(--bad)">
            {reset.error.message}
          </Text>
        )}
      </div>
    </Stack>
  );
}

const fields = [
  ['name', 'Name'],
  ['line1', 'Address line 1'],
  ['line2', 'Address line 2'],
  ['city', 'City'],
  ['state', 'State'],
  ['postalCode', 'Postal code'],
  ['country', 'Country'],
] as const;

/** Read-only: the provider keeps it, and it is changed there (P1 §6). Its fields are required but disabled. */
function Address({ onSignInAgain }: { onSignInAgain: () => void }) {
  const found = useBillingAddress(true);
  const address = found.data?.address ?? null;
  return (
    <Stack>
      {found.error ? (
        <ErrorState error={found.error} onRetry={found.refetch} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} aria-busy={found.isPending}>
          {fields.map(([name, label]) => (
            <TextInput
              key={name}
              label={label}
              required={name !== 'line2'}
              disabled
              value={address?.[name] ?? ''}
              placeholder={found.isPending ? 'Loading...' : ''}
            />
          ))}
        </SimpleGrid>
      )}
      {found.data && !address ? (
        <Text size="sm" c="dimmed">
          There is no payment account yet. Its address shows here once it has been set up.
        </Text>
      ) : (
        <GoToProvider onSignInAgain={onSignInAgain} />
      )}
    </Stack>
  );
}
