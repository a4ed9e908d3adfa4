import { Alert, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import type { RegistrarAccount } from '#contracts/operations/operator.ts';
import { moneyText } from '#contracts/values/format.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useRegistrarAccount } from './api.ts';

/** The operator's own money at the registrar, from which every purchase is paid. */
export function RegistrarAccountCard() {
  const account = useRegistrarAccount();
  if (account.error) return <ErrorState error={account.error} onRetry={account.refetch} />;
  if (!account.data) return <Skeleton height={110} />;
  return <Card account={account.data} />;
}

function Card({ account }: { account: RegistrarAccount }) {
  const { level, readAt } = account;
  return (
    <Paper withBorder p="md" component="section" aria-label="Account at the registrar">
      <Stack gap="sm">
        {level === 'low' && (
          <Alert
            color="yellow"
            variant="light"
            role="alert"
            title="The account at the registrar is running low"
          >
            Less than {moneyText(account.threshold)} is left for further orders. Please top it up at the
            registrar.
          </Alert>
        )}
        {level === 'short' && (
          <Alert color="red" variant="light" role="alert" title="The account at the registrar is too low">
            It cannot pay for the orders under way. Purchases and renewals are refused until it is topped up.
          </Alert>
        )}
        <Group gap="xl">
          <Figure label="Left for orders" cents={account.available} strong />
          <Figure label="Balance at the registrar" cents={account.balance} />
          <Figure label="Held by the registrar" cents={account.held} />
          <Figure label="Orders under way" cents={account.open} />
        </Group>
        <Text size="xs" c="dimmed">
          {readAt ? (
            <>
              Read <DateTime at={readAt} />. You get an email when it falls below{' '}
              {moneyText(account.threshold)}.
            </>
          ) : (
            'The registrar has not been asked yet.'
          )}
        </Text>
      </Stack>
    </Paper>
  );
}

function Figure(props: { label: string; cents: number | null; strong?: boolean }) {
  const { cents } = props;
  return (
    <Stack gap={0}>
      <Text size="xs" c="dimmed">
        {props.label}
      </Text>
      <Text className="number" fw={props.strong ? 700 : 400}>
        {cents === null ? '—' : moneyText(cents)}
      </Text>
    </Stack>
  );
}
