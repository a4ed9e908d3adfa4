import { Alert, Anchor, Badge, Button, Code, CopyButton, Group, Skeleton, Switch, Text } from '@mantine/core';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { useSession } from '../../lib/session.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { flagsOf, useAuthPassword, useSetAutoRenew, useSetLock, useSetPrivacy } from './api.ts';
import { Section } from './section.tsx';

/** What automatic renewal is to those who pay for it, and to a customer's own users. */
const ofStaff = 'The portal renews this domain from your balance before it expires.';
const ofCustomers = 'Renews this domain before it expires.';

/** Auto renew and the transfer lock (P2 §2). What the registrar did not confirm is told as it is. */
export function ProtectionSection(props: { details: DomainDetails; mayChange: boolean; mayUnlock: boolean }) {
  const { details } = props;
  const { locked, autoRenew } = flagsOf(details);
  const setLock = useSetLock();
  const setAutoRenew = useSetAutoRenew();
  const { domain } = details;
  const signInAgain = useSignInAgain();
  return (
    <Section title="Renewal and lock">
      <Switch
        label="Auto Renew"
        description={props.mayUnlock ? ofStaff : ofCustomers}
        checked={autoRenew}
        disabled={!props.mayChange || setAutoRenew.isPending}
        onChange={(event) => setAutoRenew.mutate({ domain, enabled: event.currentTarget.checked })}
      />
      <Outcome failure={setAutoRenew.error} notice={setAutoRenew.data?.notice} />
      <Privacy details={details} mayChange={props.mayChange} />
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Text size="sm">Lock status</Text>
          <Badge color={locked ? 'teal' : 'yellow'} variant="light">
            {locked ? 'Locked' : 'Unlocked'}
          </Badge>
        </Group>
        {(locked ? props.mayUnlock : props.mayChange) && (
          <Button
            size="xs"
            variant="default"
            disabled={setLock.isPending}
            onClick={() => setLock.mutate({ domain, locked: !locked })}
          >
            {setLock.isPending ? (locked ? 'Unlocking...' : 'Locking...') : locked ? 'Unlock' : 'Lock'}
          </Button>
        )}
      </Group>
      {needsFreshSignIn(setLock.error) ? (
        <FreshSignIn what="unlock this domain" onSignIn={signInAgain} />
      ) : (
        <Outcome failure={setLock.error} notice={setLock.data?.notice} />
      )}
      {!locked && props.mayUnlock && <AuthPassword domain={domain} />}
    </Section>
  );
}

/** Whether the public registry shows who the registrant is. Where the suffix has no such thing, that is said. */
function Privacy({ details, mayChange }: { details: DomainDetails; mayChange: boolean }) {
  const { domain, privacy, live } = details;
  const set = useSetPrivacy();
  if (privacy === null) {
    if (!live) return null;
    return (
      <Text size="sm" c="dimmed">
        Privacy is not available for this domain.
      </Text>
    );
  }
  return (
    <>
      <Switch
        label="Privacy"
        description="Hides the registrant's name and address in the public registry, at no extra charge."
        checked={privacy}
        disabled={!mayChange || set.isPending}
        onChange={(event) => set.mutate({ domain, enabled: event.currentTarget.checked })}
      />
      <Outcome failure={set.error} notice={set.data?.notice} />
    </>
  );
}

function useSignInAgain(): () => void {
  const session = useSession();
  return () => void session.signIn({ fresh: true });
}

/** P2 §2: shown when unlocked and one exists. */
function AuthPassword({ domain }: { domain: string }) {
  const auth = useAuthPassword(domain, true);
  const signInAgain = useSignInAgain();
  if (needsFreshSignIn(auth.error)) {
    return <FreshSignIn what="see the Auth Password" onSignIn={signInAgain} />;
  }
  if (auth.isPending) return <Skeleton height={24} />;
  if (auth.error) {
    return (
      <Text size="sm" role="alert">
        The Auth Password could not be read: {auth.error.message}{' '}
        <Anchor component="button" size="sm" onClick={() => void auth.refetch()}>
          Try again
        </Anchor>
      </Text>
    );
  }
  if (!auth.data) return null;
  return (
    <Group gap="xs">
      <Text size="sm">Auth Password</Text>
      <Code style={{ overflowWrap: 'anywhere' }}>{auth.data}</Code>
      <CopyButton value={auth.data}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** What came of a change: refused, taken up later, or not confirmed. */
export function Outcome(props: { failure: Error | null; notice: string | null | undefined }) {
  if (props.failure) {
    return (
      <Alert color="red" variant="light" role="alert">
        {props.failure.message}
      </Alert>
    );
  }
  if (!props.notice) return null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {props.notice}
    </Alert>
  );
}
