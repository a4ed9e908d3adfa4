import { Alert, Anchor, Button, Group, Loader, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe, StripeElements } from '@stripe/stripe-js';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { loadPayments } from '../../lib/payments-script.ts';
import { usePublicConfig } from '../../lib/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { cancelTopUp } from './api.ts';
import { type Confirmation, confirmationOf, confirmWithRetries, endOf } from './confirmation.ts';

const notCharged =
  'There was an issue processing this action. You were not charged. Please try again or contact support.';

const offline =
  'You are offline, and this payment was not sent. Please press "Pay" again once you are connected.';

const asking =
  'No answer has come back yet. You may have been charged. The portal keeps asking, and the result will appear here.';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The provider's payment form for one top-up: bank account and card, in that order. */
export function PaymentForm(props: {
  intentSecret: string;
  topupId: string;
  /** `processing`: a bank transfer is on its way. */
  onPaid: (processing: boolean) => void;
  /** It was given up without a charge: another one has to be started. */
  onGivenUp: () => void;
  /** Whether a payment is being made. */
  onBusy: (busy: boolean) => void;
}) {
  const config = usePublicConfig();
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    let wanted = true;
    loadPayments(config.payments).then(
      (loaded) => wanted && setStripe(loaded),
      (error: Error) => wanted && setProblem(error.message),
    );
    return () => {
      wanted = false;
    };
  }, [config.payments]);
  if (problem) {
    return (
      <Alert color="red" variant="light" role="alert">
        Something went wrong. {problem}. Please reload the page and try again.
      </Alert>
    );
  }
  if (!stripe) {
    return (
      <Group gap="xs" role="status">
        <Loader size="sm" />
        <Text size="sm">Loading the payment form...</Text>
      </Group>
    );
  }
  return (
    <Elements
      key={props.intentSecret + scheme}
      stripe={stripe}
      options={{
        clientSecret: props.intentSecret,
        appearance: { theme: scheme === 'dark' ? 'night' : 'stripe' },
      }}
    >
      <Confirm
        topupId={props.topupId}
        onPaid={props.onPaid}
        onGivenUp={props.onGivenUp}
        onBusy={props.onBusy}
        dashboardUrl={config.payments.dashboardUrl}
      />
    </Elements>
  );
}

function Confirm(props: {
  topupId: string;
  onPaid: (processing: boolean) => void;
  onGivenUp: () => void;
  onBusy: (busy: boolean) => void;
  dashboardUrl: string;
}) {
  const stripe = useStripe();
  const elements = useElements();
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const [silent, setSilent] = useState(false);
  const [failed, setFailed] = useState(false);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements || busy) return;
    if (!navigator.onLine) return setMessage(offline);
    const tellBusy = (now: boolean) => {
      setBusy(now);
      props.onBusy(now);
    };
    tellBusy(true);
    setMessage(null);
    try {
      await tell(await pay(stripe, elements));
    } finally {
      setSilent(false);
      tellBusy(false);
    }
  }

  async function tell(outcome: Confirmation): Promise<void> {
    if (outcome.kind === 'paid') return props.onPaid(outcome.processing);
    if (outcome.kind === 'declined') return setMessage(outcome.message);
    if (outcome.kind === 'invalid') return;
    // "You were not charged" is said only of a payment that was read again and can no longer be taken.
    const end = await endOf(
      () => cancelTopUp(props.topupId),
      pause,
      () => {
        setSilent(true);
        return isShown.current;
      },
    );
    if (end.kind === 'paid') return props.onPaid(end.processing);
    if (end.kind === 'not charged') return setFailed(true);
    setMessage(
      'We could not confirm whether this payment went through. Please check your balance before you try again.',
    );
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <PaymentElement options={{ paymentMethodOrder: ['us_bank_account', 'card'] }} />
        {message && (
          <Alert color="red" variant="light" role="alert">
            {message}
          </Alert>
        )}
        {silent && (
          <Alert color="yellow" variant="light" role="status">
            {asking}
          </Alert>
        )}
        <Button type="submit" disabled={!stripe || busy} style={{ alignSelf: 'flex-start' }}>
          {busy ? 'Processing...' : 'Pay'}
        </Button>
      </Stack>
      <Dialog opened={failed} onClose={props.onGivenUp} title="Something went wrong" centered>
        <Stack gap="md">
          <Text role="alert">{notCharged}</Text>
          <Anchor href={props.dashboardUrl} target="_blank" rel="noreferrer">
            Payment provider dashboard
          </Anchor>
          <Button onClick={props.onGivenUp}>Close</Button>
        </Stack>
      </Dialog>
    </form>
  );
}

async function pay(stripe: Stripe, elements: StripeElements): Promise<Confirmation> {
  const submitted = await elements.submit().catch(() => null);
  // The provider's script itself broke: what became of the payment is read again.
  if (!submitted) return { kind: 'failed' };
  // P2 §4: a validation error just stops the processing; the form shows it.
  if (submitted.error) return { kind: 'invalid' };
  return confirmWithRetries(
    async () =>
      confirmationOf(
        await stripe.confirmPayment({
          elements,
          redirect: 'if_required',
          confirmParams: { return_url: window.location.href },
        }),
      ),
    pause,
  );
}
