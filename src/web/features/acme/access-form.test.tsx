import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { AcmeAccess, AcmeAllowance } from '#contracts/operations/acme.ts';
import { AccessFieldsOf, useAccessForm } from './access-form.tsx';
import { useAllowance } from './api.ts';
import { valuesOf } from './form-values.ts';

const limits = { ordersPerMonth: 2, centsPerMonth: null };
const access = {
  ...{ name: 'Web server', customerId: 'c', hosts: null, productType: 'rapidssl' },
  ...{ mayBuy: null, expiresAt: null },
} as AcmeAccess;

function Change(props: { access: AcmeAccess; staff: boolean }) {
  const form = useAccessForm(valuesOf(props.access), props.staff);
  const allowance = useAllowance(props.staff ? null : props.access.customerId);
  return <AccessFieldsOf form={form} access={props.access} allowance={props.staff ? null : allowance} />;
}

function Unread() {
  const form = useAccessForm(valuesOf({ ...access, mayBuy: limits }), false);
  const allowance = { data: undefined, error: new Error('No answer'), refetch: vi.fn() };
  return <AccessFieldsOf form={form} access={access} allowance={allowance} />;
}

const markupWithin = (client: QueryClient, child: ReactNode) =>
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>{child}</MantineProvider>
    </QueryClientProvider>,
  );

/** The fields of an access that is changed. `allowance`: undefined while it is read. */
function markup(mayBuy: AcmeAccess['mayBuy'], allowance: AcmeAllowance | undefined, staff = false): string {
  const client = new QueryClient();
  client.setQueryData(['acme', 'allowance', 'c'], allowance);
  return markupWithin(client, <Change access={{ ...access, mayBuy }} staff={staff} />);
}

const shown = (...of: Parameters<typeof markup>) => markup(...of).replace(/<[^>]+>/g, ' ');

const allowed = { mostAccesses: 1, productType: 'rapidssl', product: 'RapidSSL', mayBuy: limits };

test('a customer’s own user can let an access buy again where the provider allows it today', () => {
  expect(shown(null, allowed)).toContain('May buy certificates');
  expect(shown(null, { ...allowed, mayBuy: null })).toContain('buys nothing');
  expect(shown(null, null)).toContain('buys nothing');
});

test('until it is known what the provider allows no field is shown, nor after a failure to read it', () => {
  for (const mayBuy of [null, limits]) {
    expect(markup(mayBuy, undefined)).toContain('Loading what it may do...');
    expect(shown(mayBuy, undefined)).not.toMatch(/buys nothing|May buy|Name/);
  }
  const form = <Unread />;
  expect(markupWithin(new QueryClient(), form)).toMatch(/No answer.*Try again/s);
  expect(markupWithin(new QueryClient(), form)).not.toContain('May buy');
});

test('what an access may buy can be changed or turned off, whatever the provider allows; staff are never held', () => {
  expect(shown(limits, null)).toContain('May buy certificates');
  expect(shown(null, undefined, true)).toContain('May buy certificates');
});
