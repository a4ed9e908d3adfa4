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

const { email: emailRule } = updateCustomerBody.shape.billing.unwrap().shape;

/** What the form sends. Without direct billing nobody can mend the email, so one that is none is left out: the stored one stays. */
export function billingChange({ billDirectly, email: typed, markups }: BillingValues) {
  const email = typed.trim();
  const isSent = billDirectly || emailRule.safeParse(email).success;
  return { billing: { billDirectly, ...(isSent ? { email } : {}) }, markups };
}

/** P1 §5: markups are sent on creation only when direct billing is on; so is the email, which is disabled without. */
export function creationBilling(values: BillingValues) {
  const { billing, markups } = billingChange(values);
  return billing.billDirectly ? { billing, markups } : {};
}

/** The field that shows what a path of the request is about. */
export const billingFieldOf = (path: string): string | null =>
  /^(billing|markups)\./.test(path) ? path.replace(/^billing\./, '') : null;

function validateBilling(values: BillingValues): Record<string, string> {
  const parsed = updateCustomerBody.safeParse(billingChange(values));
  if (parsed.success) return {};
  return Object.fromEntries(
    parsed.error.issues.map(({ path, message }) => [billingFieldOf(path.join('.')) ?? '', message]),
  );
}
