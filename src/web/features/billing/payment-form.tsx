import {
  Alert,
  Anchor,
  Button,
  Group,
  Loader,
  Modal,
  Stack,
  Text,
  useComputedColorScheme,
} from '@mantine/core';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { loadPayments } from '../../lib/payments-script.ts';
import { usePublicConfig } from '../../lib/session.tsx';
import { readTopUp } from './api.ts';

/** P2 §4: three attempts in all, with pauses of 1 s and 3 s: 1000 + failures² × 2000 ms, counted from 0. */
const attempts = 3;
const pauseMs = (failures: number) => 1_000 + failures ** 2 * 2_000;
const notCharged =
  'There was an issue processing this action. You were not charged. Please try again or contact support.';

/** The provider's payment form for one top-up: bank account and card, in that order. */
export function PaymentForm(props: { intentSecret: string; topupId: string; onPaid: () => void }) {
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
      <Confirm topupId={props.topupId} onPaid={props.onPaid} dashboardUrl={config.payments.dashboardUrl} />
    </Elements>
  );
}

function Confirm(props: { topupId: string; onPaid: () => void; dashboardUrl: string }) {
  const stripe = useStripe();
  const elements = useElements();
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const failures = useRef(0);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!stripe || !elements || busy) return;
    setBusy(true);
    setMessage(null);
    failures.current = 0;
    try {
      await confirm(stripe, elements);
    } finally {
      setBusy(false);
    }
  }

  async function confirm(
    stripe: Stripe,
    elements: NonNullable<ReturnType<typeof useElements>>,
  ): Promise<void> {
    const { error: invalid } = await elements.submit();
    // P2 §4: a validation error just stops the processing; the form shows it.
    if (invalid) return;
    for (;;) {
      const { error, paymentIntent } = await stripe.confirmPayment({
        elements,
        redirect: 'if_required',
        confirmParams: { return_url: window.location.href },
      });
      if (!error && paymentIntent) return props.onPaid();
      if (error?.type === 'validation_error') return;
      // A refused card is an answer: the person chooses another one, in the same form.
      if (error?.type === 'card_error') return setMessage(error.message ?? 'The payment was declined.');
      failures.current += 1;
      if (failures.current >= attempts) return finallyFailed();
      await new Promise((resolve) => setTimeout(resolve, pauseMs(failures.current - 1)));
    }
  }

  /** "You were not charged" is said only after the payment has been read again. */
  async function finallyFailed(): Promise<void> {
    const topup = await readTopUp(props.topupId).catch(() => null);
    if (topup?.charged) return props.onPaid();
    if (topup) return setFailed(true);
    setMessage(
      'We could not find out what became of this payment. Please check your balance before trying again.',
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
        <Button type="submit" disabled={!stripe || busy} style={{ alignSelf: 'flex-start' }}>
          {busy ? 'Processing...' : 'Pay'}
        </Button>
      </Stack>
      <Modal opened={failed} onClose={() => setFailed(false)} title="Something went wrong" centered>
        <Stack gap="md">
          <Text role="alert">{notCharged}</Text>
          <Anchor href={props.dashboardUrl} target="_blank" rel="noreferrer">
            Payment provider dashboard
          </Anchor>
          <Button onClick={() => setFailed(false)}>Close</Button>
        </Stack>
      </Modal>
    </form>
  );
}
