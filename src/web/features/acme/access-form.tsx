import { NumberInput, SimpleGrid, Skeleton, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { usdText } from '#contracts/values/format.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { type useAllowance, useMachineProducts } from './api.ts';
import { type AccessValues, validate } from './form-values.ts';
import { pricesUnread } from './texts.ts';

/** `staff`: of the MSP's own people. */
export function useAccessForm(initialValues: AccessValues, staff: boolean) {
  return useForm({ initialValues, validate: (values: AccessValues) => validate(values, staff) });
}
type AccessForm = ReturnType<typeof useAccessForm>;

/** What an access may do: names, product, limits and end. A customer's own user chooses no product and no amount. */
export function AccessFields(props: {
  form: AccessForm;
  /** Of the MSP's own people: product and money are theirs to choose. */
  staff: boolean;
  /** The most that the MSP lets a customer's own users buy; null: nothing. */
  most: { ordersPerMonth: number } | null;
}) {
  const { form, staff } = props;
  const products = useMachineProducts(staff);
  const product = products.data?.find(({ productType }) => productType === form.values.productType);
  return (
    <Stack gap="md">
      <TextInput
        {...form.getInputProps('name')}
        label="Name"
        description="Which machine it is for"
        withAsterisk
        maxLength={60}
        data-autofocus
      />
      <Switch
        label="Only some names"
        description="Otherwise all names of the customer"
        checked={form.values.reach === 'some'}
        onChange={(event) => form.setFieldValue('reach', event.currentTarget.checked ? 'some' : 'all')}
      />
      {form.values.reach === 'some' && (
        <Textarea
          {...form.getInputProps('hosts')}
          label="Allowed names"
          description="One on each line, such as www.example.com or *.example.com"
          withAsterisk
          autosize
          minRows={2}
          maxRows={8}
        />
      )}
      {staff && (
        <LongSelect
          {...form.getInputProps('productType')}
          label="Certificate"
          description={
            products.error
              ? pricesUnread
              : product
                ? `${usdText(product.pricePerYear)} a year${product.wildcard ? ', for wildcards' : ''}`
                : 'Bought when no paid term covers the names'
          }
          withAsterisk
          searchable
          data={(products.data ?? []).map(({ productType, certificate }) => ({
            value: productType,
            label: certificate,
          }))}
        />
      )}
      <BuyFields form={form} staff={staff} mayBuy={staff || props.most !== null} />
      <TextInput
        {...form.getInputProps('lastDay')}
        type="date"
        label="Last day"
        description="Leave empty to keep it until it is revoked"
      />
    </Stack>
  );
}

/** The same of an access that is there. `allowance`: of a customer's own user; null for staff, who are never held. */
export function AccessFieldsOf(props: {
  access: AcmeAccess;
  form: AccessForm;
  allowance: Pick<ReturnType<typeof useAllowance>, 'data' | 'error' | 'refetch'> | null;
}) {
  const { access, form, allowance } = props;
  if (allowance && allowance.data === undefined) {
    if (allowance.error) return <ErrorState error={allowance.error} onRetry={allowance.refetch} />;
    return <Skeleton height={320} role="status" aria-label="Loading what it may do..." />;
  }
  // Somebody who has turned buying off turns it on again here, as far as the provider allows it today.
  const most = allowance?.data?.mayBuy ?? access.mayBuy;
  return <AccessFields form={form} staff={allowance === null} most={most} />;
}

function BuyFields(props: { form: AccessForm; staff: boolean; mayBuy: boolean }) {
  const { form, staff, mayBuy } = props;
  if (!mayBuy) {
    return (
      <Text size="sm" c="dimmed">
        It renews certificates within their paid terms and buys nothing.
      </Text>
    );
  }
  return (
    <>
      <Switch
        label="May buy certificates"
        description="Otherwise it only reissues within paid terms, which is free"
        checked={form.values.buys === 'yes'}
        onChange={(event) => form.setFieldValue('buys', event.currentTarget.checked ? 'yes' : 'no')}
      />
      {form.values.buys === 'yes' && (
        <SimpleGrid cols={{ base: 1, xs: staff ? 2 : 1 }}>
          <NumberInput
            {...form.getInputProps('orders')}
            label="Certificates a month"
            withAsterisk
            min={1}
            allowDecimal={false}
          />
          {staff && (
            <NumberInput
              {...form.getInputProps('dollars')}
              label="Money a month"
              withAsterisk
              prefix="$"
              min={0}
              decimalScale={2}
              thousandSeparator=","
            />
          )}
        </SimpleGrid>
      )}
    </>
  );
}
