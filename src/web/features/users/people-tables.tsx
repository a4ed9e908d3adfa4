import { ActionIcon, CopyButton, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { IconCheck, IconCopy, IconMail, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';

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
  isError: boolean;
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
}) {
  return (
    <PeopleTable
      label="Your current users"
      head={['Organization', 'Email', 'Type', 'Delete']}
      read={props.users}
      empty="No users found"
      row={(user) => (
        <Table.Tr key={user.userId}>
          <Table.Td>{user.organization}</Table.Td>
          <Table.Td>{user.email}</Table.Td>
          <Table.Td>{roleNames[user.type] ?? user.type}</Table.Td>
          <Table.Td ta="right">
            {user.userId === props.self ? (
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
            )}
          </Table.Td>
        </Table.Tr>
      )}
    />
  );
}

interface Invite {
  inviteId: string;
  email: string;
  type: string;
  expired: boolean;
  link: string;
}

/** 'Your invites' (P2 §2), with the link to hand on and a second mail. */
export function InvitesTable(props: {
  invites: Read<Invite>;
  onCancel: (invite: Invite) => void;
  onResend: (invite: Invite) => void;
}) {
  return (
    <PeopleTable
      label="Your invites"
      head={['Email', 'Type', 'Delete']}
      read={props.invites}
      empty="No invites found"
      row={(invite) => (
        <Table.Tr key={invite.inviteId}>
          <Table.Td>
            {invite.email}
            {invite.expired && (
              <Text span size="sm" c="dimmed">
                {' '}
                (expired)
              </Text>
            )}
          </Table.Td>
          <Table.Td>{roleNames[invite.type] ?? invite.type}</Table.Td>
          <Table.Td>
            <Group gap={4} justify="flex-end" wrap="nowrap">
              <CopyButton value={invite.link}>
                {({ copied, copy }) => (
                  <ActionIcon
                    variant="subtle"
                    aria-label={copied ? 'Link copied' : `Copy the invitation link of ${invite.email}`}
                    onClick={copy}
                  >
                    {copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
                  </ActionIcon>
                )}
              </CopyButton>
              <ActionIcon
                variant="subtle"
                aria-label={`Send the invitation to ${invite.email} again`}
                onClick={() => props.onResend(invite)}
              >
                <IconMail size={18} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Cancel the invitation of ${invite.email}`}
                onClick={() => props.onCancel(invite)}
              >
                <IconTrash size={18} />
              </ActionIcon>
            </Group>
          </Table.Td>
        </Table.Tr>
      )}
    />
  );
}

function PeopleTable<T>(props: {
  label: string;
  head: string[];
  read: Read<T>;
  empty: string;
  row: (entry: T) => ReactNode;
}) {
  const { read } = props;
  if (read.isError && read.error && !read.data)
    return <ErrorState error={read.error} onRetry={read.refetch} />;
  if (!read.data) {
    return (
      <Stack gap="xs" aria-busy="true">
        <Skeleton height={20} />
        <Skeleton height={20} />
      </Stack>
    );
  }
  if (read.data.length === 0) return <EmptyState title={props.empty} />;
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table verticalSpacing="sm" aria-label={props.label}>
        <Table.Thead>
          <Table.Tr>
            {props.head.map((title) => (
              <Table.Th key={title} ta={title === 'Delete' ? 'right' : 'left'}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{read.data.map(props.row)}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
