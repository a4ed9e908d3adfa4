import { ActionIcon, Group, Modal, Stack, Text } from '@mantine/core';
import { IconEraser, IconFileDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { needsFreshSignIn, useEraseUser } from './api.ts';
import { ExportData } from './export-data.tsx';

interface Person {
  userId: string;
  email: string;
}

export interface UserPrivacyProps {
  user: Person;
  /** Nobody erases himself. */
  self: boolean;
  onSignInAgain: () => void;
}

/** A user's personal data, in the row of the user. */
export function UserPrivacy({ user, self, onSignInAgain }: UserPrivacyProps) {
  const [asked, setAsked] = useState<'export' | 'erase' | null>(null);
  const erase = useEraseUser();
  const stale = needsFreshSignIn(erase.error);
  const close = () => {
    setAsked(null);
    erase.reset();
  };
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          aria-label={`Export the data of ${user.email}`}
          onClick={() => setAsked('export')}
        >
          <IconFileDownload size={18} />
        </ActionIcon>
        {!self && (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Erase the data of ${user.email}`}
            onClick={() => setAsked('erase')}
          >
            <IconEraser size={18} />
          </ActionIcon>
        )}
      </Group>
      <Modal opened={asked === 'export'} onClose={close} title="Export data" centered>
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          Everything the portal holds about {user.email}.
        </Text>
        <ExportData subject={{ kind: 'user', id: user.userId }} />
      </Modal>
      <ConfirmDialog
        opened={asked === 'erase'}
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
            {user.email} is removed, with name, e-mail address, invitations and API tokens. This cannot be
            undone.
          </Text>
          <Text size="sm">
            What this person did stays in the audit log and in orders under a number, since others must be
            able to rely on them. The account at the sign-in provider is deleted there.
          </Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}
