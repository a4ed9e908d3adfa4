import { Alert, Anchor, Button, Group, List, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { TransferStatusReply } from '#contracts/operations/transfers.ts';
import { usdText } from '#contracts/values/format.ts';
import { useCancelTransfer, useTransfer } from '../features/domains/transfer-api.ts';
import { StuckAdvice, TransferProgress } from '../features/domains/transfer-progress.tsx';
import { useMay } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { AskedButton } from '../ui/asked-button.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { Card } from '../ui/card.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

/** /domain/transfer/{domain}: how far it is, by when the rest is expected, what to do when it is stuck. */
export default function DomainTransferStatusScreen() {
  const { domain = '' } = useParams({ strict: false });
  return <Transfer key={domain} domain={domain} />;
}

function Transfer({ domain }: { domain: string }) {
  const cancel = useCancelTransfer(domain.toLowerCase());
  const transfer = useTransfer(domain.toLowerCase(), cancel.isSuccess);
  const mayBuy = useMay('orders.purchase');
  return (
    <Page
      title={`Transfer of ${domain}`}
      above={
        <Breadcrumbs
          trail={[{ to: '/domain/list', label: 'Domain management' }]}
          here={`Transfer of ${domain}`}
        />
      }
    >
      {transfer.data ? (
        <Status transfer={transfer.data} cancel={cancel} />
      ) : transfer.error === null ? (
        <Skeleton height={320} role="status" aria-label="Loading the transfer..." />
      ) : isMissing(transfer.error) ? (
        <EmptyState
          title="There is no transfer of this domain"
          action={
            mayBuy && (
              <Button component={Link} to="/domain/transfer">
                Transfer a domain
              </Button>
            )
          }
        />
      ) : (
        <ErrorState error={transfer.error} onRetry={transfer.refetch} />
      )}
    </Page>
  );
}

type Cancelling = ReturnType<typeof useCancelTransfer>;

function Status({ transfer, cancel }: { transfer: TransferStatusReply; cancel: Cancelling }) {
  return (
    <Stack gap="md" maw={720}>
      <Outcome transfer={transfer} />
      {transfer.stuck && <StuckAdvice transfer={transfer} />}
      <Card title="Progress">
        <TransferProgress steps={transfer.steps} />
        <Facts transfer={transfer} />
      </Card>
      <Delegation transfer={transfer} />
      {transfer.state === 'running' && <Cancel transfer={transfer} cancel={cancel} />}
    </Stack>
  );
}

function Outcome({ transfer }: { transfer: TransferStatusReply }) {
  const mayBuy = useMay('orders.purchase');
  if (transfer.state === 'failed' && !mayBuy) {
    return (
      <Alert color="red" variant="light" role="alert" title="The transfer did not succeed">
        {transfer.reason} The domain stays at its current registrar. Your provider can transfer it again.
      </Alert>
    );
  }
  if (transfer.state === 'failed') {
    return (
      <Alert color="red" variant="light" role="alert" title="The transfer did not succeed">
        <Text size="sm" mb="xs">
          {transfer.reason} You were not charged. Check that the domain is unlocked at its current registrar
          and that the AuthInfo / EPP code is right. Then transfer it again.
        </Text>
        <Button component={Link} to="/domain/transfer" search={{ name: transfer.domain } as never} size="xs">
          Transfer again
        </Button>
      </Alert>
    );
  }
  if (transfer.state === 'running') return null;
  return (
    <Alert color="teal" variant="light" role="status" title="The transfer is complete">
      <Anchor component={Link} to={`/domain/${transfer.domain}`} size="sm">
        Open {transfer.domain}
      </Anchor>
    </Alert>
  );
}

function Facts({ transfer }: { transfer: TransferStatusReply }) {
  const maySeeOrder = useMay('orders.read');
  return (
    <Stack gap={2}>
      {transfer.customer !== '' && <Text size="sm">Customer: {transfer.customer}</Text>}
      {transfer.held !== null && (
        <Text size="sm">
          Reserved until it ends: <span className="number">{usdText(transfer.held)}</span>
        </Text>
      )}
      {transfer.askedAt && (
        <Text size="sm" c="dimmed">
          The registrar was last asked <DateTime at={transfer.askedAt} />.
        </Text>
      )}
      {maySeeOrder && transfer.orderId && (
        <Anchor component={Link} to={`/orders/${transfer.orderId}`} size="sm">
          Show the order
        </Anchor>
      )}
    </Stack>
  );
}

/** After completion the delegation is compared with what it was. */
function Delegation({ transfer }: { transfer: TransferStatusReply }) {
  const { before, after, kept } = transfer.nameservers;
  // Of one that came to nothing nothing is compared.
  if (!before || before.length === 0 || transfer.state === 'failed') return null;
  return (
    <Card title="Nameservers">
      <Names label="Before the transfer" names={before} />
      {after && kept === false && <Names label="Now" names={after} />}
      <Text size="sm" mt="xs">
        {kept === null && 'They are compared when the transfer is complete.'}
        {kept === true && 'The domain still uses the same nameservers.'}
        {kept === false && 'They have changed. Please check that this is what you want.'}
      </Text>
    </Card>
  );
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <List size="sm" listStyleType="none" aria-label={label}>
        {names.map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
    </>
  );
}

function Cancel(props: { transfer: TransferStatusReply; cancel: Cancelling }) {
  const { cancel } = props;
  const { domain, held } = props.transfer;
  const may = useMay('orders.purchase');
  if (!may) return null;
  // It shows as running until the registrar has said that it has ended.
  if (cancel.data) {
    return (
      <Alert color="yellow" variant="light" role="status">
        {cancel.data.notice ?? 'The registrar was asked to cancel this transfer. You see here when it has.'}
      </Alert>
    );
  }
  return (
    <Group>
      <AskedButton
        label="Cancel the transfer"
        title={`Cancel the transfer of ${domain}?`}
        cancelLabel="Keep it"
        runningLabel="Cancelling..."
        running={cancel.isPending}
        error={cancel.error}
        danger
        onConfirm={(close) => cancel.mutate(undefined, { onSuccess: close })}
      >
        The domain stays at its current registrar.
        {held !== null && ` ${usdText(held)} is released.`}
      </AskedButton>
    </Group>
  );
}

function isMissing(error: Error): boolean {
  return error instanceof ApiError && (error.code === 'not_found' || error.code === 'validation_failed');
}
