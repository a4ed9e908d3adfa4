import { Anchor, Button, List, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ClosingReason, reasonText } from '#contracts/values/closing.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { useSession } from '../../lib/session.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { useMay, useProfile } from './api.ts';
import { reasonsOf, useCancelTopUps, useCloseOrganization } from './closing-api.ts';

/** Where each reason is dealt with. */
const places: Record<ClosingReason, string> = {
  users: '/users',
  invitations: '/users',
  customers: '/customers',
  imports: '/customers',
  domains: '/domain/list',
  orders: '/orders',
  certificates: '/certificates',
  balance: '/account/statement',
  reserved: '/orders',
  pending: '/account',
  topups: '/account',
  charges: '/direct-billing',
  refunds: '/direct-billing',
};

/** A quiet button and its question. `at`: the screen's own path, to which a sign-in leads back. Nothing for those who may not. */
export function CloseOrganization({ at }: { at: '/account/profile' | '/onboarding' }) {
  const profile = useProfile();
  const may = useMay('organisation.close');
  const session = useSession();
  const navigate = useNavigate();
  const { invite } = useSearch({ strict: false });
  const [asked, setAsked] = useState(false);
  const close = useCloseOrganization(async () => {
    if (invite) await navigate({ to: '/invite/$inviteId', params: { inviteId: invite } });
  });
  const cancel = useCancelTopUps();
  const stale = needsFreshSignIn(close.error);
  const inUse = reasonsOf(close.error);
  const end = () => {
    setAsked(false);
    close.reset();
    cancel.reset();
  };
  if (!may || !profile.data) return null;
  const { organization } = profile.data;
  const returnPath = invite ? `${at}?invite=${encodeURIComponent(invite)}` : at;
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setAsked(true)}
      >
        Close organization
      </Button>
      <ConfirmDialog
        opened={asked}
        title="Close organization"
        confirmLabel="Close organization"
        runningLabel="Closing..."
        running={close.isPending || cancel.isPending}
        error={stale || inUse ? cancel.error : (close.error ?? cancel.error)}
        danger
        onClose={end}
        onConfirm={() => close.mutate()}
      >
        <Stack gap="xs">
          <Text style={{ overflowWrap: 'anywhere' }}>
            {organization} will be closed, and you will belong to no organization. This cannot be undone.
          </Text>
          <Text size="sm">
            API tokens, watched domains and auto balance end with it. Statements, receipts and the audit log
            stay with the portal, because the law and the books need them; export what you want to keep
            before. Your payment account at the payment provider stays yours.
          </Text>
          {inUse && (
            <div role="alert">
              <Text size="sm" fw={600}>
                It cannot be closed while it has:
              </Text>
              <List size="sm">
                {inUse.reasons.map(({ reason, count }) => (
                  <List.Item key={reason}>
                    <Anchor component={Link} to={places[reason]} inherit>
                      {reasonText({ reason, count })}
                    </Anchor>
                  </List.Item>
                ))}
              </List>
            </div>
          )}
          {inUse && inUse.topUpIds.length > 0 && (
            <Button
              variant="default"
              size="xs"
              style={{ alignSelf: 'flex-start' }}
              disabled={cancel.isPending}
              onClick={() => cancel.mutate(inUse.topUpIds, { onSuccess: () => close.reset() })}
            >
              Cancel unpaid top-ups
            </Button>
          )}
          {cancel.isSuccess && !inUse && (
            <Text size="sm" role="status">
              Unpaid top-ups were cancelled.
            </Text>
          )}
          {stale && (
            <FreshSignIn
              what="close the organization"
              onSignIn={() => void session.signIn({ fresh: true, returnPath })}
            />
          )}
        </Stack>
      </ConfirmDialog>
    </>
  );
}
