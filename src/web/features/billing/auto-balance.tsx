import { Alert, Badge, Button, Group, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { moneyText } from '#contracts/values/format.ts';
import { autoBalanceLimits, minimumText } from '#contracts/values/topup-limits.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useAccount, useSetAutoBalance } from './api.ts';

/** Automatic top-ups from the stored payment method (P2 §2, Auto Balance). */
export function AutoBalance() {
  const account = useAccount();
  if (account.isError) return <ErrorState error={account.error} onRetry={account.refetch} />;
  if (!account.data) return <Skeleton height={140} />;
  // Fresh fields whenever the stored setting changes.
  const { autoBalance } = account.data;
  return (
    <Setting
      key={`${autoBalance.active} ${autoBalance.amount} ${autoBalance.mark}`}
      active={autoBalance.active}
      reload={autoBalance.amount / 100}
      threshold={autoBalance.mark / 100}
    />
  );
}

function Setting(props: { active: boolean; reload: number; threshold: number }) {
  const save = useSetAutoBalance();
  const [reload, setReload] = useState<number | string>(props.reload);
  const [threshold, setThreshold] = useState<number | string>(props.threshold);
  const reloadOk = Number(reload) * 100 >= autoBalanceLimits.leastAmountCents;
  const thresholdOk = Number(threshold) * 100 >= autoBalanceLimits.leastMarkCents;
  const cents = (dollars: number | string) => Math.round(Number(dollars) * 100);
  const enable = () => save.mutate({ enabled: true, amount: cents(reload), mark: cents(threshold) });
  return (
    <Card
      title="Auto Balance"
      beside={<Badge color={props.active ? 'teal' : 'gray'}>{props.active ? 'On' : 'Off'}</Badge>}
    >
      <Stack gap="md">
        <Text>
          When your balance falls below <b className="number">{dollars(threshold)}</b>, it is reloaded with{' '}
          <b className="number">{dollars(reload)}</b> from the payment method of your last top-up.
        </Text>
        <Group align="flex-start" gap="md">
          <NumberInput
            label="Reload Amount"
            prefix="$"
            decimalScale={2}
            min={0}
            value={reload}
            onChange={setReload}
            error={reloadOk ? null : minimumText(autoBalanceLimits.leastAmountCents)}
          />
          <NumberInput
            label="When Balance is Below"
            prefix="$"
            decimalScale={2}
            min={0}
            value={threshold}
            onChange={setThreshold}
            error={thresholdOk ? null : minimumText(autoBalanceLimits.leastMarkCents)}
          />
        </Group>
        {save.error && (
          <Alert color="red" variant="light" role="alert">
            {save.error.message}
          </Alert>
        )}
        <Group>
          <Button onClick={enable} disabled={!reloadOk || !thresholdOk || save.isPending}>
            {props.active ? 'Update' : 'Enable'}
          </Button>
          {props.active && (
            <Button
              variant="default"
              disabled={save.isPending}
              onClick={() => save.mutate({ enabled: false })}
            >
              Disable
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

/** As somebody types it; nothing typed is nothing. */
const dollars = (typed: number | string) => moneyText(Math.round(Number(typed) * 100) || 0);
