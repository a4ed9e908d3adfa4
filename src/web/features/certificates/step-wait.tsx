import { Button, CopyButton, Group, Loader, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { openCertificateStates, stateText } from '#contracts/values/certificate-life.ts';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { FailureText } from '../../ui/failure.tsx';
import {
  type CertificateFile,
  useAutoReissue,
  useCancelCertificate,
  useReissue,
  useRevoke,
  useSaveCertificate,
} from './api.ts';
import { isOver } from './standing.ts';
import { Instructions } from './step-proof.tsx';
import classes from './wizard.module.css';

const stateTexts: Readonly<Record<string, string>> = {
  pending: 'The registrar has received the order and will process it later.',
  'awaiting-approval':
    'The certificate authority is waiting for proof of control. This page updates by itself.',
  'approver-confirmed': 'Control of the name is proven. The certificate is being issued.',
  'in-progress': 'Control of the name is proven. The certificate is being issued.',
  completed: 'The certificate has been issued. Download and install it.',
  declined: 'The certificate authority declined the order. The charge is returned to your balance.',
  cancelled: 'The order was cancelled. No certificate will be issued.',
  expired: 'The certificate has expired. Browsers reject it.',
  revoked: 'The certificate was revoked. Browsers reject it.',
};

/** Until the new one is issued, the files are those of the present one: nobody should install these for the new key. */
const reissuing = 'A new certificate is being issued. The files below are still those of the present one.';
const issuedByAcme = 'The certificate has been issued. Its server fetches and installs it.';

function wordsOf(certificate: CertificateDetail): string {
  const state = isOver(certificate, new Date()) ? 'expired' : certificate.state;
  if (state !== 'completed') return stateTexts[state] ?? '';
  if (certificate.byAcme) return issuedByAcme;
  return certificate.reissue ? reissuing : (stateTexts.completed ?? '');
}

const files: readonly [CertificateFile, string][] = [
  ['fullchain.pem', 'Certificate with chain (nginx, HAProxy, Caddy)'],
  ['certificate.pem', 'Certificate alone (Apache)'],
  ['chain.pem', 'Chain (Apache)'],
  ['bundle.p7b', 'PKCS #7 (Windows, IIS)'],
];

/** Step 3: live state, then what a server needs, and the certificate's further life. */
export function WaitStep(props: { certificate: CertificateDetail; mayChange: boolean; onRenew: () => void }) {
  const { certificate, mayChange } = props;
  const open = openCertificateStates.includes(certificate.state);
  return (
    <Stack>
      <Group gap="sm" role="status">
        {(open || certificate.reissue) && <Loader size="sm" aria-hidden data-lasting />}
        <Text fw={600}>Status: {stateText(certificate.state)}</Text>
        {certificate.reissue && <Chip tone="info">Reissue in progress</Chip>}
      </Group>
      <Text>{wordsOf(certificate)}</Text>
      {certificate.remark && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          The certificate authority says: {certificate.remark}
        </Text>
      )}
      {waitsForProof(certificate) && (
        <section aria-label="Next steps">
          <Instructions certificate={certificate} />
        </section>
      )}
      {certificate.serial && <Issued certificate={certificate} />}
      {mayChange && <Acts {...props} open={open} />}
    </Stack>
  );
}

/** Somebody has to put the record or the file in its place: it is shown where the waiting is, too. */
function waitsForProof({ state, reissue, proof, proofState }: CertificateDetail): boolean {
  if (state !== 'awaiting-approval' && reissue?.state !== 'running') return false;
  return proof.method === 'DNS' ? proofState !== 'set' && proofState !== 'present' : proof.method === 'File';
}

function Issued({ certificate }: { certificate: CertificateDetail }) {
  const save = useSaveCertificate(certificate.orderId ?? '');
  return (
    <>
      <Group gap="xs">
        {files.map(([file, label]) => (
          <Button
            key={file}
            variant={file === 'fullchain.pem' ? 'filled' : 'default'}
            leftSection={<IconDownload size={16} aria-hidden />}
            h="auto"
            mih={36}
            py={6}
            styles={{ label: { whiteSpace: 'normal', lineHeight: 1.25 } }}
            disabled={save.isPending}
            onClick={() => save.mutate(file)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <CopyButton value={window.location.href}>
        {({ copied, copy }) => (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Link copied' : 'Copy link for a colleague'}
            </Button>
            <Text size="sm" c="dimmed">
              They sign in and find the same files here. The private key is not included.
            </Text>
          </Group>
        )}
      </CopyButton>
      <FailureText error={save.error} size="md" />
      <dl className={classes.facts} aria-label="Certificate">
        <Fact label="Host names">{certificate.hostNames.join(', ')}</Fact>
        <Fact label="Valid to">
          <Moment at={certificate.validTo} />
        </Fact>
        <Fact label="Order term ends">
          <Moment at={certificate.termEndsAt} />
        </Fact>
        <Fact label="Next reissue">
          {certificate.byAcme ? (
            'Its server renews it'
          ) : certificate.nextReissueAt ? (
            <Moment at={certificate.nextReissueAt} />
          ) : (
            'None: the order term ends first'
          )}
        </Fact>
        <Fact label="Serial">
          <Text span ff="monospace" size="sm">
            {certificate.serial}
          </Text>
        </Fact>
      </dl>
    </>
  );
}

function Fact(props: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

function Moment({ at }: { at: string | null }) {
  return at ? <DateTime at={at} /> : '–';
}

type Question = 'reissue' | 'revoke' | 'cancel' | null;

function Acts(props: { certificate: CertificateDetail; open: boolean; onRenew: () => void }) {
  const { certificate, open } = props;
  const orderId = certificate.orderId ?? '';
  const [question, setQuestion] = useState<Question>(null);
  const auto = useAutoReissue(orderId);
  const running = certificate.state === 'completed';
  const close = () => setQuestion(null);
  return (
    <>
      {running && !certificate.byAcme && (
        <Switch
          label="Reissue automatically within the order term"
          description="Requires that the portal can prove control by DNS. You get an email when the new certificate is ready to install."
          checked={certificate.autoReissue}
          disabled={auto.isPending}
          onChange={(event) => auto.mutate(event.currentTarget.checked)}
        />
      )}
      <FailureText error={auto.error} size="md" />
      <Group gap="xs">
        {running && !certificate.reissue && (
          <Button variant="default" onClick={() => setQuestion('reissue')}>
            Reissue now
          </Button>
        )}
        {(running || certificate.state === 'expired') && (
          <Button variant="default" onClick={props.onRenew}>
            Renew
          </Button>
        )}
        {['declined', 'cancelled', 'revoked'].includes(certificate.state) && (
          <Button variant="default" onClick={props.onRenew}>
            Order a new certificate
          </Button>
        )}
        {running && (
          <Button variant="default" c="var(--bad)" onClick={() => setQuestion('revoke')}>
            Revoke
          </Button>
        )}
        {open && (
          <Button variant="default" c="var(--bad)" onClick={() => setQuestion('cancel')}>
            Cancel order
          </Button>
        )}
      </Group>
      {question === 'reissue' && <ReissueDialog certificate={certificate} close={close} />}
      {question === 'revoke' && <RevokeDialog certificate={certificate} close={close} />}
      {question === 'cancel' && <CancelDialog certificate={certificate} close={close} />}
    </>
  );
}

interface DialogProps {
  certificate: CertificateDetail;
  close: () => void;
}

function ReissueDialog({ certificate, close }: DialogProps) {
  const reissue = useReissue(certificate.orderId ?? '');
  return (
    <ConfirmDialog
      opened
      title={`Reissue the certificate for ${certificate.address}?`}
      confirmLabel="Reissue"
      runningLabel="Ordering..."
      running={reissue.isPending}
      error={reissue.error}
      onConfirm={() => reissue.mutate({}, { onSuccess: close })}
      onClose={close}
    >
      The reissue is free within the order term and uses the same CSR and key. The current certificate stays
      valid until it expires. Install the new one before then.
    </ConfirmDialog>
  );
}

function RevokeDialog({ certificate, close }: DialogProps) {
  const revoke = useRevoke(certificate.orderId ?? '');
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      opened
      danger
      title={`Revoke the certificate for ${certificate.address}?`}
      confirmLabel="Revoke for good"
      runningLabel="Revoking..."
      running={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(name, { onSuccess: close })}
      onClose={close}
    >
      <Stack gap="sm">
        <Text>
          Within hours, browsers will reject every server that still uses it. This cannot be undone. The order
          ends, and nothing is refunded.
        </Text>
        <TextInput
          label={`Type ${certificate.address} to confirm`}
          value={name}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDialog>
  );
}

function CancelDialog({ certificate, close }: DialogProps) {
  const cancel = useCancelCertificate(certificate.orderId ?? '');
  return (
    <ConfirmDialog
      opened
      danger
      title={`Cancel the certificate order for ${certificate.address}?`}
      confirmLabel="Cancel order"
      cancelLabel="Keep it"
      runningLabel="Cancelling..."
      running={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate(undefined, { onSuccess: close })}
      onClose={close}
    >
      No certificate will be issued. The charge is returned to your balance.
    </ConfirmDialog>
  );
}
