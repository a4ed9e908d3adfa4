import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { AcmeAccess, AcmeAllowance } from '#contracts/operations/acme.ts';
import { AccessFieldsOf, useAccessForm } from './access-form.tsx';
import { valuesOf } from './form-values.ts';

const limits = { ordersPerMonth: 2, centsPerMonth: null };
const access = {
  ...{ name: 'Web server', customerId: 'c', hosts: null, productType: 'rapidssl' },
  ...{ mayBuy: null, expiresAt: null },
} as AcmeAccess;

function Change(props: { access: AcmeAccess; staff: boolean }) {
  const form = useAccessForm(valuesOf(props.access), props.staff);
  return <AccessFieldsOf form={form} {...props} />;
}

/** The fields of an access that is changed. `allowance`: undefined while it is read. */
function shown(mayBuy: AcmeAccess['mayBuy'], allowance: AcmeAllowance | undefined, staff = false): string {
  const client = new QueryClient();
  client.setQueryData(['acme', 'allowance', 'c'], allowance);
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <Change access={{ ...access, mayBuy }} staff={staff} />
      </MantineProvider>
    </QueryClientProvider>,
  ).replace(/<[^>]+>/g, ' ');
}

const allowed = { mostAccesses: 1, productType: 'rapidssl', product: 'RapidSSL', mayBuy: limits };

test('a customer’s own user can let an access buy again where the provider allows it today', () => {
  expect(shown(null, allowed)).toContain('May buy certificates');
  expect(shown(null, { ...allowed, mayBuy: null })).toContain('buys nothing');
  expect(shown(null, null)).toContain('buys nothing');
  expect(shown(null, undefined)).toContain('buys nothing');
});

test('what an access may buy can be changed or turned off, whatever the provider allows; staff are never held', () => {
  expect(shown(limits, null)).toContain('May buy certificates');
  expect(shown(limits, undefined)).toContain('May buy certificates');
  expect(shown(null, undefined, true)).toContain('May buy certificates');
});
