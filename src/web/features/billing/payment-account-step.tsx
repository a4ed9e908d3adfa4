import { Alert, Button, Group, List, Loader, Stack, Text, Title } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { ErrorState } from '../../ui/error-state.tsx';
import { FailureAlert } from '../../ui/failure.tsx';
import { requirementText, useOpenPaymentAccount, useRefreshPaymentAccount } from './payment-account.ts';

/**
 * Onboarding's second step: a button to the payment provider's hosted page. `arrived`: how the person came here from
 * there; the account is read again, and only what the provider says counts.
 */
export function PaymentAccountStep(props: {
  finished: boolean;
  started: boolean;
  required: boolean;
  arrived: 'provider' | 'expired' | null;
  onContinue: () => void;
}) {
  const { finished, arrived, required, onContinue } = props;
  const refresh = useRefreshPaymentAccount();
  const open = useOpenPaymentAccount();
  const check = useEffectEvent(() => refresh.mutate());
  useEffect(() => {
    if (arrived === 'provider') check();
  }, [arrived]);
  if (refresh.isPending) {
    return (
      <Group gap="xs" role="status">
        <Loader size="sm" />
        <Text>Checking your payment account...</Text>
      </Group>
    );
  }
  const missing = refresh.data && !refresh.data.finishedRequirement ? refresh.data.requirements : null;
  return (
    <Stack align="flex-start">
      <Title order={2} size="h4">
        Your payment account
      </Title>
      {finished ? (
        <Alert color="teal" variant="light" role="status">
          Your payment account is set up.
        </Alert>
      ) : (
        <Text>
          Customers whom you bill directly pay into your own account at the payment provider. You set it up on
          the provider's page and return here afterwards.
        </Text>
      )}
      {arrived === 'expired' && !finished && (
        <Alert color="yellow" variant="light" role="status">
          The link to the payment provider is no longer valid. Please open a new one.
        </Alert>
      )}
      {missing && <Missing requirements={missing} />}
      {refresh.error && <ErrorState error={refresh.error} onRetry={() => refresh.mutate()} />}
      <FailureAlert error={open.error} />
      <Group>
        {!finished && (
          <Button onClick={() => open.mutate()} disabled={open.isPending}>
            {open.isPending
              ? 'Opening...'
              : props.started
                ? 'Continue at the payment provider'
                : 'Go to the payment provider'}
          </Button>
        )}
        {(finished || !required) && (
          <Button variant={finished ? 'filled' : 'default'} onClick={onContinue}>
            {finished ? 'Continue' : 'Later'}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function Missing({ requirements }: { requirements: string[] }) {
  return (
    <Alert color="yellow" variant="light" role="status" title="The payment provider needs more information">
      {requirements.length > 0 ? (
        <List size="sm">
          {requirements.map((requirement) => (
            <List.Item key={requirement}>{requirementText(requirement)}</List.Item>
          ))}
        </List>
      ) : (
        'The payment provider is still checking your details. This can take a while.'
      )}
    </Alert>
  );
}
