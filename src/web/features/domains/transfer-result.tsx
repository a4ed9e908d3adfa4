import { Alert, List, Stack, Text } from '@mantine/core';
import type { TransferCheckReply } from '#contracts/operations/transfers.ts';
import { capitalised } from '#contracts/values/format.ts';
import { transferCheckFailed } from '#contracts/values/outcome-texts.ts';
import { signedTransferWarning } from '#contracts/values/signed-transfer.ts';
import type { CheckOutcome } from './transfer-check.ts';

/** What the check says, beside the name it was about. */
export function CheckResult({ domain, outcome }: { domain: string; outcome: CheckOutcome }) {
  switch (outcome.kind) {
    case 'transferable':
      return (
        <Alert color="teal" variant="light" role="status">
          {domain} can be transferred.
        </Alert>
      );
    case 'support':
      return (
        <Alert color="yellow" variant="light" role="status">
          {domain} is transferable, but please contact support: the registrar already has it in another
          account.
        </Alert>
      );
    case 'refused':
      return (
        <Alert color="red" variant="light" role="alert">
          Domain cannot be transfered. {capitalised(outcome.reason)}.
        </Alert>
      );
    case 'check-error':
      return (
        <Alert color="red" variant="light" role="alert">
          {transferCheckFailed}
          <WhatFailed text="check error" requestId={outcome.requestId} />
        </Alert>
      );
    case 'request-error':
      return (
        <Alert color="red" variant="light" role="alert" title="Something went wrong">
          {outcome.message}
          <WhatFailed text="request error" requestId={outcome.requestId} />
        </Alert>
      );
  }
}

/** P2 §8: the two short texts, below what happened, where support asks for them (decision 100). */
function WhatFailed({ text, requestId }: { text: string; requestId: string | null }) {
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {text}
      {requestId !== null && ` · Request ${requestId}`}
    </Text>
  );
}

/** The present delegation, and what it means for a transfer (P2 §2); where there will be none it means nothing. */
export function PresentNameservers(props: { records: TransferCheckReply['dnsRecords']; refused: boolean }) {
  const { records } = props;
  // A single transfer keeps its nameservers.
  const signed = signedTransferWarning({ signed: records.signed === 1, nameserversChange: false });
  return (
    <Stack gap="xs" component="section" aria-label="Current nameservers">
      <Text size="sm" fw={600}>
        Current nameservers
      </Text>
      {records.NS.length > 0 ? (
        <List size="sm" listStyleType="none">
          {records.NS.map((name) => (
            <List.Item key={name} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm" c="dimmed">
          {records.answered === 1
            ? 'This domain has no nameservers.'
            : 'The nameservers could not be read at the moment.'}
        </Text>
      )}
      {!props.refused && (
        <Alert color="yellow" variant="light">
          These nameservers will be used for the transfer. Many registrars switch off their own DNS when a
          domain leaves. We recommend third-party DNS, or DNS that you prepare here before the transfer.
        </Alert>
      )}
      {!props.refused && signed && (
        <Alert color="yellow" variant="light" title="DNSSEC">
          {signed}
        </Alert>
      )}
    </Stack>
  );
}

/** The same reason ends one sentence and is another (P2 §8). */
