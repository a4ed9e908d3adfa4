import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ErasurePlan } from '#contracts/operations/privacy.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useEraseCustomer, useErasurePlan } from './api.ts';

const title = 'Erase personal data';

export interface EraseCustomerProps {
  customerId: string;
  organization: string;
  onErased: () => void;
  onSignInAgain: () => void;
}

/** The button, and the question that says what goes, what stays and why; or what is in the way. */
export function EraseCustomer(props: EraseCustomerProps) {
  const [opened, setOpened] = useState(false);
  const plan = useErasurePlan(props.customerId, opened);
  const erase = useEraseCustomer();
  const close = () => {
    setOpened(false);
    erase.reset();
  };
  const stale = needsFreshSignIn(erase.error);
  const ready = plan.data !== undefined && plan.data.blockers.length === 0;
  return (
    <>
      <Button color="red" variant="outline" onClick={() => setOpened(true)}>
        {title}
      </Button>
      <Dialog opened={opened && !ready} onClose={close} title={title} centered>
        <Stack>
          <div aria-live="polite">
            {plan.isPending && <Text>Checking for anything still open...</Text>}
            {plan.error && <Text c="var(--bad)">{plan.error.message}</Text>}
            {plan.data && <Blockers plan={plan.data} />}
          </div>
          <Group justify="flex-end">
            {plan.error && <Button onClick={() => void plan.refetch()}>Try again</Button>}
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
          </Group>
        </Stack>
      </Dialog>
      <ConfirmDialog
        opened={opened && ready}
        title={title}
        confirmLabel={stale ? 'Sign in again' : 'Erase for good'}
        runningLabel="Erasing..."
        running={erase.isPending}
        error={erase.error}
        danger={!stale}
        onClose={close}
        onConfirm={() => {
          if (stale) props.onSignInAgain();
          else erase.mutate(props.customerId, { onSuccess: props.onErased });
        }}
      >
        {plan.data && <Consequences organization={props.organization} plan={plan.data} />}
      </ConfirmDialog>
    </>
  );
}

/** Of a long list, so that the dialog can be read. */
const mostShown = 10;

function Blockers({ plan }: { plan: ErasurePlan }) {
  const more = plan.blockers.length - mostShown;
  return (
    <>
      <Text mb="xs">This customer cannot be erased yet. End these first:</Text>
      <List size="sm">
        {plan.blockers.slice(0, mostShown).map((one) => (
          <List.Item key={`${one.kind} ${one.subject}`} style={{ overflowWrap: 'anywhere' }}>
            {one.text}
          </List.Item>
        ))}
        {more > 0 && <List.Item>and {more} more</List.Item>}
      </List>
    </>
  );
}

function Consequences({ organization, plan }: { organization: string; plan: ErasurePlan }) {
  return (
    <Stack gap="xs">
      <Text style={{ overflowWrap: 'anywhere' }}>
        {organization} will be deleted. Its contacts, names, email addresses, phone numbers and postal
        addresses will be erased everywhere in the portal. {plan.people > 0 && peopleText} This cannot be
        undone.
      </Text>
      <Text fw={600}>What is kept, and why</Text>
      <List size="sm">
        {plan.orders > 0 && (
          <List.Item>
            Amounts, dates and names of domains of {counted(plan.orders, 'order')}, because bookkeeping needs
            them.
          </List.Item>
        )}
        {plan.held.slice(0, mostShown).map((one) => (
          <List.Item key={`${one.address} ${one.endedAt}`} style={{ overflowWrap: 'anywhere' }}>
            Registrant data of {one.address}, encrypted, until <DateTime at={one.deleteAfter} />: registries
            need it for transfer disputes for 15 months after a registration ends.
          </List.Item>
        ))}
        {plan.held.length > mostShown && (
          <List.Item>
            Registrant data of {plan.held.length - mostShown} more domains, in the same way.
          </List.Item>
        )}
        <List.Item>The audit log, without the details of these people.</List.Item>
        {plan.paymentCustomer && (
          <List.Item style={{ overflowWrap: 'anywhere' }}>
            The record {plan.paymentCustomer} at your payment provider: please delete it there.
          </List.Item>
        )}
      </List>
    </Stack>
  );
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const peopleText = 'Its own users lose their sign-ins and invitations.';
