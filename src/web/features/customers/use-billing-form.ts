import { useForm } from '@mantine/form';
import { type Customer, updateCustomerBody } from '#contracts/operations/customers.ts';
import { type BillingValues, billingOf } from './direct-billing.ts';

/** The billing tab's state: checked on leaving a field and on saving. */
export function useBillingForm(customer: Customer) {
  return useForm({
    mode: 'controlled',
    initialValues: billingOf(customer),
    validate: (values: BillingValues) => validateBilling(values),
    validateInputOnBlur: true,
  });
}
export type BillingForm = ReturnType<typeof useBillingForm>;

/** What the form sends. */
export function billingChange({ billDirectly, email, markups }: BillingValues) {
  return { billing: { billDirectly, email: email.trim() }, markups };
}

function validateBilling(values: BillingValues): Record<string, string> {
  const parsed = updateCustomerBody.safeParse(billingChange(values));
  if (parsed.success) return {};
  return Object.fromEntries(
    parsed.error.issues.map(({ path, message }) => [path.join('.').replace(/^billing\./, ''), message]),
  );
}
