import { Alert, Stack } from '@mantine/core';
import type { RegistrarAccount } from '#contracts/operations/operator.ts';
import { moneyText } from '#contracts/values/format.ts';
import { Card } from '../../ui/card.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Figures } from '../../ui/figures.tsx';
import { useRegistrarAccount } from './api.ts';

/** The operator's own money at the registrar, from which every purchase is paid. */
export function RegistrarAccountCard() {
  const account = useRegistrarAccount();
  if (account.error) return <ErrorState error={account.error} onRetry={account.refetch} />;
  const { data } = account;
  const shown = (cents: number | null | undefined) =>
    cents === undefined ? undefined : cents === null ? null : moneyText(cents);
  return (
    <Card title="Account at the registrar" end={data && <Reading account={data} />}>
      <Stack gap="sm">
        {data && <Level account={data} />}
        <Figures
          within
          label="Account at the registrar"
          figures={[
            { title: 'Left for orders', value: shown(data?.available) },
            { title: 'Balance at the registrar', value: shown(data?.balance) },
            { title: 'Held by the registrar', value: shown(data?.held) },
            { title: 'Orders under way', value: shown(data?.open) },
          ]}
        />
      </Stack>
    </Card>
  );
}

function Reading({ account: { readAt, threshold } }: { account: RegistrarAccount }) {
  if (!readAt) return 'The registrar has not been asked yet.';
  return (
    <>
      Read <DateTime at={readAt} />. You get an email when it falls below {moneyText(threshold)}.
    </>
  );
}

function Level({ account: { level, threshold } }: { account: RegistrarAccount }) {
  if (level === 'low') {
    return (
      <Alert color="yellow" variant="light" role="alert" title="The account at the registrar is running low">
        Less than {moneyText(threshold)} is left for further orders. Please top it up at the registrar.
      </Alert>
    );
  }
  return (
    level === 'short' && (
      <Alert color="red" variant="light" role="alert" title="The account at the registrar is too low">
        It cannot pay for the orders under way. Purchases and renewals are refused until it is topped up.
      </Alert>
    )
  );
}
