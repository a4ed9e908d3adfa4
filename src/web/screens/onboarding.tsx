import { Alert, Button, Paper, Stack, Stepper, Text, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { TopUp } from '../features/billing/top-up.tsx';
import { useProfile } from '../features/users/api.ts';
import { requiredStep } from '../features/users/guard.tsx';
import { ProfileForm } from '../features/users/profile-form.tsx';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { Page } from '../ui/page.tsx';

/** /onboarding/1..3 (P2 §2): business info, payment account, first $100. */
export default function OnboardingScreen() {
  const config = usePublicConfig();
  const session = useSession();
  const profile = useProfile();
  const navigate = useNavigate();
  const { step: asked } = useParams({ strict: false });
  const required = requiredStep(profile.data ?? null, config.paymentAccountRequired);
  // The address may name a step; how far one really is decides.
  const step = required === null ? 4 : Math.min(Number(required.at(-1)), Number(asked) || 4);
  const go = (to: string) => void navigate({ to });
  return (
    <Page title={`Welcome to ${config.productName}`}>
      <Stepper active={step - 1} mb="xl" size="sm">
        <Stepper.Step label="Enter your business info" />
        <Stepper.Step label="Set up the payment provider" />
        <Stepper.Step label="Fund your account" />
      </Stepper>
      <Paper withBorder p="lg" maw={640}>
        {step === 1 && (
          <Stack>
            <Title order={2} size="h4">
              Confirm your details
            </Title>
            <ProfileForm email={session.email ?? ''} submitLabel="Next" onDone={() => go('/onboarding/3')} />
          </Stack>
        )}
        {step === 2 && (
          <Alert color="yellow" variant="light">
            Please finish your payment account to continue.
          </Alert>
        )}
        {step === 3 && (
          <Stack>
            <Text>Please top your account up with $100 to continue</Text>
            <TopUp initial onPaid={() => void profile.refetch()} />
          </Stack>
        )}
        {step === 4 && (
          <Stack align="flex-start">
            <Text role="status">All steps completed - you're finished</Text>
            <Button onClick={() => go('/')}>Go to start</Button>
            <Button variant="default" onClick={() => go('/onboarding/1')}>
              Reset
            </Button>
          </Stack>
        )}
      </Paper>
    </Page>
  );
}
