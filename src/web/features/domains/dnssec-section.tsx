import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../lib/api-error.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useDnssec, useRemoveDnssec } from './api.ts';
import { Outcome } from './protection-section.tsx';
import { Section } from './section.tsx';

/** Advanced DNS: whether the registry says that the zone is signed, and taking that away. */
export function DnssecSection({ domain, mayChange }: { domain: string; mayChange: boolean }) {
  const dnssec = useDnssec(domain, true);
  const remove = useRemoveDnssec(domain);
  const [asked, setAsked] = useState(false);
  const records = dnssec.data?.records ?? [];
  return (
    <Section
      title="DNSSEC"
      action={
        mayChange &&
        records.length > 0 && (
          <Button size="xs" variant="default" color="red" onClick={() => setAsked(true)}>
            Remove DNSSEC
          </Button>
        )
      }
    >
      {dnssec.error ? (
        <ErrorState error={dnssec.error} onRetry={dnssec.refetch} />
      ) : !dnssec.data ? (
        <Skeleton height={40} />
      ) : records.length === 0 ? (
        <Text size="sm" c="dimmed">
          The registry has no DS records: this domain is not signed.
        </Text>
      ) : (
        <Stack gap="xs">
          <Text size="sm">
            This domain is signed. Only nameservers that have the same keys can serve it; remove DNSSEC before
            you move its DNS.
          </Text>
          {records.map((record) => (
            <Code
              key={`${record.keyTag} ${record.digest}`}
              block
              style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}
            >
              {record.keyTag} {record.algorithm} {record.digestType} {record.digest}
            </Code>
          ))}
        </Stack>
      )}
      <Outcome failure={asked ? null : remove.error} notice={remove.data?.notice} />
      <ConfirmDialog
        opened={asked}
        title={`Remove DNSSEC from ${domain}?`}
        confirmLabel="Remove DNSSEC"
        runningLabel="Removing..."
        running={remove.isPending}
        error={remove.error}
        danger
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsked(false) })}
        onClose={() => setAsked(false)}
      >
        Resolvers will no longer check the signatures of this domain. Wait a day before you move its DNS,
        because resolvers cache the DS records for that long.
      </ConfirmDialog>
    </Section>
  );
}

/** Before DNS moves: a signed domain cannot be found any more once other nameservers serve it. */
export function SignedWarning({ domain, shown }: { domain: string; shown: boolean }) {
  const dnssec = useDnssec(domain, shown);
  if (!shown || !dnssec.data || dnssec.data.records.length === 0) return null;
  return (
    <Alert color="red" variant="light" role="alert" title="This domain is signed with DNSSEC">
      <Group>
        <Text size="sm">
          If its nameservers change now, {domain} can no longer be found: its website and mail stop working.
          Remove DNSSEC on the Advanced DNS tab first, and wait a day.
        </Text>
      </Group>
    </Alert>
  );
}

/** The server's question before the nameservers of a signed domain change. */
export function isSignedQuestion(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'signed_domain';
}

/** The second yes that it asks for. */
export function MoveSignedDialog(props: {
  domain: string;
  opened: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      opened={props.opened}
      title="Move the DNS of a signed domain?"
      confirmLabel="Save anyway"
      // A yes closes it, and the form behind it tells what came of that.
      running={false}
      error={null}
      danger
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      {props.domain} is signed with DNSSEC. Unless the new nameservers have the same keys, its website and
      mail will stop working.
    </ConfirmDialog>
  );
}
