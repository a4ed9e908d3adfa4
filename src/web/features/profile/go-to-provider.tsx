import { Button, Group, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useDashboardLink } from './api.ts';

/** Makes a one-time link to the payment provider's dashboard and offers it in a dialog (P1 §2). */
export function GoToProvider({ onSignInAgain }: { onSignInAgain: () => void }) {
  const link = useDashboardLink();
  const [opened, setOpened] = useState(false);
  const stale = needsFreshSignIn(link.error);
  const close = () => {
    setOpened(false);
    // Used or not, the link is forgotten.
    link.reset();
  };
  return (
    <>
      <Group>
        <Button
          variant="default"
          onClick={() => {
            setOpened(true);
            link.mutate();
          }}
        >
          Edit this information
        </Button>
      </Group>
      <Dialog opened={opened} onClose={close} title="Go to Stripe" centered>
        <Stack>
          <div aria-live="polite">
            {link.isPending && <Text>Preparing your link...</Text>}
            {link.data && (
              <Text>
                The payment provider keeps your billing address. This link signs you in there and works once.
              </Text>
            )}
            {link.error && <Text {...(stale ? {} : { c: 'var(--bad)' })}>{link.error.message}</Text>}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            {stale && <Button onClick={onSignInAgain}>Sign in again</Button>}
            {link.error && !stale && <Button onClick={() => link.mutate()}>Try again</Button>}
            {link.data && (
              <Button
                component="a"
                href={link.data.link}
                target="_blank"
                rel="noopener noreferrer"
                rightSection={<IconExternalLink size={16} aria-hidden />}
                onClick={close}
              >
                Go to dashboard
              </Button>
            )}
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
