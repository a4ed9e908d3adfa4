import { ActionIcon, Group, Text } from '@mantine/core';
import { IconCopy, IconMail, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Names of the roles as the screens show them (P1 §6). */
export const roleNames: Record<string, string> = {
  MSP_OWNER: 'Owner',
  MSP_ADMIN: 'Admin',
  MSP_EMPLOYEE: 'Employee',
  MSP_CUSTOMER: 'Customer',
};

interface Read<T> {
  data: T[] | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
}

interface User {
  userId: string;
  email: string;
  organization: string;
  type: string;
}

/** 'Your current users' (P2 §2). */
export function UsersTable(props: {
  users: Read<User>;
  self: string | undefined;
  onRemove: (user: User) => void;
  /** What can be done with the person's data. */
  privacy: (user: User) => ReactNode;
}) {
  const columns: Column<User>[] = [
    { key: 'organization', title: 'Organization', render: (user) => user.organization },
    { key: 'email', title: 'Email', render: (user) => user.email },
    { key: 'type', title: 'Type', render: (user) => roleNames[user.type] ?? user.type },
    { key: 'privacy', title: 'Personal data', render: props.privacy },
    {
      key: 'delete',
      title: 'Delete',
      align: 'right',
      render: (user) =>
        user.userId === props.self ? (
          <Text size="sm" c="dimmed">
            You
          </Text>
        ) : (
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={`Remove ${user.email}`}
            onClick={() => props.onRemove(user)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        ),
    },
  ];
  return (
    <DataTable
      label="Your current users"
      columns={columns}
      rows={props.users.data}
      rowKey={(user) => user.userId}
      loading={props.users.isFetching}
      error={props.users.error}
      onRetry={props.users.refetch}
      loadingText="Loading users..."
      empty={<EmptyState title="No users found" />}
    />
  );
}

interface Invite {
  inviteId: string;
  email: string;
  type: string;
  expired: boolean;
}

interface InviteActions {
  onCancel: (invite: Invite) => void;
  onCopy: (invite: Invite) => void;
  onResend: (invite: Invite) => void;
}

/** 'Your invites' (P2 §2), with the link to hand on and a second mail. */
export function InvitesTable(props: InviteActions & { invites: Read<Invite> }) {
  const columns: Column<Invite>[] = [
    {
      key: 'email',
      title: 'Email',
      render: (invite) => (
        <>
          {invite.email}
          {invite.expired && (
            <Text span size="sm" c="dimmed">
              {' '}
              (expired)
            </Text>
          )}
        </>
      ),
    },
    { key: 'type', title: 'Type', render: (invite) => roleNames[invite.type] ?? invite.type },
    {
      key: 'delete',
      title: 'Delete',
      align: 'right',
      render: (invite) => <InviteButtons invite={invite} {...props} />,
    },
  ];
  return (
    <DataTable
      label="Your invites"
      columns={columns}
      rows={props.invites.data}
      rowKey={(invite) => invite.inviteId}
      loading={props.invites.isFetching}
      error={props.invites.error}
      onRetry={props.invites.refetch}
      loadingText="Loading invites..."
      empty={<EmptyState title="No invites found" />}
    />
  );
}

function InviteButtons({ invite, onCancel, onCopy, onResend }: InviteActions & { invite: Invite }) {
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        aria-label={`Copy the invitation link of ${invite.email}`}
        onClick={() => onCopy(invite)}
      >
        <IconCopy size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={`Send the invitation to ${invite.email} again`}
        onClick={() => onResend(invite)}
      >
        <IconMail size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Cancel the invitation of ${invite.email}`}
        onClick={() => onCancel(invite)}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </Group>
  );
}
