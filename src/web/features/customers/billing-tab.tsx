import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { Customer } from '#contracts/operations/customers.ts';
import type { BillingChip } from '#contracts/values/direct-billing.ts';
import { ApiError, messageOf, somethingWentWrong } from '../../lib/api-error.ts';
import { Card } from '../../ui/card.tsx';
import { onFaults } from '../../ui/first-fault.ts';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { BillingFields } from './billing-fields.tsx';
import { ConflictNotice, type Difference } from './conflict-notice.tsx';
import { type BillingValues, billingOf, chipOf, markupPlaces } from './direct-billing.ts';
import { markupText } from './markup-fields.tsx';
import { SaveFailure } from './save-failure.tsx';
import { SetupLink } from './setup-link.tsx';
import { billingChange, useBillingForm } from './use-billing-form.ts';
import { useEdit } from './use-edit.ts';

const chipColors: Record<BillingChip, string> = { Active: 'teal', Pending: 'yellow', Disabled: 'gray' };
const formId = 'customer-billing';
const noPaymentId = 'Direct billing is not enabled for this customer.';

/** Billing tab (P1 §2): direct billing, the payment setup link, markups. */
export function BillingTab({ customer, mayEdit }: { customer: Customer; mayEdit: boolean }) {
  const form = useBillingForm(billingOf(customer));
  const dirty = form.isDirty();
  const edit = useEdit(customer, dirty);
  const restart = (values: BillingValues) => {
    form.setInitialValues(values);
    form.setValues(values);
    form.resetDirty(values);
  };
  // What somebody else saved shows, as long as nothing is typed here.
  const fresh = billingOf(edit.base);
  if (!dirty && JSON.stringify(fresh) !== JSON.stringify(form.getValues())) restart(fresh);
  const save = (values: BillingValues) => edit.save(billingChange(values), () => restart(values));
  const values = form.getValues();
  const chip = chipOf(customer);
  return (
    <form id={formId} noValidate onSubmit={form.onSubmit(save, onFaults)}>
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
              details={edit.error instanceof ApiError ? edit.error.details : undefined}
            />
          )}
          {edit.theirs && (
            <ConflictNotice
              formId={formId}
              saving={edit.saving}
              differences={differencesOf(billingOf(edit.theirs), values)}
              onTakeTheirs={() => {
                if (edit.theirs) restart(billingOf(edit.theirs));
                edit.giveUp();
              }}
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

/** P2 §8: what is said here when the server says nothing. */
function failureText(error: Error): string {
  const told = messageOf(error);
  return told === somethingWentWrong ? 'Something went wrong. Please try again.' : told;
}

function differencesOf(theirs: BillingValues, mine: BillingValues): Difference[] {
  const rows = [
    { label: 'Direct billing', theirs: onOff(theirs.billDirectly), mine: onOff(mine.billDirectly) },
    { label: 'Billing email', theirs: theirs.email, mine: mine.email },
    ...markupPlaces.map(({ group, price, label }) => ({
      label,
      theirs: markupText(theirs.markups, group, price),
      mine: markupText(mine.markups, group, price),
    })),
  ];
  return rows.filter((row) => row.theirs !== row.mine);
}

const onOff = (value: boolean) => (value ? 'On' : 'Off');
