import { Alert, Box, Button, Paper, Stack, Stepper, Text, TextInput, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { Profile } from '#contracts/operations/users.ts';
import { PaymentAccountStep } from '../features/billing/payment-account-step.tsx';
import { useMay, useProfile } from '../features/users/api.ts';
import { useBrand } from '../features/users/brand.ts';
import { CloseOrganization } from '../features/users/close-organization.tsx';
import { closedHere, keepClosed } from '../features/users/closing-api.ts';
import { CreateAccountDialog } from '../features/users/create-account-dialog.tsx';
import { requiredStep } from '../features/users/guard.tsx';
import { ProfileForm } from '../features/users/profile-form.tsx';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { sessionMarks } from '../lib/session-marks.ts';
import { useRedirect } from '../lib/use-redirect.ts';
import { lazily } from '../ui/lazily.tsx';
import { Page } from '../ui/page.tsx';
import { PageLoader } from '../ui/plain-button.tsx';
import classes from './onboarding.module.css';

// The payment provider's part comes with the step that pays.
const TopUp = lazily(async () => ({ default: (await import('../features/billing/top-up.tsx')).TopUp }));

type Step = 1 | 2 | 3 | 4;

/** /onboarding/1..3 (P2 §2): business info, payment account, first $100; then finished. */
export default function OnboardingScreen() {
  const config = usePublicConfig();
  const brand = useBrand();
  const profile = useProfile();
  const navigate = useNavigate();
  const { step: asked } = useParams({ strict: false });
  const { from } = useSearch({ strict: false });
  // After Reset the steps are walked again, whether or not anything is left to do.
  const [again, setAgain] = useState<Step | null>(null);
  const arrived = arrivedFrom(from);
  const required = requiredStep(profile.data ?? null, config.paymentAccountRequired);
  const step = again ?? (arrived && profile.data ? 2 : reached(required, asked));
  const go = (to: string) => void navigate({ to });
  const manages = useMay('balance.topup');
  // The steps are for a person who creates an organization or answers for its payments.
  const stranger = profile.data != null && !manages;
  useRedirect(stranger && required === null ? '/' : null);
  const afterDetails = config.paymentAccountRequired ? '/onboarding/2' : '/onboarding/3';
  const next = () => {
    if (again) setAgain(again === 3 ? null : ((again + 1) as Step));
    else if (profile.data?.type === 'MSP_OWNER') go('/');
    else go('/onboarding/3');
  };
  if (stranger) return required === null ? <PageLoader /> : <AwaitingPayment />;
  if (config.appType === 'client' && !profile.data) return <ByInvitation />;
  return (
    <div className={classes.column}>
      <Page title={`Welcome to ${brand.name}`}>
        <Stepper active={step - 1} mb="lg" size="sm" iconSize={32} allowNextStepsSelect={false}>
          <Stepper.Step label="Enter your business info" />
          <Stepper.Step label="Set up the payment provider" />
          <Stepper.Step label="Fund your account" />
        </Stepper>
        <Paper withBorder p="lg">
          {step === 1 && (
            <Details profile={profile.data ?? null} onDone={() => (again ? next() : go(afterDetails))} />
          )}
          {step === 2 && (
            <PaymentAccountStep
              finished={profile.data?.stripeAccount.finishedRequirement ?? false}
              started={profile.data?.stripeAccount.id != null}
              required={config.paymentAccountRequired}
              arrived={arrived}
              onContinue={next}
            />
          )}
          {step === 3 && <Fund profile={profile.data ?? null} onPaid={profile.refetch} onContinue={next} />}
          {step === 4 && <Finished onStart={() => go('/')} onReset={() => setAgain(1)} />}
        </Paper>
        <CloseUnpaid required={required} />
      </Page>
    </div>
  );
}

/** A person who founded an organization by mistake does not have to pay first to be rid of it. */
function CloseUnpaid({ required }: { required: string | null }) {
  if (required === null) return null;
  return (
    <Box mt="md">
      <CloseOrganization at="/onboarding" />
    </Box>
  );
}

/** A person who returns from the provider sees this once. */
function arrivedFrom(from: unknown): 'provider' | 'expired' | null {
  return from === 'provider' || from === 'expired' ? from : null;
}

/** The address may name a step; how far one really is decides. Steps that are not required may be looked at. */
function reached(required: string | null, asked: string | undefined): Step {
  if (required === null) return 4;
  const furthest = Number(required.at(-1));
  const wanted = Number(asked);
  return (wanted >= 1 && wanted <= furthest ? wanted : furthest) as Step;
}

/** Step 1: the Create Account fields. What exists already is shown, and cannot be entered twice. */
function Details({ profile, onDone }: { profile: Profile | null; onDone: () => void }) {
  const session = useSession();
  const [creating, setCreating] = useState(() => sessionMarks.creatingAccount());
  const [closed] = useState(closedHere);
  const ended = () => {
    sessionMarks.setCreatingAccount(false);
    setCreating(false);
  };
  const created = () => {
    ended();
    keepClosed(null);
    onDone();
  };
  return (
    <Stack>
      <Title order={2} size="h4">
        Confirm your details
      </Title>
      {profile ? (
        <Stack gap="md">
          <TextInput label="Email" value={profile.email} disabled />
          <TextInput label="Username" value={profile.username} disabled />
          <TextInput label="Organization" value={profile.organization} disabled />
          <Button onClick={onDone} style={{ alignSelf: 'flex-start' }}>
            Next
          </Button>
        </Stack>
      ) : (
        <>
          {closed !== null && (
            <Alert color="teal" variant="light" role="status">
              {closed} has been closed.
            </Alert>
          )}
          {/* Who was removed from an organization, or was invited to one, comes here as well, and would pay for one of their own. */}
          <Text size="sm">
            This creates a new organization. To join an existing one, open the link in your invitation. If you
            have lost access to one, please ask its administrator.
          </Text>
          <ProfileForm email={session.email ?? ''} submitLabel="Next" onDone={created} />
        </>
      )}
      {creating && !profile && <CreateAccountDialog onClose={ended} onDone={created} />}
    </Stack>
  );
}

function Fund(props: { profile: Profile | null; onPaid: () => unknown; onContinue: () => void }) {
  if (props.profile?.paidInitialFee) {
    return (
      <Stack align="flex-start">
        <Alert color="teal" variant="light" role="status">
          Your account is funded.
        </Alert>
        <Button onClick={props.onContinue}>Finish</Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text>Please top your account up with $100 to continue</Text>
      <Suspense fallback={<PageLoader />}>
        <TopUp initial onPaid={() => void props.onPaid()} />
      </Suspense>
    </Stack>
  );
}

function Finished({ onStart, onReset }: { onStart: () => void; onReset: () => void }) {
  return (
    <Stack align="flex-start">
      <Text role="status">All steps completed - you're finished</Text>
      <Button onClick={onStart}>Go to start</Button>
      <Button variant="default" onClick={onReset}>
        Reset
      </Button>
    </Stack>
  );
}

/** For staff who may not top up: somebody else has to. */
function AwaitingPayment() {
  const session = useSession();
  return (
    <div className={classes.column}>
      <Page title="Your account is not active yet">
        <Paper withBorder p="lg">
          <Stack align="flex-start">
            <Text>
              Your organization has not made its first payment. Please ask an owner or administrator to top up
              the balance.
            </Text>
            <Button variant="default" onClick={() => void session.signOut()}>
              Sign out
            </Button>
          </Stack>
        </Paper>
      </Page>
    </div>
  );
}

/** In the portal of customers nobody founds an organization (decision 90). */
function ByInvitation() {
  const session = useSession();
  return (
    <div className={classes.column}>
      <Page title="You have no access yet">
        <Paper withBorder p="lg">
          <Stack align="flex-start">
            <Text>
              {session.email ?? 'Your account'} has no access to this portal. Please ask your provider for an
              invitation, and open the link in the email.
            </Text>
            <Button variant="default" onClick={() => void session.signOut()}>
              Sign out
            </Button>
          </Stack>
        </Paper>
      </Page>
    </div>
  );
}
