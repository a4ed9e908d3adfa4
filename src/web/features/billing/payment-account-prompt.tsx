import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSession } from '../../lib/session.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { useOpenPaymentAccount } from './payment-account.ts';

/** P2 §2: the MSP_OWNER connects a payment account, or is signed out. Comes again when the provider asks for more. */
export default function PaymentAccountPrompt() {
  const session = useSession();
  const open = useOpenPaymentAccount();
  const [leaving, setLeaving] = useState(false);
  return (
    <>
      <Dialog
        opened={!leaving}
        onClose={() => setLeaving(true)}
        title="Create payment account"
        closeButtonProps={{ 'aria-label': 'Close' }}
        centered
      >
        <Stack>
          <Text>
            A payment processor account is required. Customers who are billed directly pay into it. You set it
            up on the payment provider's page.
          </Text>
          <Text size="sm" c="dimmed">
            This may appear again if the payment provider needs more information.
          </Text>
          <FailureText error={open.error} size="md" />
          <Group justify="flex-end">
            <Button data-autofocus onClick={() => open.mutate()} disabled={open.isPending}>
              {open.isPending ? 'Opening...' : 'Go to the payment provider'}
            </Button>
          </Group>
        </Stack>
      </Dialog>
      <ConfirmDialog
        opened={leaving}
        title="Create payment account"
        confirmLabel="Confirm"
        // A yes leaves the page.
        running={false}
        error={null}
        onConfirm={() => void session.signOut()}
        onClose={() => setLeaving(false)}
      >
        You will be logged out if you don't connect the payment provider. Are you sure?
      </ConfirmDialog>
    </>
  );
}
