import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import type { PurchaseResult } from '#contracts/operations/orders.ts';
import { moneyText } from '#contracts/values/format.ts';
import { usdToCents } from '#contracts/values/money.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { useRestorationPrice, useRestore } from './api.ts';

/** A domain that the registry has deleted: until when it can be had back, and for how much. */
export function RestoreNotice(props: {
  details: DomainDetails;
  mayBuy: boolean;
  /** What can be spent, in cents; null while it is not known. */
  spendableCents: number | null;
  /** Says where the balance could not be read. */
  unread?: ReactNode;
}) {
  const { details, mayBuy } = props;
  const { domain, restorable_until: until } = details;
  const restore = useRestore(domain);
  const ended = restore.data ? endOf(restore.data) : null;
  if (!until && ended?.kind !== 'done') return null;
  return (
    <Stack gap="xs" mb="md">
      {until && (
        <Alert color="red" variant="light" role="status" title={`${domain} was deleted at the registry`}>
          <Stack gap="xs">
            <Text size="sm">
              It was not renewed in time. Its website and mail do not work, and it can no longer be renewed.
              It can be restored until <DateTime at={until} />; after that it is deleted for good, and anyone
              can register it.
            </Text>
            {mayBuy && (
              <Offer
                domain={domain}
                restore={restore}
                spendableCents={props.spendableCents}
                unread={props.unread}
              />
            )}
          </Stack>
        </Alert>
      )}
      {ended && (
        <Alert color={ended.kind === 'done' ? 'teal' : 'yellow'} variant="light" role="status">
          {ended.text}
        </Alert>
      )}
    </Stack>
  );
}

function endOf(result: PurchaseResult): { kind: 'done' | 'open' | 'failed'; text: string } {
  const [bought] = result.renewals.success;
  if (bought)
    return {
      kind: 'done',
      text: `${bought.domain} is restored. It can take up to a day to work everywhere.`,
    };
  const [failed] = result.renewals.fail;
  return {
    kind: result.pending.length > 0 ? 'open' : 'failed',
    text: failed?.error ?? 'Something went wrong',
  };
}

function Offer(props: {
  domain: string;
  restore: ReturnType<typeof useRestore>;
  spendableCents: number | null;
  unread: ReactNode;
}) {
  const { domain, restore, spendableCents } = props;
  const price = useRestorationPrice(domain, true);
  const [asked, setAsked] = useState(false);
  if (price.error && price.data === undefined)
    return <ErrorState error={price.error} onRetry={price.refetch} />;
  if (price.data === undefined || price.data === null) return <Skeleton height={30} width={180} />;
  const cents = usdToCents(price.data);
  const left = spendableCents === null ? null : spendableCents - cents;
  const running = restore.data !== undefined && restore.data.pending.length > 0;
  return (
    <Group>
      <Button color="red" size="xs" disabled={restore.isPending || running} onClick={() => setAsked(true)}>
        {restore.isPending ? 'Restoring...' : `Restore for ${moneyText(cents)}`}
      </Button>
      <ConfirmDialog
        opened={asked}
        title={`Restore ${domain}?`}
        confirmLabel={`Restore for ${moneyText(cents)}`}
        runningLabel="Restoring..."
        running={restore.isPending}
        error={restore.error}
        onConfirm={() => restore.mutate(price.data ?? 0, { onSuccess: () => setAsked(false) })}
        onClose={() => setAsked(false)}
      >
        <Stack gap="xs">
          <Text size="sm">
            The price is the registry's fee and one more year: <strong>{moneyText(cents)}</strong>. You are
            charged when the registry has restored the domain. This charge cannot be refunded.
          </Text>
          {left !== null && <Text size="sm">Your balance afterwards: {moneyText(left)}</Text>}
          {props.unread}
        </Stack>
      </ConfirmDialog>
    </Group>
  );
}
