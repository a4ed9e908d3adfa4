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
import { useEffect, useEffectEvent, useState } from 'react';
import { moneyText, wholeDollarsText } from '#contracts/values/format.ts';
import { minimumText, topupLimits } from '#contracts/values/topup-limits.ts';
import { FailureAlert } from '../../ui/failure.tsx';
import { cancelTopUp, useBalance, usePollBalance, useStartTopUp } from './api.ts';
import { PaymentForm } from './payment-form.tsx';
import { changeOf, type Total } from './polling.ts';
import classes from './top-up.module.css';

/** P2 §2 and §5. */
const presets = [100, 200, 500];
const minimum = topupLimits.leastCents / 100;
const initialFee = topupLimits.initialCents / 100;
/** In line with fields that have a label above. */
const underLabel = { base: 0, xs: 20 };

/** P2 §2. */
const beingProcessed = (cents: number) =>
  `Your payment of ${moneyText(cents)} is being processed. Please refresh later.`;

const toppedUp = 'Your balance has been topped up.';

/** Amount, payment form, and the balance unless the screen shows it elsewhere. In initial-fee mode the amount is $100 and fixed (decisions no. 4 and 5). */
export function TopUp(props: {
  initial: boolean;
  onPaid?: () => void;
  /** Where the screen shows the balance itself: told of a payment that is not to be seen in it. */
  onUnseen?: (cents: number) => void;
}) {
  const { initial, onPaid, onUnseen } = props;
  const balance = useBalance();
  const start = useStartTopUp();
  const poll = usePollBalance();
  /** A payment is being made: its form stays, because nothing else would tell how it ends. */
  const [paying, setPaying] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  /** Paid, and not to be seen in the balance after all looks. */
  const [unseenCents, setUnseenCents] = useState(0);
  /** How the total was before that payment, until it shows there. */
  const [unseen, setUnseen] = useState<{ before: Total; processing: boolean } | null>(null);

  const tellUnseen = onUnseen ?? setUnseenCents;

  async function paid(processing: boolean) {
    const cents = start.data?.amount ?? 0;
    // As it was when "Pay" was pressed: what has arrived since is this payment.
    const before = balance.data ?? null;
    setWaiting(true);
    start.reset();
    const change = await poll(before).catch(() => 'unchanged' as const);
    setWaiting(false);
    tellUnseen(change === 'unchanged' ? cents : 0);
    setUnseen(change === 'unchanged' && before ? { before, processing } : null);
    setDone(change === 'credited' && !processing ? toppedUp : beingProcessed(cents));
    onPaid?.();
  }

  // Money that shows in the balance is not told a second time as on its way.
  const seen = useEffectEvent((now: Total) => {
    const change = unseen ? changeOf(unseen.before, now) : 'unchanged';
    if (change === 'unchanged') return;
    tellUnseen(0);
    if (change === 'credited' && !unseen?.processing) setDone(toppedUp);
    setUnseen(null);
  });
  useEffect(() => {
    if (unseen && balance.data) seen(balance.data);
  }, [unseen, balance.data]);

  /** Another payment takes its place: after a decline, the first must not be taken after all. */
  function changeAmount(topupId: string) {
    // Where nothing answers, the balance shows it if it was taken.
    void cancelTopUp(topupId).catch(() => null);
    start.reset();
  }

  return (
    <Stack gap="md">
      {initial && (
        <Alert color="yellow" variant="light">
          You need to top up your balance to fully activate your account
        </Alert>
      )}
      {!onUnseen && <BalanceField unseenCents={unseenCents} onRefresh={() => setUnseenCents(0)} />}
      {!start.data && (
        <AmountChoice
          fixed={initial}
          disabled={waiting}
          preparing={start.isPending}
          onBegin={(amount) => {
            setDone(null);
            setUnseen(null);
            tellUnseen(0);
            start.mutate(amount);
          }}
        />
      )}
      <FailureAlert error={start.error} />
      {start.data && (
        <Group gap="sm">
          <Text fw={600} className="number">
            Top-up of {moneyText(start.data.amount)}
          </Text>
          {!initial && (
            <Button
              variant="subtle"
              size="compact-sm"
              disabled={paying}
              onClick={() => changeAmount(start.data.topupId)}
            >
              Change amount
            </Button>
          )}
        </Group>
      )}
      {start.data && (
        <PaymentForm
          intentSecret={start.data.intentSecret}
          topupId={start.data.topupId}
          onPaid={(processing) => void paid(processing)}
          onGivenUp={() => start.reset()}
          onBusy={setPaying}
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

/** One of the presets or an own amount; in initial-fee mode there is nothing to choose (P2 §5, decisions no. 5). */
function AmountChoice(props: {
  fixed: boolean;
  disabled: boolean;
  preparing: boolean;
  onBegin: (amount: number) => void;
}) {
  const [choice, setChoice] = useState('100');
  const [custom, setCustom] = useState<number | string>(minimum);
  const own = !props.fixed && choice === 'custom';
  const amount = props.fixed ? initialFee : own ? Number(custom) : Number(choice);
  const tooSmall = own && !(amount >= minimum);
  return (
    <Group align="flex-start" gap="md">
      {props.fixed ? (
        <TextInput
          label="Top-up amount"
          description={minimumText(topupLimits.initialCents)}
          inputWrapperOrder={['label', 'input', 'description']}
          value={wholeDollarsText(initialFee)}
          readOnly
          className="number"
        />
      ) : (
        <Select
          label="Top-up amount"
          data={[
            ...presets.map((value) => ({ value: String(value), label: wholeDollarsText(value) })),
            { value: 'custom', label: 'Custom' },
          ]}
          value={choice}
          allowDeselect={false}
          onChange={(value) => setChoice(value ?? '100')}
        />
      )}
      {own && (
        <NumberInput
          label="Custom amount"
          prefix="$"
          decimalScale={2}
          min={0}
          max={topupLimits.mostCents / 100}
          value={custom}
          onChange={setCustom}
          error={tooSmall ? minimumText(topupLimits.leastCents) : undefined}
        />
      )}
      <Button
        mt={underLabel}
        onClick={() => props.onBegin(amount)}
        disabled={tooSmall || props.preparing || props.disabled}
      >
        {props.preparing ? 'Preparing...' : 'Top up now'}
      </Button>
    </Group>
  );
}

/**
 * The read-only balance; all that those see who do not top up. P2 §4: a payment that never showed up is reported in the same
 * tooltip as one that is pending.
 */
export function BalanceField(props: {
  unseenCents?: number;
  onRefresh?: () => void;
  /** As the first figure of a row of figures. */
  large?: boolean;
}) {
  const balance = useBalance();
  const pending = balance.data?.pendingBalance || props.unseenCents || 0;
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label="Balance"
        readOnly
        {...(props.large
          ? { variant: 'unstyled', classNames: { input: classes.figure, label: classes.label } }
          : {})}
        value={balance.data ? moneyText(balance.data.balance) : ''}
        placeholder={balance.isError ? 'Not available' : 'Loading...'}
        w={props.large ? 'auto' : 200}
        className="number"
      />
      <ActionIcon
        variant={props.large ? 'subtle' : 'default'}
        size={props.large ? 32 : 'input-sm'}
        aria-label="Refresh balance"
        loading={balance.isFetching}
        onClick={() => {
          props.onRefresh?.();
          void balance.refetch();
        }}
      >
        <IconRefresh size={16} />
      </ActionIcon>
      {pending > 0 && (
        <Tooltip label={beingProcessed(pending)} events={{ hover: true, focus: true, touch: true }}>
          <ActionIcon variant="subtle" size="input-sm" aria-label={`${moneyText(pending)} pending`}>
            <IconInfoCircle size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </Group>
  );
}
