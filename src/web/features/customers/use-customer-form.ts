import { useForm } from '@mantine/form';
import { type CustomerFormValues, validateForm } from './form-values.ts';

/** The customer form's state: checked on leaving a field and on saving. */
export function useCustomerForm(initial: CustomerFormValues, onDirty?: (dirty: boolean) => void) {
  const form = useForm({
    mode: 'controlled',
    initialValues: initial,
    validate: (values: CustomerFormValues) => validateForm(values),
    validateInputOnBlur: true,
    onValuesChange: () => onDirty?.(form.isDirty()),
  });
  return form;
}

export type CustomerFormState = ReturnType<typeof useCustomerForm>;
