import {
  ActionIcon,
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { breakable } from '../../ui/breakable.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { useApprovers, useResendApproval, useSetProof } from './api.ts';
import classes from './wizard.module.css';

type Method = CertificateDetail['proof']['method'];

const labels: Record<Method, string> = { DNS: 'DNS', Email: 'Email', File: 'HTTP file' };

/** Step 2: how control of the name is proven (decisions no. 16). */
export function ProofStep(props: { certificate: CertificateDetail; mayChange: boolean; onNext: () => void }) {
  const { certificate } = props;
  const orderId = certificate.orderId ?? '';
  const present = certificate.proof.method;
  const waits = certificate.state === 'awaiting-approval' || certificate.reissue?.state === 'running';
  const [method, setMethod] = useState<Method>(present);
  const [approver, setApprover] = useState<string | null>(certificate.approverEmail);
  const label = useId();
  const set = useSetProof(orderId);
  const changed = method !== present || (method === 'Email' && approver !== certificate.approverEmail);
  const fileIsOut = certificate.wildcard;
  // The new method may take this step's state away before its own callbacks would run.
  const choose = () =>
    void set
      .mutateAsync({ method, ...(method === 'Email' && approver ? { approverEmail: approver } : {}) })
      .then(props.onNext, () => undefined);
  return (
    <Stack>
      <div>
        <Text size="sm" fw={500} id={label} mb={4}>
          Validation method
        </Text>
        <SegmentedControl
          aria-labelledby={label}
          data={(['DNS', 'Email', 'File'] as const)
            .filter((value) => value !== 'File' || !fileIsOut)
            .map((value) => ({ value, label: labels[value] }))}
          value={method}
          disabled={!waits || !props.mayChange}
          onChange={(value) => setMethod(value as Method)}
        />
        {fileIsOut && (
          <Text size="xs" c="dimmed">
            A file cannot prove control of a wildcard name.
          </Text>
        )}
      </div>
      {!waits && (
        <Text c="dimmed">
          No proof is needed now. Either you have proven control of the name, or the order has ended.
        </Text>
      )}
      {method === 'Email' && waits && (
        <EmailChoice {...{ certificate, approver, setApprover }} disabled={!props.mayChange} />
      )}
      {method === present && waits && <Instructions certificate={certificate} />}
      {method !== present && method === 'DNS' && (
        <Text size="sm">
          If we manage the domain's DNS, we add the record for you. Otherwise, this page shows the record to
          add.
        </Text>
      )}
      {method !== present && method === 'File' && (
        <Text size="sm">This page will show a file. Put it on the web server for this name.</Text>
      )}
      <FailureText error={set.error} size="md" />
      <Group>
        {waits && props.mayChange && changed && (
          <Button disabled={set.isPending || (method === 'Email' && !approver)} onClick={choose}>
            {set.isPending ? 'Saving...' : `Use ${labels[method]}`}
          </Button>
        )}
        {!changed && <Button onClick={props.onNext}>Continue</Button>}
      </Group>
    </Stack>
  );
}

function EmailChoice(props: {
  certificate: CertificateDetail;
  approver: string | null;
  setApprover: (value: string | null) => void;
  disabled: boolean;
}) {
  const orderId = props.certificate.orderId ?? '';
  const approvers = useApprovers(orderId, !props.disabled);
  const resend = useResendApproval(orderId);
  const sent =
    props.certificate.proof.method === 'Email' && props.approver === props.certificate.approverEmail;
  const list = [...new Set([...(approvers.data ?? []), ...(props.approver ? [props.approver] : [])])];
  return (
    <Stack gap="xs" maw={420}>
      <Select
        label="Approver"
        description="Only these mailboxes can approve the certificate"
        placeholder={approvers.isFetching ? 'Loading approvers...' : 'Choose a mailbox'}
        data={list}
        value={props.approver}
        allowDeselect={false}
        disabled={props.disabled}
        onChange={props.setApprover}
        error={approvers.error?.message}
        nothingFoundMessage="No mailboxes"
      />
      {sent && !props.disabled && (
        <Group gap="xs">
          <Button variant="subtle" size="xs" disabled={resend.isPending} onClick={() => resend.mutate()}>
            {resend.isPending ? 'Sending...' : 'Resend the email'}
          </Button>
          <Text size="sm" role="status">
            {resend.isSuccess ? 'The email was sent again.' : resend.error?.message}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

/** What has to be seen where, and whether it is. */
export function Instructions({ certificate }: { certificate: CertificateDetail }) {
  const { proof, proofState, flags } = certificate;
  const isSaidAbove = flags.some(({ kind }) => kind === 'waiting');
  if (proof.method === 'DNS' && proof.dnsName && proof.dnsValue) {
    return (
      <Stack gap="sm">
        {!isSaidAbove && <ProofState state={proofState} />}
        {proofState !== 'set' && (
          <dl className={classes.record}>
            <Fact label="Type">{proof.dnsType}</Fact>
            <Fact label="Name" copy={proof.dnsName}>
              <Code>{breakable(proof.dnsName)}</Code>
            </Fact>
            <Fact label="Value" copy={proof.dnsValue}>
              <Code>{breakable(proof.dnsValue)}</Code>
            </Fact>
          </dl>
        )}
      </Stack>
    );
  }
  if (proof.method === 'File' && proof.filePath && proof.fileContent) {
    const address = `http://${certificate.address}${proof.filePath}`;
    return (
      <Stack gap="sm">
        <Text size="sm">
          The certificate authority fetches this file. The address must return it directly, without a
          redirect.
        </Text>
        <dl className={classes.record}>
          <Fact label="Address" copy={address}>
            <Code>{breakable(address)}</Code>
          </Fact>
          <Fact label="Content" copy={proof.fileContent}>
            <Code>{breakable(proof.fileContent)}</Code>
          </Fact>
        </dl>
      </Stack>
    );
  }
  if (proof.method === 'Email') {
    return (
      <Text size="sm">
        We sent an email with a link to {certificate.approverEmail}. The certificate is issued when the
        recipient opens the link and approves.
      </Text>
    );
  }
  return (
    <Text size="sm">The certificate authority has not sent its instructions yet. This takes a moment.</Text>
  );
}

export function ProofState({ state }: { state: CertificateDetail['proofState'] }) {
  if (state === 'set') {
    return (
      <Alert color="green" variant="light" role="status">
        We manage this domain's DNS and have added the record. You do not need to do anything.
      </Alert>
    );
  }
  if (state === 'present') {
    return (
      <Alert color="green" variant="light" role="status">
        The record is visible in DNS.
      </Alert>
    );
  }
  if (state === 'waiting') {
    return (
      <Alert color="accent" variant="light" role="status">
        The domain is not in your account yet. We add the record as soon as it is. If its DNS is managed
        elsewhere, add the record there.
      </Alert>
    );
  }
  return (
    <Alert color="yellow" variant="light" role="status">
      The record is not visible in DNS yet. Add it where the domain's DNS is managed, or choose another
      method.
    </Alert>
  );
}

function Fact(props: { label: string; copy?: string; children: ReactNode }) {
  const { copy } = props;
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>
        {props.children}
        {copy && (
          <CopyButton value={copy}>
            {({ copied, copy: run }) => (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                onClick={run}
                aria-label={copied ? `${props.label} copied` : `Copy ${props.label.toLowerCase()}`}
              >
                {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              </ActionIcon>
            )}
          </CopyButton>
        )}
      </dd>
    </div>
  );
}
