import { ActionIcon, Group, Text } from '@mantine/core';
import { IconCopy, IconMail, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { UserRow } from '#contracts/operations/users.ts';
import type { Role } from '#contracts/permissions.ts';
import { atMarks } from '../../ui/breakable.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DateTime } from '../../ui/date-time.tsx';
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

interface UsersTableProps {
  users: Read<UserRow>;
  self: string | undefined;
  /** The type of the acting person. Users cannot change someone who outranks them. */
  by: Role | undefined;
  onChange: (user: UserRow) => void;
  onRemove: (user: UserRow) => void;
  /** What can be done with the person's data. */
  privacy: (user: UserRow) => ReactNode;
}

/** 'Your current users' (P2 §2). */
export function UsersTable(props: UsersTableProps) {
  const columns: Column<UserRow>[] = [
    {
      key: 'organization',
      title: 'Organization',
      width: '22%',
      gives: 2,
      render: (user) => user.organization,
    },
    {
      key: 'email',
      title: 'Email',
      width: '40%',
      render: (user) => (
        <div style={anywhere}>
          {atMarks(user.email)}
          {user.userId === props.self && (
            <Text span size="sm" c="dimmed" ml="xs" style={{ whiteSpace: 'nowrap' }}>
              You
            </Text>
          )}
        </div>
      ),
    },
    { key: 'type', title: 'Type', render: (user) => <UserType user={user} {...props} /> },
    { key: 'privacy', title: 'Personal data', render: props.privacy },
    {
      key: 'delete',
      title: 'Delete',
      align: 'right',
      render: (user) => <RemoveUser user={user} {...props} />,
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

function UserType({ user, by, onChange }: UsersTableProps & { user: UserRow }) {
  return (
    <Group gap={4} wrap="nowrap">
      {roleNames[user.type] ?? user.type}
      {!isAbove(user, by) && (
        <ActionIcon variant="subtle" aria-label={`Change ${user.email}`} onClick={() => onChange(user)}>
          <IconPencil size={18} />
        </ActionIcon>
      )}
    </Group>
  );
}

function RemoveUser({ user, self, by, onRemove }: UsersTableProps & { user: UserRow }) {
  if (user.userId === self || isAbove(user, by)) return null;
  return (
    <ActionIcon
      variant="subtle"
      color="red"
      aria-label={`Remove ${user.email}`}
      onClick={() => onRemove(user)}
    >
      <IconTrash size={18} />
    </ActionIcon>
  );
}

function isAbove(user: UserRow, by: Role | undefined): boolean {
  return user.type === 'MSP_OWNER' && by !== 'MSP_OWNER';
}

interface Invite {
  inviteId: string;
  email: string;
  type: string;
  expired: boolean;
  expiresAt: string;
}

interface InviteActions {
  onCancel: (invite: Invite) => void;
  onCopy: (invite: Invite) => void;
  onResend: (invite: Invite) => void;
}

/** 'Your invites' (P2 §2), with the link to hand on and a second mail. */
export function InvitesTable(props: InviteActions & { invites: Read<Invite> }) {
  const columns: Column<Invite>[] = [
    { key: 'email', title: 'Email', width: '50%', render: (invite) => <Addressee invite={invite} /> },
    { key: 'type', title: 'Type', render: (invite) => roleNames[invite.type] ?? invite.type },
    { key: 'link', title: 'Link', render: (invite) => <LinkButtons invite={invite} {...props} /> },
    {
      key: 'delete',
      title: 'Delete',
      align: 'right',
      render: (invite) => (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={`Cancel the invitation of ${invite.email}`}
          onClick={() => props.onCancel(invite)}
        >
          <IconTrash size={18} />
        </ActionIcon>
      ),
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
      empty={
        <EmptyState
          title="No invites found"
          text="People whom you invite are listed here until they accept. Invite them with “Invite User”."
        />
      }
    />
  );
}

/** One piece, so that a narrow card does not pull it apart. */
function Addressee({ invite }: { invite: Invite }) {
  return (
    <div style={anywhere}>
      {invite.email}{' '}
      <Text span size="sm" c="dimmed">
        {invite.expired ? (
          '(expired)'
        ) : (
          <>
            until <DateTime at={invite.expiresAt} />
          </>
        )}
      </Text>
    </div>
  );
}

function LinkButtons({ invite, onCopy, onResend }: InviteActions & { invite: Invite }) {
  return (
    <Group gap={4} wrap="nowrap">
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
    </Group>
  );
}

const anywhere = { overflowWrap: 'anywhere' } as const;
