import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Profile, UserRow } from '#contracts/operations/users.ts';
import { type Role, roles } from '#contracts/permissions.ts';
import { useAllCustomers } from '../features/customers/api.ts';
import { UserPrivacy } from '../features/privacy/user-privacy.tsx';
import { useProfile } from '../features/users/api.ts';
import { ChangeUser } from '../features/users/change-user.tsx';
import { InviteForm } from '../features/users/invite-form.tsx';
import {
  useCancelInvite,
  useCopyInviteLink,
  useInvites,
  useRemoveUser,
  useResendInvite,
  useUsers,
} from '../features/users/people-api.ts';
import { InvitesTable, UsersTable } from '../features/users/people-tables.tsx';
import { useSession } from '../lib/session.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Page } from '../ui/page.tsx';

type Doomed = { email: string; remove: () => Promise<unknown> };

/** /users (P2 §2): who is in the organisation, who is invited. */
export default function UsersScreen() {
  const session = useSession();
  const profile = useProfile();
  const users = useUsers();
  const invites = useInvites();
  const customers = useAllCustomers();
  const removeUser = useRemoveUser();
  const cancelInvite = useCancelInvite();
  const resend = useResendInvite();
  const copy = useCopyInviteLink();
  const [adding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const options = (customers.data ?? []).map((customer) => ({
    value: customer.customerId,
    label: customer.contacts.owner.organization,
  }));
  const change = useChange();
  const changed = users.data?.find(({ userId }) => userId === change.id);
  const close = () => {
    setDoomed(null);
    removeUser.reset();
    cancelInvite.reset();
  };
  const problem = removeUser.error ?? cancelInvite.error;
  return (
    <Page
      title="Users"
      action={adding ? undefined : <Button onClick={() => setAdding(true)}>Invite User</Button>}
    >
      {adding && (
        <Paper withBorder p="lg" mb="xl" component="section" aria-label="Add new user">
          <Title order={2} size="h3" mb="md">
            Add new user
          </Title>
          <InviteForm
            customers={options}
            onDone={() => setAdding(false)}
            cancel={
              <Button component={Link} to="/users" variant="default" onClick={() => setAdding(false)}>
                Cancel
              </Button>
            }
          />
        </Paper>
      )}
      <Stack gap="xl">
        <section>
          <Title order={2} size="h4" mb="sm">
            Your current users
          </Title>
          <UsersTable
            users={users}
            self={profile.data?.userId}
            by={profile.data?.type}
            onChange={(user) => change.open(user.userId)}
            privacy={(user) => (
              <UserPrivacy
                user={user}
                mayErase={isBelow(user, profile.data)}
                onSignInAgain={() => void session.signIn({ fresh: true, returnPath: '/users' })}
              />
            )}
            onRemove={(user) =>
              setDoomed({ email: user.email, remove: () => removeUser.mutateAsync(user.userId) })
            }
          />
        </section>
        <section>
          <Title order={2} size="h4" mb="sm">
            Your invites
          </Title>
          <div role="status">
            {resend.isSuccess && <Text size="sm">The invitation was sent again.</Text>}
            {copy.isSuccess && <Text size="sm">The link was copied.</Text>}
            {copy.error && (
              <Text size="sm" c="red">
                {copy.error.message}
              </Text>
            )}
            {resend.error && (
              <Text size="sm" c="red">
                {resend.error.message}
              </Text>
            )}
          </div>
          <InvitesTable
            invites={invites}
            onResend={(invite) => {
              copy.reset();
              resend.mutate(invite.inviteId);
            }}
            onCopy={(invite) => {
              resend.reset();
              copy.mutate(invite.inviteId);
            }}
            onCancel={(invite) =>
              setDoomed({ email: invite.email, remove: () => cancelInvite.mutateAsync(invite.inviteId) })
            }
          />
        </section>
      </Stack>
      <Anchor component={Link} to="/privacy" size="sm" mt="xl" display="inline-block">
        Former customers and users
      </Anchor>
      {changed && profile.data && (
        <ChangeUser
          user={changed}
          by={profile.data.type}
          ownerless={users.data?.every(({ type }) => type !== 'MSP_OWNER') ?? false}
          wanted={change.wanted}
          customers={options}
          onSignInAgain={change.signInAgain}
          onClose={change.close}
        />
      )}
      <ConfirmDialog
        opened={doomed !== null}
        title="Confirm Removal of user"
        confirmLabel="Confirm"
        running={removeUser.isPending || cancelInvite.isPending}
        error={problem}
        danger
        onClose={close}
        onConfirm={() => void doomed?.remove().then(close, () => undefined)}
      >
        Please confirm the deletion of user {doomed?.email} this cannot be undone
      </ConfirmDialog>
    </Page>
  );
}

/** Somebody else, and no rank above one's own. */
function isBelow(user: UserRow, by: Profile | null | undefined): boolean {
  if (!by || user.userId === by.userId) return false;
  return user.type !== 'MSP_OWNER' || by.type === 'MSP_OWNER';
}

/** Who is being changed stands in the address, so that a sign-in that is asked for on the way leads back to it. */
function useChange() {
  const { person, kind } = useSearch({ strict: false });
  const navigate = useNavigate();
  const session = useSession();
  return {
    id: person,
    wanted: roles.find((role) => role === kind) ?? null,
    open: (id: string) => void navigate({ to: '/users', search: { person: id } }),
    close: () => void navigate({ to: '/users', search: {}, replace: true }),
    signInAgain: (type: Role) =>
      void session.signIn({ fresh: true, returnPath: `/users?person=${person}&kind=${type}` }),
  };
}
