import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MarkupFields } from './markup-fields.tsx';
import type { BillingForm } from './use-billing-form.ts';

/** Direct billing, its email and the markups, for a customer that there is and for a new one (P1 §2). */
export function BillingFields(props: {
  form: BillingForm;
  mayEdit: boolean;
  mayEditMarkups: boolean;
  /** Between the email and the markups. */
  children?: ReactNode;
}) {
  const { form, mayEdit } = props;
  return (
    <>
      <Checkbox
        {...form.getInputProps('billDirectly', { type: 'checkbox' })}
        label="Enable direct billing"
        // The library marks text fields alone.
        aria-invalid={Boolean(form.errors.billDirectly) || undefined}
        description="The customer is invited to set up their own payment sub-account."
        disabled={!mayEdit}
      />
      <TextInput
        {...form.getInputProps('email')}
        label="Billing email"
        type="email"
        autoComplete="off"
        description="This email need not equal the domain billing contact email."
        disabled={!mayEdit || !form.getValues().billDirectly}
        data-path="billing.email"
        maw={420}
      />
      {props.children}
      <MarkupFields form={form} disabled={!props.mayEditMarkups} />
    </>
  );
}
