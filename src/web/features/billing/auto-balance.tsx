import { Badge, Button, Group, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { moneyText } from '#contracts/values/format.ts';
import { typedDollars } from '../../lib/typed-dollars.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FailureAlert } from '../../ui/failure.tsx';
import { useAccount, useSetAutoBalance } from './api.ts';
import { problemsOf, settingOf } from './auto-balance-values.ts';

/** Automatic top-ups from the stored payment method (P2 §2, Auto Balance). */
export function AutoBalance() {
  const account = useAccount();
  if (account.isError && !account.data) return <ErrorState error={account.error} onRetry={account.refetch} />;
  if (!account.data) return <Skeleton height={140} />;
  // Fresh fields whenever the stored setting changes.
  const { autoBalance } = account.data;
  return (
    <Setting
      key={`${autoBalance.active} ${autoBalance.amount} ${autoBalance.mark}`}
      active={autoBalance.active}
      reload={typedDollars(autoBalance.amount)}
      threshold={typedDollars(autoBalance.mark)}
    />
  );
}

function Setting(props: { active: boolean; reload: number | string; threshold: number | string }) {
  const save = useSetAutoBalance();
  const [reload, setReload] = useState(props.reload);
  const [threshold, setThreshold] = useState(props.threshold);
  const setting = settingOf({ reload, threshold });
  const problems = problemsOf(setting);
  const enable = () => save.mutate(setting);
  return (
    <Card
      title="Auto Balance"
      beside={<Badge color={props.active ? 'teal' : 'gray'}>{props.active ? 'On' : 'Off'}</Badge>}
    >
      <Stack gap="md">
        <Text>
          When your balance falls below <b className="number">{moneyText(setting.mark || 0)}</b>, it is
          reloaded with <b className="number">{moneyText(setting.amount || 0)}</b> from the payment method of
          your last top-up.
        </Text>
        <Group align="flex-start" gap="md">
          <NumberInput
            label="Reload Amount"
            prefix="$"
            decimalScale={2}
            min={0}
            value={reload}
            onChange={setReload}
            error={problems.amount}
          />
          <NumberInput
            label="When Balance is Below"
            prefix="$"
            decimalScale={2}
            min={0}
            value={threshold}
            onChange={setThreshold}
            error={problems.mark}
          />
        </Group>
        <FailureAlert error={save.error} />
        <Group>
          <Button
            onClick={enable}
            disabled={problems.amount !== null || problems.mark !== null || save.isPending}
          >
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
