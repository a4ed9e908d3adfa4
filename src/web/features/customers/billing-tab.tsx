import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { Customer } from '#contracts/operations/customers.ts';
import { type BillingChip, type ChargesStopped, disputesOf } from '#contracts/values/direct-billing.ts';
import { faultsByField, faultsOfNoField, messageOf, somethingWentWrong } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { Day } from '../../ui/date-time.tsx';
import { onFaults } from '../../ui/first-fault.ts';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { BillingFields } from './billing-fields.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { type BillingValues, billingOf, chipOf, markupPlaces } from './direct-billing.ts';
import { markupText } from './markup-fields.tsx';
import { SaveFailure } from './save-failure.tsx';
import { SetupLink } from './setup-link.tsx';
import { billingChange, billingFieldOf, useBillingForm } from './use-billing-form.ts';
import { useEdit } from './use-edit.ts';

const chipColors: Record<BillingChip, string> = { Active: 'teal', Pending: 'yellow', Disabled: 'gray' };
const formId = 'customer-billing';
const noPaymentId = 'Direct billing is not enabled for this customer.';

/** Billing tab (P1 §2): direct billing, the payment setup link, markups. */
export function BillingTab({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const form = useBillingForm(billingOf(customer));
  const edit = useEdit(customer, form, billing);
  const root = useRef<HTMLFormElement>(null);
  useRefusedFields(form, root, edit.error, (refusal) => faultsByField(refusal, billingFieldOf));
  const { dirty } = edit;
  const values = form.getValues();
  const chip = chipOf(customer);
  return (
    <form ref={root} id={formId} noValidate onSubmit={form.onSubmit((typed) => edit.save(typed), onFaults)}>
      <UnsavedGuard dirty={dirty} question="Leave without saving this customer?" />
      <Card
        title="Direct billing and markups"
        beside={
          <Badge color={chipColors[chip]} variant="light" tt="none" data-chip={chip}>
            {chip}
          </Badge>
        }
      >
        <Stack gap="lg" maw={720}>
          {customer.chargesStopped && (
            <Stopped customer={customer} stopped={customer.chargesStopped} mayAllow={mayEdit} />
          )}
          <BillingFields form={form} mayEdit={mayEdit} mayEditMarkups={mayEdit}>
            {customer.billing.stripeId === null && (
              <Alert color="gray" variant="light" role="alert">
                {noPaymentId}
              </Alert>
            )}
            <SetupLink customer={customer} values={values} dirty={dirty} mayEdit={mayEdit} />
          </BillingFields>
          {edit.error && (
            <SaveFailure
              message={failureText(edit.error)}
              more={faultsOfNoField(edit.error, billingFieldOf)}
            />
          )}
          {edit.differences && (
            <ConflictNotice
              formId={formId}
              saving={edit.saving}
              differences={edit.differences}
              onTakeTheirs={edit.takeTheirs}
            />
          )}
          <Group>
            <Button type="submit" disabled={!mayEdit || edit.saving}>
              {edit.saving ? 'Saving customer...' : 'Save'}
            </Button>
            {edit.saved && (
              <Text role="status" c="dimmed" size="sm">
                Saved.
              </Text>
            )}
          </Group>
        </Stack>
      </Card>
    </form>
  );
}

/** Beside the chip, which says what is set up: that nothing is charged all the same, why, and who can change that. */
function Stopped(props: { customer: Customer; stopped: ChargesStopped; mayAllow: boolean }) {
  const { customer, stopped, mayAllow } = props;
  const name = customer.contacts.owner.organization;
  const title = (
    <>
      Charges have been stopped since <Day at={stopped.since} />
    </>
  );
  return (
    <Alert color="yellow" variant="light" role="status" title={title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {name} disputed {stopped.disputes === 1 ? 'a payment' : `${stopped.disputes} payments`}. Nothing
          more is charged to them until charges are allowed again, or the dispute is won. What you buy or
          renew for them meanwhile stays open.
          {!mayAllow && ' An owner or an administrator can allow charges under Direct billing.'}
        </Text>
        {mayAllow && (
          <Button
            size="xs"
            variant="default"
            component={Link}
            to="/direct-billing"
            search={disputesOf(customer.customerId, stopped) as never}
          >
            {stopped.disputes === 1 ? 'Review dispute' : 'Review disputes'}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** P2 §8: what is said here when the server says nothing. */
function failureText(error: Error): string {
  const told = messageOf(error);
  return told === somethingWentWrong ? 'Something went wrong. Please try again.' : told;
}

const onOff = (value: boolean) => (value ? 'On' : 'Off');

const billing = {
  valuesOf: billingOf,
  changeOf: billingChange,
  fields: [
    {
      label: 'Direct billing',
      text: ({ billDirectly }: BillingValues) => onOff(billDirectly),
      take: (into: BillingValues, { billDirectly }: BillingValues) => ({ ...into, billDirectly }),
    },
    {
      label: 'Billing email',
      text: ({ email }: BillingValues) => email,
      take: (into: BillingValues, { email }: BillingValues) => ({ ...into, email }),
    },
    ...markupPlaces.map(({ group, price, label }) => ({
      label,
      text: ({ markups }: BillingValues) => markupText(markups, group, price),
      take: (into: BillingValues, from: BillingValues) => {
        const prices = { ...into.markups[group], [price]: from.markups[group][price] };
        return { ...into, markups: { ...into.markups, [group]: prices } };
      },
    })),
  ],
};
