import { Anchor, Button, List, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ClosingReason, reasonText } from '#contracts/values/closing.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { usePublicConfig, useSession } from '../../lib/session.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { useMay, useProfile } from './api.ts';
import { cancelledText, reasonsOf, useCancelTopUps, useCloseOrganization } from './closing-api.ts';
import { isOpen, requiredStep } from './guard.tsx';

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

/** Takes the focus as it comes: the button that it answers has gone, and the focus would fall out of the dialog. */
const focus = (text: HTMLElement | null) => text?.focus();

/** A quiet button and its question. `at`: the screen's own path, to which a sign-in leads back. Nothing for those who may not. */
export function CloseOrganization({ at }: { at: '/account/profile' | '/onboarding' }) {
  const profile = useProfile();
  const may = useMay('organisation.close');
  const session = useSession();
  const { paymentAccountRequired } = usePublicConfig();
  const navigate = useNavigate();
  const { invite } = useSearch({ strict: false });
  const [asked, setAsked] = useState(false);
  const close = useCloseOrganization(profile.data?.organization, async () => {
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
  // Before all steps are done most screens lead back to them.
  const step = requiredStep(profile.data, paymentAccountRequired);
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
        runningLabel={cancel.isPending ? 'Cancelling the top-ups...' : 'Closing...'}
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
            stay with the portal, because the law and the books need them. Export what you want to keep first.
            Your payment account at the payment provider stays yours.
          </Text>
          {inUse && (
            <div role="alert">
              <Text size="sm" fw={600}>
                It cannot be closed while it has:
              </Text>
              <List size="sm">
                {inUse.reasons.map(({ reason, count }) => (
                  <List.Item key={reason}>
                    {isOpen(step, places[reason]) ? (
                      <Anchor component={Link} to={places[reason]} inherit>
                        {reasonText({ reason, count })}
                      </Anchor>
                    ) : (
                      reasonText({ reason, count })
                    )}
                  </List.Item>
                ))}
              </List>
            </div>
          )}
          {inUse?.reasons.some(({ reason, count }) => reason === 'balance' && count > 0) && (
            <Text size="sm">The balance is paid back by the portal’s support. Ask them, then close.</Text>
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
            <Text ref={focus} size="sm" role="status" tabIndex={-1}>
              {cancelledText(cancel.data)}
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
