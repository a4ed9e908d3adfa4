import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Profile, UserRow } from '#contracts/operations/users.ts';
import { type Role, roles } from '#contracts/permissions.ts';
import { customerOptions, useCustomerChoices } from '../features/customers/api.ts';
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
import { needsFreshSignIn } from '../lib/api-error.ts';
import { useSession } from '../lib/session.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { UnreadChoices } from '../ui/error-state.tsx';
import { FreshSignIn } from '../ui/fresh-sign-in.tsx';
import { Page } from '../ui/page.tsx';

type Doomed = { email: string; remove: () => Promise<unknown> };
type Choices = Pick<Parameters<typeof InviteForm>[0], 'customers' | 'unread'>;

/** /users (P2 §2): who is in the organisation, who is invited. */
export default function UsersScreen() {
  const [adding, setAdding] = useState(false);
  // The button that opened the form is gone while it is open, and takes the focus when it is back.
  const [closed, setClosed] = useState(false);
  const close = () => {
    setAdding(false);
    setClosed(true);
  };
  // Taken out here: a part that is shown later would read them as they were when this was drawn.
  const { data, error, refetch } = useCustomerChoices();
  const removal = useRemoval();
  const session = useSession();
  const stale = needsFreshSignIn(removal.error);
  const choices = {
    customers: data && customerOptions(data),
    unread: <UnreadChoices of={[{ data, error, refetch }]} />,
  };
  return (
    <Page
      title="Users"
      action={
        adding ? undefined : (
          <Button autoFocus={closed} onClick={() => setAdding(true)}>
            Invite User
          </Button>
        )
      }
    >
      <Stack gap="md">
        {adding && <AddUser {...choices} onClose={close} />}
        <CurrentUsers {...choices} onRemove={removal.ofUser} />
        <OpenInvites onCancel={removal.ofInvite} />
        <Anchor component={Link} to="/privacy" size="sm" style={{ alignSelf: 'flex-start' }}>
          Former customers and users
        </Anchor>
      </Stack>
      <ConfirmDialog
        opened={removal.email !== null}
        title="Confirm Removal of user"
        confirmLabel="Confirm"
        running={removal.running}
        error={stale ? null : removal.error}
        danger
        onClose={removal.close}
        onConfirm={removal.confirm}
      >
        <span style={{ overflowWrap: 'anywhere' }}>
          Please confirm the deletion of user {removal.email} this cannot be undone
        </span>
        {stale && (
          <FreshSignIn
            what="remove an owner"
            onSignIn={() => void session.signIn({ fresh: true, returnPath: '/users' })}
          />
        )}
      </ConfirmDialog>
    </Page>
  );
}

/** One question for users and invitations: on the screen both are removed by email address (decisions no. 21). */
function useRemoval() {
  const removeUser = useRemoveUser();
  const cancelInvite = useCancelInvite();
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const close = () => {
    setDoomed(null);
    removeUser.reset();
    cancelInvite.reset();
  };
  return {
    email: doomed?.email ?? null,
    running: removeUser.isPending || cancelInvite.isPending,
    error: removeUser.error ?? cancelInvite.error,
    ofUser: ({ email, userId }: { email: string; userId: string }) =>
      setDoomed({ email, remove: () => removeUser.mutateAsync(userId) }),
    ofInvite: ({ email, inviteId }: { email: string; inviteId: string }) =>
      setDoomed({ email, remove: () => cancelInvite.mutateAsync(inviteId) }),
    close,
    confirm: () => void doomed?.remove().then(close, () => undefined),
  };
}

function AddUser({ onClose, ...choices }: Choices & { onClose: () => void }) {
  return (
    <Card title="Add new user">
      <InviteForm
        {...choices}
        onDone={onClose}
        cancel={
          <Button component={Link} to="/users" variant="default" onClick={onClose}>
            Cancel
          </Button>
        }
      />
    </Card>
  );
}

function CurrentUsers({ onRemove, ...choices }: Choices & { onRemove: (user: UserRow) => void }) {
  const session = useSession();
  const profile = useProfile();
  const users = useUsers();
  const change = useChange();
  const changed = users.data?.find(({ userId }) => userId === change.id);
  return (
    <Card flush title="Your current users" beside={<Count of={users.data} />}>
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
        onRemove={onRemove}
      />
      {changed && profile.data && (
        <ChangeUser
          user={changed}
          by={profile.data.type}
          ownerless={users.data?.every(({ type }) => type !== 'MSP_OWNER') ?? false}
          wanted={change.wanted}
          {...choices}
          onSignInAgain={change.signInAgain}
          onClose={change.close}
        />
      )}
    </Card>
  );
}

function OpenInvites(props: { onCancel: (invite: { email: string; inviteId: string }) => void }) {
  const invites = useInvites();
  const resend = useResendInvite();
  const copy = useCopyInviteLink();
  const problem = copy.error ?? resend.error;
  return (
    <Card flush title="Your invites" beside={<Count of={invites.data} />}>
      <div role="status">
        {resend.isSuccess && <Said>The invitation was sent again.</Said>}
        {copy.isSuccess && <Said>The link has been copied.</Said>}
        {problem && <Said bad>{problem.message}</Said>}
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
        onCancel={props.onCancel}
      />
    </Card>
  );
}

function Said({ bad, children }: { bad?: boolean; children: string }) {
  return (
    <Alert color={bad ? 'red' : 'teal'} variant="light" radius={0} role="presentation">
      {children}
    </Alert>
  );
}

/** How many there are, beside the heading. */
function Count({ of }: { of: readonly unknown[] | undefined }) {
  if (!of || of.length === 0) return null;
  return (
    <Text span c="var(--text-3)" className="number" aria-hidden>
      {of.length}
    </Text>
  );
}

/** Somebody else, and no rank above one's own. */
function isBelow(user: UserRow, by: Profile | null | undefined): boolean {
  if (!by || user.userId === by.userId) return false;
  return user.type !== 'MSP_OWNER' || by.type === 'MSP_OWNER';
}

/** The address names the user being changed, so that a required sign-in leads back to them. */
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
