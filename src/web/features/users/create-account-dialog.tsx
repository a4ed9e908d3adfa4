import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../lib/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProfileForm } from './profile-form.tsx';

/**
 * P2 §2: for a visitor who came by "Create Account" and has no profile yet. Neither Escape nor the backdrop closes it, only
 * the close icon; the form behind it asks for the same.
 */
export function CreateAccountDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const session = useSession();
  const [opened, setOpened] = useState(true);
  const close = () => {
    setOpened(false);
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title="Create Account"
      closeOnEscape={false}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <Stack>
        <ProfileForm
          email={session.email ?? ''}
          submitLabel="Create Account"
          onDone={() => {
            setOpened(false);
            onDone();
          }}
          extra={
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                Not your address?
              </Text>
              <Button variant="subtle" size="compact-sm" onClick={() => void session.signOut()}>
                Sign out
              </Button>
            </Group>
          }
        />
        <Group gap="md">
          <Anchor component={Link} to="/terms-and-conditions" size="sm">
            Terms and Conditions
          </Anchor>
          <Anchor component={Link} to="/privacy-policy" size="sm">
            Privacy policy
          </Anchor>
        </Group>
      </Stack>
    </Dialog>
  );
}
