import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { accessBody } from '#contracts/operations/acme.ts';
import { isoDay } from '#contracts/values/format.ts';
import { nearestCents } from '#contracts/values/money.ts';
import { sameInput } from '../../lib/mutation.ts';
import { typedDollars } from '../../lib/typed-dollars.ts';

/** An access as its form holds it. */
export interface AccessValues {
  name: string;
  customerId: string | null;
  reach: 'all' | 'some';
  /** One on each line. */
  hosts: string;
  productType: string | null;
  buys: 'yes' | 'no';
  orders: number | string;
  dollars: number | string;
  /** Empty: it does not end by itself. */
  lastDay: string;
}

/**
 * Where the draft of a new access, or of a change of one, is kept while the person signs in again. `customerId`: the one that a
 * new access begins with.
 */
export const newAccessForm = (customerId: string | null) => `access.new.${customerId ?? ''}`;
export const changeFormOf = ({ id }: Pick<AcmeAccess, 'id'>) => `access.${id}`;

export function newValues(customerId: string | null, mayBuy: boolean): AccessValues {
  return {
    ...{ name: '', customerId, reach: 'all', hosts: '', productType: null },
    ...{ buys: mayBuy ? 'yes' : 'no', orders: 1, dollars: '', lastDay: '' },
  };
}

const dayMs = 86_400_000;

export function valuesOf(access: AcmeAccess): AccessValues {
  const { mayBuy, expiresAt } = access;
  return {
    ...{ name: access.name, customerId: access.customerId, productType: access.productType },
    ...{ reach: access.hosts === null ? 'all' : 'some', hosts: (access.hosts ?? []).join('\n') },
    ...{ buys: mayBuy === null ? 'no' : 'yes', orders: mayBuy?.ordersPerMonth ?? 1 },
    dollars: mayBuy?.centsPerMonth == null ? '' : typedDollars(mayBuy.centsPerMonth),
    // It ends when its last day is over.
    lastDay: expiresAt === null ? '' : isoDay(new Date(Date.parse(expiresAt) - dayMs)),
  };
}

/** What is sent. Fields that a customer's own user does not have are left out. */
export function bodyOf(values: AccessValues, staff: boolean) {
  const hosts = values.hosts.split(/[\s,]+/).filter(Boolean);
  const cents = staff && values.dollars !== '' ? { centsPerMonth: nearestCents(Number(values.dollars)) } : {};
  return {
    name: values.name,
    customerId: values.customerId ?? '',
    hosts: values.reach === 'all' ? null : hosts,
    ...(staff && values.productType !== null ? { productType: values.productType } : {}),
    mayBuy:
      values.buys === 'no'
        ? null
        : { ordersPerMonth: values.orders === '' ? Number.NaN : Number(values.orders), ...cents },
    lastDay: values.lastDay === '' ? null : values.lastDay,
  };
}

/** What is sent of an access that is there: only what was changed, so that what somebody else changed meanwhile stays. */
export function changesOf(values: AccessValues, before: AccessValues, staff: boolean) {
  const { customerId: _customerId, ...now } = bodyOf(values, staff);
  const was: Readonly<Record<string, unknown>> = bodyOf(before, staff);
  const changed = Object.entries(now).filter(([field, value]) => !sameInput(value, was[field]));
  return Object.fromEntries(changed) as Partial<typeof now>;
}

/** Where each part of what is sent is typed. */
const fieldOf: Readonly<Record<string, keyof AccessValues>> = {
  customerId: 'customerId',
  hosts: 'hosts',
  productType: 'productType',
  'mayBuy.ordersPerMonth': 'orders',
  'mayBuy.centsPerMonth': 'dollars',
  lastDay: 'lastDay',
  name: 'name',
};

export function fieldErrors(faults: readonly { path: string; message: string }[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of faults) {
    const field = fieldOf[path] ?? fieldOf[path.split('.')[0] ?? ''];
    if (field) errors[field] ??= message;
  }
  return errors;
}

export function validate(values: AccessValues, staff: boolean): Record<string, string> {
  const errors: Record<string, string> = {};
  if (values.customerId === null) errors.customerId = 'Please choose a customer';
  if (staff && values.productType === null) errors.productType = 'Please choose a certificate';
  if (staff && values.buys === 'yes' && values.dollars === '') errors.dollars = 'Please enter an amount';
  const issues = accessBody.safeParse(bodyOf(values, staff)).error?.issues ?? [];
  const faults = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  return { ...fieldErrors(faults), ...errors };
}
