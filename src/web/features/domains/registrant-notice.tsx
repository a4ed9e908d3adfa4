import { Alert, Anchor, Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconMailQuestion } from '@tabler/icons-react';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import {
  isVerificationUrgent,
  type VerificationState,
  verificationDaysLeft,
} from '#contracts/values/registrant-verification.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { useResendVerification } from './api.ts';
import { daysText } from './expiry-text.ts';
import { Outcome } from './protection-section.tsx';

type Verification = NonNullable<DomainDetails['verification']>;

/** What an unconfirmed registrant means for the domain, and what can be done about it. Nothing while all is well. */
export function RegistrantNotice(props: {
  details: DomainDetails;
  /** The registrar is being asked, who alone knows the registrant: nothing moves when the answer comes. */
  asking: boolean;
  /** null: this user may not change contacts. */
  onChangeRegistrant: (() => void) | null;
  mayResend: boolean;
}) {
  const { domain, verification, contact_set: contacts } = props.details;
  const resend = useResendVerification();
  if (!verification || verification.state === 'verified') return null;
  const deadline = verification.deadline === null ? null : new Date(verification.deadline);
  const urgent =
    verification.state === 'suspended' || verification.bounced || isVerificationUrgent(deadline, new Date());
  return (
    <Alert
      color={urgent ? 'red' : 'yellow'}
      variant="light"
      role="status"
      mb="md"
      title={titleOf(verification, domain)}
    >
      <Stack gap="xs">
        <Text size="sm">
          <Explanation verification={verification} />
        </Text>
        {verification.state !== 'reviewing' && (
          <Registrant email={contacts.owner?.email} asking={props.asking} />
        )}
        {verification.sentAt && (
          <Text size="sm" c="dimmed">
            The email was last sent again <DateTime at={verification.sentAt} />.
          </Text>
        )}
        <Group gap="sm">
          {props.mayResend && verification.state !== 'reviewing' && (
            <Button size="xs" disabled={resend.isPending} onClick={() => resend.mutate({ domain })}>
              {resend.isPending ? 'Sending...' : 'Resend the email'}
            </Button>
          )}
          {props.onChangeRegistrant && (contacts.owner || props.asking) && (
            <Anchor
              component="button"
              size="sm"
              disabled={!contacts.owner}
              onClick={props.onChangeRegistrant}
            >
              Change the registrant's address
            </Anchor>
          )}
        </Group>
        <Outcome failure={resend.error} notice={resend.data?.notice} />
        {resend.data && resend.data.notice === null && (
          <Text size="sm" role="status">
            The email is on its way.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function titleOf({ state, bounced, deadline }: Verification, domain: string): string {
  if (state === 'suspended') return `${domain} is suspended`;
  if (state === 'reviewing') return 'The registrar is checking the registrant';
  if (bounced) return 'The email to the registrant could not be delivered';
  const days = verificationDaysLeft(deadline === null ? null : new Date(deadline), new Date());
  const left = days === null ? '' : `: ${daysText(days)} left`;
  return `The registrant has not confirmed their email address${left}`;
}

/** One line, however long the address is. */
function Registrant({ email, asking }: { email: string | undefined; asking: boolean }) {
  if (!email && !asking) return null;
  return (
    <Text size="sm" component="div" truncate title={email}>
      Registrant: {email ?? <Skeleton component="span" display="inline-block" w="14ch" h="0.8em" />}
    </Text>
  );
}

function Explanation({ verification }: { verification: Verification }) {
  const { state, deadline, bounced } = verification;
  if (state === 'suspended') {
    return 'The registrant did not confirm their email address in time. The website and mail of this domain do not work. They come back after the registrant has followed the link in the email.';
  }
  if (state === 'reviewing') return 'Nothing needs to be done for now. The domain works as usual.';
  return (
    <>
      {bounced
        ? "Please correct the registrant's email address; a new email is sent to it. "
        : 'The registrant has to follow the link in the email that the registrar has sent. '}
      {deadline ? (
        <>
          Otherwise the registrar suspends the domain on <DateTime at={deadline} />, and its website and mail
          stop working.
        </>
      ) : (
        'Otherwise the registrar suspends the domain, and its website and mail stop working.'
      )}
    </>
  );
}

/** In lists: only what needs somebody, as short as it can be said beside a name. */
export function RegistrantChip(props: { state: VerificationState | null; deadline: string | null }) {
  const { state, deadline } = props;
  if (state === 'suspended') {
    return (
      <Badge color="red" variant="filled">
        Suspended
      </Badge>
    );
  }
  if (state !== 'waiting') return null;
  const until = deadline === null ? null : new Date(deadline);
  const days = verificationDaysLeft(until, new Date());
  return (
    <Badge
      color={isVerificationUrgent(until, new Date()) ? 'red' : 'yellow'}
      variant="light"
      leftSection={<IconMailQuestion size={14} aria-hidden />}
      title={`Registrant not verified${days === null ? '' : `: ${daysText(days)} left`}`}
      data-gives-way
    >
      {days === null ? 'Not verified' : `${daysText(days)} to verify`}
    </Badge>
  );
}
