import { Alert, Anchor, Button, Code, CopyButton, Group, Skeleton, Text } from '@mantine/core';
import type { DomainDetails, SettingResult } from '#contracts/operations/domain-settings.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { useSession } from '../../lib/session.tsx';
import { Card } from '../../ui/card.tsx';
import { Chip } from '../../ui/chip.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { SettingRow, SettingRows, SettingSwitch } from '../../ui/setting-row.tsx';
import { useAuthPassword, useSetAutoRenew, useSetLock, useSetPrivacy } from './api.ts';
import { flagsOf } from './flags.ts';

/** What automatic renewal is to those who pay for it, and to a customer's own users. */
const ofStaff = 'From your balance, before it expires';
const ofCustomers = 'Renews this domain before it expires';

interface ProtectionSectionProps {
  details: DomainDetails;
  mayChange: boolean;
  mayUnlock: boolean;
}

/** Auto renew, privacy, the transfer lock, the registrant (P2 §2). */
export function ProtectionSection(props: ProtectionSectionProps) {
  const changes = { autoRenew: useSetAutoRenew(), lock: useSetLock(), privacy: useSetPrivacy() };
  return <ProtectionSettings {...props} {...changes} />;
}

/** How a setting is changed, and what came of it. */
interface Change<Wish> {
  mutate: (wish: { domain: string } & Wish) => void;
  isPending: boolean;
  error: Error | null;
  data: SettingResult | undefined;
}

interface ProtectionSettingsProps extends ProtectionSectionProps {
  autoRenew: Change<{ enabled: boolean }>;
  lock: Change<{ locked: boolean }>;
  privacy: Change<{ enabled: boolean }>;
}

/** A change that the registrar did not confirm is shown as such. */
export function ProtectionSettings(props: ProtectionSettingsProps) {
  const { details } = props;
  return (
    <Card flush title="Renewal and lock">
      <SettingRows>
        <AutoRenew {...props} set={props.autoRenew} />
        <Lock {...props} set={props.lock} />
        <Privacy details={details} mayChange={props.mayChange} set={props.privacy} />
        {details.verification?.state === 'verified' && (
          <SettingRow
            title="Registrant"
            meaning="The registrant has confirmed their email address"
            control={<Chip tone="good">Verified</Chip>}
          />
        )}
      </SettingRows>
    </Card>
  );
}

type SettingProps<Wish> = ProtectionSectionProps & { set: Change<Wish> };

function AutoRenew({ details, mayChange, mayUnlock, set }: SettingProps<{ enabled: boolean }>) {
  const { domain } = details;
  return (
    <SettingSwitch
      title="Auto Renew"
      meaning={mayUnlock ? ofStaff : ofCustomers}
      checked={flagsOf(details).autoRenew}
      disabled={!mayChange || set.isPending}
      onChange={(enabled) => set.mutate({ domain, enabled })}
    >
      <Outcome failure={set.error} notice={set.data?.notice} />
    </SettingSwitch>
  );
}

function Lock({ details, mayChange, mayUnlock, set }: SettingProps<{ locked: boolean }>) {
  const { domain } = details;
  const { locked } = flagsOf(details);
  const signInAgain = useSignInAgain();
  return (
    <SettingRow
      title="Lock status"
      meaning={
        locked
          ? 'It cannot be moved to another registrar'
          : 'Anyone who has its auth code can move this domain away'
      }
      control={
        <>
          <Chip tone={locked ? 'good' : 'warn'}>{locked ? 'Locked' : 'Unlocked'}</Chip>
          {(locked ? mayUnlock : mayChange) && (
            <Button
              size="xs"
              variant="default"
              disabled={set.isPending}
              onClick={() => set.mutate({ domain, locked: !locked })}
            >
              {set.isPending ? (locked ? 'Unlocking...' : 'Locking...') : locked ? 'Unlock' : 'Lock'}
            </Button>
          )}
        </>
      }
    >
      {needsFreshSignIn(set.error) ? (
        <FreshSignIn what="unlock this domain" onSignIn={signInAgain} />
      ) : (
        <Outcome failure={set.error} notice={set.data?.notice} />
      )}
      {!locked && mayUnlock && <AuthPassword domain={domain} />}
    </SettingRow>
  );
}

/** Whether the public registry shows who the registrant is. Where the suffix has no such thing, that is said. */
function Privacy(props: { details: DomainDetails; mayChange: boolean; set: Change<{ enabled: boolean }> }) {
  const { details, mayChange, set } = props;
  const { domain, privacy, live } = details;
  if (privacy === null) {
    if (!live) return null;
    return <SettingRow title="Privacy" meaning="Privacy is not available for this domain." />;
  }
  return (
    <SettingSwitch
      title="Privacy"
      meaning="Hides the registrant's name and address in the public registry, at no extra charge"
      checked={privacy}
      disabled={!mayChange || set.isPending}
      onChange={(enabled) => set.mutate({ domain, enabled })}
    >
      <Outcome failure={set.error} notice={set.data?.notice} />
    </SettingSwitch>
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
