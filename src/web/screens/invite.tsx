import { Anchor, Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMay, useProfile } from '../features/users/api.ts';
import { requiredStep } from '../features/users/guard.tsx';
import { useAcceptInvite, useInviteCheck } from '../features/users/people-api.ts';
import { roleNames } from '../features/users/people-tables.tsx';
import { takeReturnPath } from '../lib/return-path.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { FailureText } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import classes from './onboarding.module.css';

/** /invite/{id} (P2 §2): needs a sign-in; visitors are pointed to the sign-up. */
export default function InviteScreen() {
  const session = useSession();
  const { inviteId = '' } = useParams({ strict: false });
  const profile = useProfile();
  const check = useInviteCheck(inviteId, session.status === 'signed-in');
  const accept = useAcceptInvite(profile.data != null);
  const navigate = useNavigate();
  // Arrived: the way back from the sign-in has served.
  useEffect(() => {
    takeReturnPath();
  }, []);
  const home = () => void navigate({ to: '/' });
  if (session.status === 'signed-out') {
    return (
      <div className={classes.column}>
        <Page title="You have been invited">
          <Paper withBorder p="lg">
            <Stack align="flex-start">
              <Text>
                Please create an account, or sign in, with the email address that received the invitation.
              </Text>
              <Group>
                <Button onClick={() => void session.signIn({ signUp: true })}>Create Account</Button>
                <Button variant="default" onClick={() => void session.signIn()}>
                  Sign in
                </Button>
              </Group>
            </Stack>
          </Paper>
        </Page>
      </div>
    );
  }
  const acceptable = check.data?.message === 'ACCEPT';
  return (
    <Page title="You have been invited">
      {check.isError && <ErrorState error={check.error} onRetry={check.refetch} />}
      {check.isPending && <Skeleton height={80} />}
      <Dialog
        opened={check.data !== undefined}
        onClose={home}
        title="Invite Status"
        running={accept.isPending}
        centered
      >
        <Stack>
          <Text>
            {acceptable
              ? `Join ${check.data?.organization ?? 'the organization'} as ${roleNames[check.data?.type ?? ''] ?? 'user'}?`
              : check.data?.message}
          </Text>
          {check.data?.member && <CloseFirst inviteId={inviteId} />}
          <FailureText error={accept.error} size="md" />
          <Group justify="flex-end">
            <Button
              variant="default"
              disabled={accept.isPending}
              onClick={home}
              data-autofocus={!acceptable || undefined}
            >
              Cancel
            </Button>
            <Button
              data-autofocus={acceptable || undefined}
              disabled={!acceptable || accept.isPending}
              onClick={() => accept.mutate(inviteId, { onSuccess: home })}
            >
              {accept.isPending ? 'Accepting...' : 'Confirm'}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Page>
  );
}

/** A person who founded an organization by mistake, and was invited to another one. */
function CloseFirst({ inviteId }: { inviteId: string }) {
  const profile = useProfile();
  const config = usePublicConfig();
  const may = useMay('organisation.close');
  if (!may || !profile.data) return null;
  const step = requiredStep(profile.data, config.paymentAccountRequired);
  return (
    <Text style={{ overflowWrap: 'anywhere' }}>
      If nothing depends on {profile.data.organization}, you can{' '}
      <Anchor
        component={Link}
        to={step === null ? '/account/profile' : '/onboarding'}
        search={{ invite: inviteId } as never}
        inherit
      >
        close it first
      </Anchor>
      . Then you come back to this invitation.
    </Text>
  );
}
