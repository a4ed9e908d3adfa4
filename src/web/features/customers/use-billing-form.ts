import { useForm } from '@mantine/form';
import { updateCustomerBody } from '#contracts/operations/customers.ts';
import type { BillingValues } from './direct-billing.ts';

/** The state of direct billing and markups: checked on leaving a field and on saving. */
export function useBillingForm(initialValues: BillingValues) {
  return useForm({
    mode: 'controlled',
    initialValues,
    validate: (values: BillingValues) => validateBilling(values),
    validateInputOnBlur: true,
  });
}
export type BillingForm = ReturnType<typeof useBillingForm>;

/** What the form sends. */
export function billingChange({ billDirectly, email, markups }: BillingValues) {
  return { billing: { billDirectly, email: email.trim() }, markups };
}

/** P1 §5: markups are sent on creation only when direct billing is on; so is the email, which is disabled without. */
export function creationBilling(values: BillingValues) {
  const { billing, markups } = billingChange(values);
  return billing.billDirectly ? { billing, markups } : {};
}

function validateBilling(values: BillingValues): Record<string, string> {
  const parsed = updateCustomerBody.safeParse(billingChange(values));
  if (parsed.success) return {};
  return Object.fromEntries(
    parsed.error.issues.map(({ path, message }) => [path.join('.').replace(/^billing\./, ''), message]),
  );
}
