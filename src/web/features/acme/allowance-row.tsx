import { Button, NumberInput, Paper, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { type AcmeAllowance, acmeAllowance, allowanceBody } from '#contracts/operations/acme.ts';
import { nearestCents } from '#contracts/values/money.ts';
import { ApiError } from '../../lib/api-error.ts';
import type { CallBody } from '../../lib/operations.ts';
import { typedDollars } from '../../lib/typed-dollars.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LongSelect } from '../../ui/long-select.tsx';
import { SettingRow, SettingRows } from '../../ui/setting-row.tsx';
import { useAllowance, useMachineProducts, useSetAllowance } from './api.ts';
import { limitsText, pricesUnread } from './texts.ts';

/** Whether a customer's own users may make accesses, and what each of those may have at most. */
export function AllowanceRow({ customerId }: { customerId: string }) {
  const allowance = useAllowance(customerId);
  const [editing, setEditing] = useState(false);
  if (allowance.error && allowance.data === undefined) {
    return <ErrorState error={allowance.error} onRetry={allowance.refetch} />;
  }
  if (allowance.data === undefined) {
    return (
      <div role="status" aria-label="Loading ACME settings...">
        <Skeleton height={60} mb="lg" />
      </div>
    );
  }
  return (
    <Paper withBorder mb="lg">
      <SettingRows>
        <SettingRow
          title="The customer's own users may make ACME accesses"
          meaning={meaningOf(allowance.data)}
          control={
            <Button variant="default" size="xs" onClick={() => setEditing(true)}>
              Change
            </Button>
          }
        />
      </SettingRows>
      {editing && (
        <AllowanceDialog
          customerId={customerId}
          allowance={allowance.data}
          onClose={() => setEditing(false)}
        />
      )}
    </Paper>
  );
}

function meaningOf(allowance: AcmeAllowance): string {
  if (!allowance) return 'No. You make the accesses for their machines.';
  const { mostAccesses, product, mayBuy } = allowance;
  const accesses = mostAccesses === 1 ? 'One access' : `${mostAccesses} accesses`;
  return `${accesses} with ${product}. ${mostAccesses === 1 ? 'It buys' : 'Each buys'}: ${limitsText(mayBuy)}.`;
}

type Body = CallBody<'PUT /acme/allowance/:customerId'>;

interface Values {
  allowed: boolean;
  mostAccesses: number | string;
  productType: string | null;
  buys: boolean;
  orders: number | string;
  dollars: number | string;
}

function valuesOf(allowance: AcmeAllowance): Values {
  const mayBuy = allowance?.mayBuy ?? null;
  return {
    allowed: allowance !== null,
    mostAccesses: allowance?.mostAccesses ?? 1,
    productType: allowance?.productType ?? null,
    buys: mayBuy !== null,
    orders: mayBuy?.ordersPerMonth ?? 1,
    dollars: mayBuy?.centsPerMonth == null ? '' : typedDollars(mayBuy.centsPerMonth),
  };
}

const whole = (value: number | string) => (value === '' ? Number.NaN : Number(value));

function allowanceOf(values: Values): Body['allowance'] {
  if (!values.allowed) return null;
  const centsPerMonth = nearestCents(whole(values.dollars));
  const mayBuy = values.buys ? { ordersPerMonth: whole(values.orders), centsPerMonth } : null;
  const { productType } = values;
  return { mostAccesses: whole(values.mostAccesses), productType: productType ?? '', mayBuy };
}

const bodyOf = (values: Values, shown: AcmeAllowance): Body => ({
  allowance: allowanceOf(values),
  shown: allowanceOf(valuesOf(shown)),
});

/** What somebody else has set meanwhile, where that is why nothing was saved. */
function theirsOf(error: Error | null): { allowance: AcmeAllowance } | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const theirs = acmeAllowance.safeParse(error.data);
  return theirs.success ? { allowance: theirs.data } : null;
}

const fields: Readonly<Record<string, keyof Values>> = {
  'allowance.mostAccesses': 'mostAccesses',
  'allowance.productType': 'productType',
  'allowance.mayBuy.ordersPerMonth': 'orders',
  'allowance.mayBuy.centsPerMonth': 'dollars',
};

function errorsOf(faults: readonly { path: string; message: string }[]): Record<string, string> {
  return Object.fromEntries(
    faults.flatMap(({ path, message }) => (fields[path] ? [[fields[path], message]] : [])),
  );
}

function validate(values: Values): Record<string, string> {
  const issues = allowanceBody.safeParse(bodyOf(values, null)).error?.issues ?? [];
  return {
    ...errorsOf(issues.map(({ path, message }) => ({ path: path.join('.'), message }))),
    ...(values.allowed && values.productType === null ? { productType: 'Please choose a certificate' } : {}),
    ...(values.allowed && values.buys && values.dollars === '' ? { dollars: 'Please enter an amount' } : {}),
  };
}

function AllowanceDialog(props: { customerId: string; allowance: AcmeAllowance; onClose: () => void }) {
  const set = useSetAllowance(props.customerId);
  const products = useMachineProducts(true);
  // What the form began with: a refresh behind the dialog is not what the person looks at.
  const [began] = useState(props.allowance);
  const form = useForm<Values>({ initialValues: valuesOf(began), validate });
  const theirs = theirsOf(set.error);
  // After theirs was shown, saving again saves over it.
  const [shown, setShown] = useState(began);
  const { allowed, buys } = form.values;
  return (
    <FormDialog
      title="Accesses of the customer's own users"
      submitLabel="Save"
      runningLabel="Saving..."
      running={set.isPending}
      error={set.error}
      onClose={props.onClose}
      onSubmit={form.onSubmit((values) =>
        set.mutate(bodyOf(values, shown), {
          onSuccess: props.onClose,
          onError: (error) => {
            if (error instanceof ApiError) form.setErrors(errorsOf(error.details));
            const present = theirsOf(error);
            if (present) setShown(present.allowance);
          },
        }),
      )}
    >
      <Stack gap="md">
        <Switch
          label="They may make accesses"
          checked={allowed}
          onChange={(event) => form.setFieldValue('allowed', event.currentTarget.checked)}
        />
        {allowed && (
          <>
            <NumberInput
              {...form.getInputProps('mostAccesses')}
              label="Accesses at a time"
              withAsterisk
              min={1}
              max={100}
              allowDecimal={false}
            />
            <LongSelect
              {...form.getInputProps('productType')}
              label="Certificate"
              {...(products.error ? { description: pricesUnread } : {})}
              withAsterisk
              searchable
              data={(products.data ?? []).map(({ productType, certificate }) => ({
                value: productType,
                label: certificate,
              }))}
            />
            <Switch
              label="They may buy, paid from your balance"
              checked={buys}
              onChange={(event) => form.setFieldValue('buys', event.currentTarget.checked)}
            />
          </>
        )}
        {allowed && buys && (
          <>
            <NumberInput
              {...form.getInputProps('orders')}
              label="Certificates a month, for each access"
              withAsterisk
              min={1}
              allowDecimal={false}
            />
            <NumberInput
              {...form.getInputProps('dollars')}
              label="Money a month, for each access"
              withAsterisk
              prefix="$"
              min={0}
              decimalScale={2}
              thousandSeparator=","
            />
          </>
        )}
        {theirs && (
          <Text size="sm" role="status">
            It is now: {meaningOf(theirs.allowance)} Save again to replace it.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          A change applies immediately to the accesses they already have. They see how many certificates they
          may have, and no amounts.
        </Text>
      </Stack>
    </FormDialog>
  );
}
