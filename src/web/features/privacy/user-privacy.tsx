import { ActionIcon, Group, Stack, Text } from '@mantine/core';
import { IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useEraseUser } from './api.ts';
import { ExportButton } from './export-button.tsx';

interface Person {
  userId: string;
  email: string;
}

export interface UserPrivacyProps {
  user: Person;
  /** Users cannot erase themselves or someone who outranks them. */
  mayErase: boolean;
  onSignInAgain: () => void;
}

/** A user's personal data, in the row of the user. */
export function UserPrivacy({ user, mayErase, onSignInAgain }: UserPrivacyProps) {
  const [asked, setAsked] = useState(false);
  const erase = useEraseUser();
  const stale = needsFreshSignIn(erase.error);
  const close = () => {
    setAsked(false);
    erase.reset();
  };
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <ExportButton name={user.email} subject={{ kind: 'user', id: user.userId }} />
        {mayErase && (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Erase the data of ${user.email}`}
            onClick={() => setAsked(true)}
          >
            <IconEraser size={18} />
          </ActionIcon>
        )}
      </Group>
      <ConfirmDialog
        opened={asked}
        title="Erase personal data"
        confirmLabel={stale ? 'Sign in again' : 'Erase for good'}
        runningLabel="Erasing..."
        running={erase.isPending}
        error={erase.error}
        danger={!stale}
        onClose={close}
        onConfirm={() => {
          if (stale) onSignInAgain();
          else erase.mutate(user.userId, { onSuccess: close });
        }}
      >
        <Stack gap="xs">
          <Text style={{ overflowWrap: 'anywhere' }}>
            {user.email} will be removed, with their name, email address, invitations and API tokens. This
            cannot be undone.
          </Text>
          <Text size="sm">
            This person's actions stay in the audit log and in orders under a number, because other people
            rely on those records. Their account at the sign-in provider must be deleted there.
          </Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}
