import { Button, Paper, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { noMarkups } from '#contracts/values/money.ts';
import { faultsByField } from '../../lib/api-error.ts';
import { useRefusedFields } from '../../ui/refused-fields.ts';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { AddBilling } from './add-billing.tsx';
import { useCreateCustomer } from './api.ts';
import { CustomerForm } from './customer-form.tsx';
import { type CustomerFormValues, contactsOf, emptyForm } from './form-values.ts';
import { billingFieldOf, creationBilling, useBillingForm } from './use-billing-form.ts';
import { useCustomerForm } from './use-customer-form.ts';

const billingFaults = (refusal: Error) => faultsByField(refusal, billingFieldOf);

/** The add form (P1 §2): contacts and, for users with the permission, direct billing with markups. */
export function AddCustomer({ mayBill, onDone }: { mayBill: boolean; onDone: () => void }) {
  const create = useCreateCustomer();
  const root = useRef<HTMLDivElement>(null);
  const form = useCustomerForm(emptyForm());
  const billing = useBillingForm({ billDirectly: false, email: '', markups: noMarkups });
  const [open, setOpen] = useState(false);
  const { error } = create;
  useRefusedFields(billing, root, error, billingFaults);

  function save(values: CustomerFormValues) {
    // What is switched off is not sent.
    if (billing.getValues().billDirectly && billing.validate().hasErrors) {
      setOpen(true);
      // Only what is unfolded can take the focus.
      requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    const body = { contacts: contactsOf(values), ...creationBilling(billing.getValues()) };
    create.mutate(body, {
      onSuccess: onDone,
      // Only what is unfolded can take the focus.
      onError: (refusal) => Object.keys(billingFaults(refusal)).length > 0 && setOpen(true),
    });
  }
  const unsaved = (form.isDirty() || billing.isDirty()) && !create.isSuccess;
  return (
    <Paper ref={root} withBorder p="lg" mb="xl" component="section" aria-label="Add Customer">
      <Title order={2} size="h3" mb="md">
        Add Customer
      </Title>
      <UnsavedGuard dirty={unsaved} question="Leave without saving this customer?" />
      <CustomerForm
        form={form}
        saving={create.isPending}
        error={error}
        onSave={save}
        more={mayBill && <AddBilling form={billing} open={open} onOpen={setOpen} />}
        moreFieldOf={billingFieldOf}
        cancel={
          <Button component={Link} to="/customers" variant="default">
            Cancel
          </Button>
        }
      />
    </Paper>
  );
}
