import { ActionIcon, Alert, Button, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import type { GlueRow } from '#contracts/operations/dns.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazily } from '../../ui/lazily.tsx';
import { useChangeGlue, useGlue } from './api.ts';

const GlueDialog = lazily(() => import('./glue-dialog.tsx'));

type Opened = { kind: 'add' } | { kind: 'edit' | 'delete'; row: GlueRow };

/** P2 §2, Advanced DNS: nameserver hosts below the domain, with their addresses at the registry (glue). */
export function AdvancedDnsTab({ address, mayEdit }: { address: string; mayEdit: boolean }) {
  const glue = useGlue(address);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const close = (told?: string | null) => {
    setOpened(null);
    if (told !== undefined) setNotice(told);
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={640}>
          Nameservers below {address} need their addresses at the registry, so that they can be found.
        </Text>
        {mayEdit && (
          <Button
            size="xs"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setOpened({ kind: 'add' })}
          >
            Add nameserver
          </Button>
        )}
      </Group>
      {notice && (
        <Alert color="yellow" variant="light" role="status">
          {notice}
        </Alert>
      )}
      <DataTable
        label="Glue nameservers"
        columns={columnsOf(address, mayEdit, setOpened)}
        rows={glue.data}
        rowKey={(row) => row.name}
        loading={glue.isFetching}
        error={glue.error}
        onRetry={glue.refetch}
        loadingText="Loading nameservers..."
        empty={<EmptyState title="No nameservers below this domain" />}
      />
      {opened?.kind === 'delete' && <DeleteHost address={address} row={opened.row} onClose={close} />}
      <Suspense>
        {(opened?.kind === 'add' || opened?.kind === 'edit') && (
          <GlueDialog domain={address} row={opened.kind === 'edit' ? opened.row : null} onClose={close} />
        )}
      </Suspense>
    </Stack>
  );
}

function columnsOf(domain: string, mayEdit: boolean, onOpen: (opened: Opened) => void): Column<GlueRow>[] {
  return [
    { key: 'name', title: 'Subdomain', render: ({ name }) => <strong>{below(name, domain)}</strong> },
    {
      key: 'ipv4',
      title: 'IP V4',
      render: ({ ipaddress }) => <span className="number">{ipaddress ?? '—'}</span>,
    },
    { key: 'ipv6', title: 'IP V6', render: ({ ipv6 }) => <span className="number">{ipv6 ?? '—'}</span> },
    ...(mayEdit
      ? [{ key: 'actions', title: 'Actions', hideTitle: true, align: 'right' as const, render: actions }]
      : []),
  ];

  function actions(row: GlueRow) {
    const mayDelete = row.can_delete === 1;
    return (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Edit ${row.name}`}
          onClick={() => onOpen({ kind: 'edit', row })}
        >
          <IconPencil size={16} />
        </ActionIcon>
        <Tooltip label="A domain uses this nameserver, so it cannot be deleted" disabled={mayDelete}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete ${row.name}`}
            // Not `disabled`: the keyboard reaches it, and hears why.
            aria-disabled={!mayDelete}
            {...(mayDelete ? {} : { 'data-disabled': true })}
            onClick={() => mayDelete && onOpen({ kind: 'delete', row })}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    );
  }
}

export function below(name: string, domain: string): string {
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name;
}

function DeleteHost(props: { address: string; row: GlueRow; onClose: (notice?: string | null) => void }) {
  const change = useChangeGlue(props.address);
  const { name } = props.row;
  return (
    <ConfirmDialog
      opened
      title="Are you sure you want to delete this nameserver?"
      confirmLabel="Delete"
      runningLabel="Deleting..."
      running={change.isPending}
      error={change.error}
      danger
      onConfirm={() =>
        change.mutate(
          { kind: 'delete', body: { name } },
          { onSuccess: (result) => props.onClose(result.notice) },
        )
      }
      onClose={() => props.onClose()}
    >
      You are about to delete {name} from the registry. Domains that use it as a nameserver will stop
      resolving.
    </ConfirmDialog>
  );
}
