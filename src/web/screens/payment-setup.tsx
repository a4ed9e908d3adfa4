import { Alert, Button, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { PaymentSetup } from '#contracts/operations/payment-link.ts';
import { useOpenPaymentSetup, usePaymentSetup } from '../features/direct-billing/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureAlert } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** /payment-setup/{token}: where the mailed link leads. For the end customer, who needs no sign-in. */
export default function PaymentSetupScreen() {
  const { token = '' } = useParams({ strict: false });
  const setup = usePaymentSetup(token);
  const unknown =
    setup.error instanceof ApiError && ['not_found', 'validation_failed'].includes(setup.error.code);
  return (
    <Page title="Payment setup">
      <Paper withBorder p="lg" maw={640}>
        {setup.isPending && <Skeleton height={120} role="status" aria-label="Loading" />}
        {unknown && <Expired />}
        {setup.error && !unknown && <ErrorState error={setup.error} onRetry={setup.refetch} />}
        {setup.data && <Known setup={setup.data} token={token} />}
      </Paper>
    </Page>
  );
}

function Known({ setup, token }: { setup: PaymentSetup; token: string }) {
  const open = useOpenPaymentSetup();
  if (setup.state === 'expired') return <Expired invitedBy={setup.invitedBy} />;
  const done = setup.state === 'done';
  return (
    <Stack align="flex-start">
      {done ? (
        <Alert color="teal" variant="light" role="status">
          Your payment method is stored. You can close this page.
        </Alert>
      ) : (
        <Text>
          {setup.invitedBy} bills {setup.organization} directly for domains and certificates. Please store a
          payment method on the page of the payment provider.
        </Text>
      )}
      <FailureAlert error={open.error} />
      <Button
        variant={done ? 'default' : 'filled'}
        disabled={open.isPending}
        onClick={() => open.mutate(token)}
      >
        {open.isPending ? 'Opening...' : done ? 'Store another payment method' : 'Continue'}
      </Button>
    </Stack>
  );
}

/** Who has done what it asked for opens an old letter, too. Of a link that nobody knows there is nobody to name. */
function Expired({ invitedBy }: { invitedBy?: string }) {
  return (
    <Alert color="yellow" variant="light" role="alert">
      This link is no longer valid.{' '}
      {invitedBy
        ? `If you have stored a payment method already, there is nothing left to do. If not, please ask ${invitedBy} for a new link.`
        : 'Please ask for a new one.'}
    </Alert>
  );
}
