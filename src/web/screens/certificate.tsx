import { Alert, Anchor, Group, Paper, Skeleton, Stack, Stepper, Text } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CertificateDetail } from '#contracts/operations/certificates.ts';
import { useCertificate } from '../features/certificates/api.ts';
import { standingOf } from '../features/certificates/standing.ts';
import { CsrStep, type GivenCsr } from '../features/certificates/step-csr.tsx';
import { ProofStep } from '../features/certificates/step-proof.tsx';
import { WaitStep } from '../features/certificates/step-wait.tsx';
import { ValidityBar } from '../features/certificates/validity-bar.tsx';
import { cart } from '../features/orders/cart.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Chip } from '../ui/chip.tsx';
import { DateTime, Day } from '../ui/date-time.tsx';
import { DomainName } from '../ui/domain-name.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** P2 §2, to the letter. */
const title = 'Domain Validated CSR';
const trail = [{ to: '/certificates', label: 'Certificates' }];
const steps = ['Input your CSR', 'Choose validation method', 'Wait for certificate'];

/** SSL/{opensrsorderid} (P2 §2): the CSR, the method of validation, then the certificate. */
export default function CertificateScreen() {
  const { opensrsorderid } = useParams({ strict: false });
  if (!opensrsorderid) {
    return (
      <Page title={title} above={<Breadcrumbs trail={trail} here="Certificate" />}>
        <Text role="status">no order id</Text>
      </Page>
    );
  }
  return <Loaded key={opensrsorderid} orderId={opensrsorderid} />;
}

function Loaded({ orderId }: { orderId: string }) {
  const certificate = useCertificate(orderId);
  return (
    <Page
      title={title}
      above={<Breadcrumbs trail={trail} here={certificate.data?.address ?? 'Certificate'} />}
    >
      {certificate.data ? (
        <Wizard certificate={certificate.data} />
      ) : certificate.error ? (
        <ErrorState error={certificate.error} onRetry={certificate.refetch} />
      ) : (
        <Stack role="status" aria-label="Loading certificate...">
          <Skeleton height={60} />
          <Skeleton height={280} />
        </Stack>
      )}
    </Page>
  );
}

function Wizard({ certificate }: { certificate: CertificateDetail }) {
  const [step, setStep] = useState(() => firstStep(certificate));
  const [given, setGiven] = useState<GivenCsr | null>(null);
  const mayChange = useMay('orders.purchase');
  const userId = useProfile().data?.userId;
  const navigate = useNavigate();
  const renew = () => {
    if (userId) cart.init(userId);
    const { address, customerId, provider, productType } = certificate;
    const chosen = { address, customerId, provider, productType };
    const follows = certificate.state === 'completed' || certificate.state === 'expired';
    const csr = { csr: certificate.csr, csrName: 'as before' };
    const renewal = { ...chosen, ...csr, ...(follows ? { renews: true as const } : {}) };
    if (cart.add({ type: 'certificate', ...renewal }).length === 0) void navigate({ to: '/cart' });
  };
  return (
    <Stack>
      <Standing certificate={certificate} />
      <Stepper active={step} onStepClick={setStep} iconSize={32} size="sm">
        {steps.map((label) => (
          <Stepper.Step key={label} label={label} />
        ))}
      </Stepper>
      <Paper withBorder p="md" component="section" aria-label={steps[step] ?? ''}>
        {step === 0 && (
          <CsrStep
            certificate={certificate}
            mayChange={mayChange}
            given={given}
            onGiven={setGiven}
            onNext={() => setStep(1)}
            onReissued={() => {
              setGiven(null);
              setStep(2);
            }}
          />
        )}
        {step === 1 && (
          <ProofStep
            key={`${certificate.proof.method} ${certificate.approverEmail}`}
            certificate={certificate}
            mayChange={mayChange}
            onNext={() => setStep(2)}
          />
        )}
        {step === 2 && <WaitStep certificate={certificate} mayChange={mayChange} onRenew={renew} />}
      </Paper>
    </Stack>
  );
}

/** What it is and how it is: one state, the validity, what is next. Notices once, here. */
function Standing({ certificate }: { certificate: CertificateDetail }) {
  const standing = standingOf(certificate, new Date());
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <DomainName name={certificate.address} />
        <Chip tone={standing.tone}>{standing.state}</Chip>
        <ValidityBar standing={standing} />
        <Text size="sm" c="dimmed">
          {certificate.provider}, order {certificate.orderId}
        </Text>
      </Group>
      {certificate.flags.length === 0 && standing.next !== '' && <Text size="sm">{standing.next}</Text>}
      {certificate.byAcme && <ByAcme byAcme={certificate.byAcme} />}
      {certificate.flags.map((flag) => (
        <Alert
          key={flag.kind}
          color={flag.level === 'danger' ? 'red' : 'yellow'}
          variant="light"
          role="alert"
        >
          {flag.text}
        </Alert>
      ))}
    </Stack>
  );
}

/** Whose machine has it: when it was seen, when it is asked to renew, and what failed last. */
function ByAcme({ byAcme }: { byAcme: NonNullable<CertificateDetail['byAcme']> }) {
  const { accessId, name, lastSeenAt, renewsAt, problem } = byAcme;
  return (
    <>
      <Text size="sm">
        By ACME, with the access{' '}
        <Anchor component={Link} to={`/certificates/acme/${accessId}`} size="sm">
          {name}
        </Anchor>
        {'. '}
        {lastSeenAt ? (
          <>
            Its server was seen last on <DateTime at={lastSeenAt} />.
          </>
        ) : (
          'Its server has not been seen yet.'
        )}{' '}
        {renewsAt && (
          <>
            It is asked to renew between <Day at={renewsAt.from} /> and <Day at={renewsAt.to} />.
          </>
        )}
      </Text>
      {problem !== null && (
        <Alert color="yellow" variant="light" role="alert" title="The last request of its server failed">
          {problem}
        </Alert>
      )}
    </>
  );
}

/** Where there is something to do: a proof that nobody has given yet, else the end. */
function firstStep({ state, proof, proofState }: CertificateDetail): number {
  const given = proof.method === 'DNS' && proofState !== 'missing';
  return state === 'awaiting-approval' && !given ? 1 : 2;
}
