import {
  ActionIcon,
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconInfoCircle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCents } from '#contracts/values/money.ts';
import { useBalance, usePollBalance, useStartTopUp } from './api.ts';
import { PaymentForm } from './payment-form.tsx';

/** P2 §2 and §5. */
const presets = ['100', '200', '500'];
const minimum = 20;
const initialFee = 100;

/** Balance, amount, payment form. In initial-fee mode the amount is $100 and fixed (decisions no. 4 and 5). */
export function TopUp({ initial, onPaid }: { initial: boolean; onPaid?: () => void }) {
  const balance = useBalance();
  const start = useStartTopUp();
  const poll = usePollBalance();
  const [choice, setChoice] = useState('100');
  const [custom, setCustom] = useState<number | string>(minimum);
  const [waiting, setWaiting] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const amount = initial ? initialFee : choice === 'custom' ? Number(custom) : Number(choice);
  const tooSmall = !initial && choice === 'custom' && !(amount >= minimum);

  const begin = () => start.mutate({ amount, key: crypto.randomUUID() });
  async function paid() {
    const before = balance.data?.balance ?? 0;
    setWaiting(true);
    start.reset();
    const changed = await poll(before);
    setWaiting(false);
    setDone(
      changed
        ? 'Your balance has been topped up.'
        : `Your payment of $${amount} is being processed. Please refresh later.`,
    );
    onPaid?.();
  }
  return (
    <Stack gap="md">
      {initial && (
        <Alert color="yellow" variant="light">
          You need to top up your balance to fully activate your account
        </Alert>
      )}
      <BalanceField />
      {!start.data && (
        <Group align="flex-end" gap="md">
          {!initial && (
            <Select
              label="Top-up amount"
              data={[
                ...presets.map((value) => ({ value, label: `$${value}` })),
                { value: 'custom', label: 'Custom' },
              ]}
              value={choice}
              allowDeselect={false}
              onChange={(value) => setChoice(value ?? '100')}
            />
          )}
          {!initial && choice === 'custom' && (
            <NumberInput
              label="Custom amount"
              prefix="$"
              decimalScale={2}
              min={0}
              max={9_999}
              value={custom}
              onChange={setCustom}
              error={tooSmall ? 'Minimum of $20' : undefined}
            />
          )}
          <Button onClick={begin} disabled={tooSmall || start.isPending || waiting}>
            {start.isPending ? 'Preparing...' : 'Top up now'}
          </Button>
        </Group>
      )}
      {start.error && (
        <Alert color="red" variant="light" role="alert">
          {start.error.message}
        </Alert>
      )}
      {start.data && (
        <PaymentForm
          intentSecret={start.data.intentSecret}
          topupId={start.data.topupId}
          onPaid={() => void paid()}
        />
      )}
      {waiting && <Text role="status">Waiting for your payment to arrive...</Text>}
      {done && (
        <Alert color="teal" variant="light" role="status">
          {done}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        The payment provider's fee is 2.9% + 30 cents per card transaction in USD and 0.8% on US bank
        transfers.
      </Text>
    </Stack>
  );
}

function BalanceField() {
  const balance = useBalance();
  const pending = balance.data?.pendingBalance ?? 0;
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label="Balance"
        readOnly
        value={balance.data ? `$${formatCents(balance.data.balance)}` : ''}
        placeholder={balance.isError ? 'Not available' : 'Loading...'}
        w={200}
        className="number"
      />
      <ActionIcon
        variant="default"
        size="input-sm"
        aria-label="Refresh balance"
        loading={balance.isFetching}
        onClick={() => void balance.refetch()}
      >
        <IconRefresh size={16} />
      </ActionIcon>
      {pending > 0 && (
        <Tooltip
          label={`Your payment of $${formatCents(pending)} is being processed. Please refresh later.`}
          events={{ hover: true, focus: true, touch: true }}
        >
          <ActionIcon variant="subtle" size="input-sm" aria-label={`$${formatCents(pending)} pending`}>
            <IconInfoCircle size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
