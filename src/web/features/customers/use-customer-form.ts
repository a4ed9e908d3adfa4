import { useForm } from '@mantine/form';
import { type CustomerFormValues, validateForm } from './form-values.ts';

/** The customer form's state: checked on leaving a field and on saving. */
export function useCustomerForm(initialValues: CustomerFormValues) {
  return useForm({
    mode: 'controlled',
    initialValues,
    validate: (values: CustomerFormValues) => validateForm(values),
    validateInputOnBlur: true,
  });
}

export type CustomerFormState = ReturnType<typeof useCustomerForm>;
