import { describe, expect, test } from 'vitest';
import { AppError } from '#contracts/errors.ts';
import type { Customer } from '#contracts/operations/customers.ts';
import type { Contacts } from '#contracts/values/contact.ts';
import { noMarkups } from '#contracts/values/money.ts';
import { rightsOfRole, type Scope, wholeOrganisation } from '#kernel/scope.ts';
import type { CustomerState } from './customers.repo.ts';
import { refusalsOfRow, requireRight, visibleChoice, visibleRow, visibleTo } from './rights.rules.ts';

const person = { organisationId: 'org', userId: 'u', email: 'u@msp.test', rights: rightsOfRole };
const origin = { ip: null, requestId: 'test' };
const staff = (role: 'MSP_OWNER' | 'MSP_ADMIN' | 'MSP_EMPLOYEE'): Scope =>
  ({ ...person, ...origin, role, reach: wholeOrganisation }) as Scope;
const ofCustomer = {
  ...{ ...person, ...origin, role: 'MSP_CUSTOMER' },
  reach: { kind: 'customers', ids: ['cus'] },
} as Scope;

const contacts = { owner: { name: 'Ada' } } as unknown as Contacts;
const state: CustomerState = {
  contacts,
  billing: { billDirectly: true, email: 'pay@acme.test', allowChangeBilling: true },
  markups: { ...noMarkups, domain: { ...noMarkups.domain, purchase: { type: 'percentage', value: 10 } } },
  allowDomainSettings: false,
};
const changes = {
  contacts: { ...state, contacts: { owner: { name: 'Eve' } } as unknown as Contacts },
  billing: { ...state, billing: { ...state.billing, email: '' } },
  markups: { ...state, markups: noMarkups },
  allowDomainSettings: { ...state, allowDomainSettings: true },
} satisfies Record<string, CustomerState>;
type Part = keyof typeof changes;

function refusedParts(scope: Scope): Part[] {
  return (Object.keys(changes) as Part[]).filter((part) => {
    try {
      requireRight(scope, state, changes[part]);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden' });
      return true;
    }
  });
}

describe('the parts of a customer', () => {
  test('owners and administrators change all of them', () => {
    expect(refusedParts(staff('MSP_OWNER'))).toEqual([]);
    expect(refusedParts(staff('MSP_ADMIN'))).toEqual([]);
  });

  test('employees change neither billing nor markups', () => {
    expect(refusedParts(staff('MSP_EMPLOYEE'))).toEqual(['billing', 'markups']);
  });

  test('a customer’s own users change contacts only', () => {
    expect(refusedParts(ofCustomer)).toEqual(['billing', 'markups', 'allowDomainSettings']);
  });

  test('are sent back unchanged by anybody', () => {
    for (const scope of [staff('MSP_EMPLOYEE'), ofCustomer]) {
      expect(() => requireRight(scope, state, structuredClone(state))).not.toThrow();
    }
  });

  test('are named leaf by leaf where they are refused, with the words for the person', () => {
    const refusal = (scope: Scope) => {
      try {
        requireRight(scope, state, { ...changes.billing, markups: noMarkups });
      } catch (error) {
        return error as AppError;
      }
      throw new AppError('unprocessable');
    };
    const { details, message } = refusal(staff('MSP_EMPLOYEE'));
    expect(details?.map(({ path }) => path)).toEqual(['billing.email', 'markups.domain.purchase.value']);
    expect(message).toBe('Only owners and administrators change direct billing and markups.');
    expect(refusal(ofCustomer).message).toBe('Only your provider can change this.');
  });
});

test('a customer’s own users see neither markups nor payment, and staff see all', () => {
  const customer = {
    ...{ customerId: 'cus', ...state, billing: { ...state.billing, stripeId: 'cus_1' } },
    paymentMethodSet: true,
    chargesStopped: { since: '2026-11-29T12:00:00.000Z', disputes: 1, chargeId: null },
  } as unknown as Customer;
  expect(visibleTo(staff('MSP_EMPLOYEE'), customer)).toBe(customer);
  expect(visibleTo(ofCustomer, customer)).toEqual({
    ...customer,
    billing: { billDirectly: false, email: '', stripeId: null, allowChangeBilling: false },
    markups: noMarkups,
    paymentMethodSet: false,
    chargesStopped: null,
  });
  const chargesStopped = { since: '2026-11-29T12:00:00.000Z', disputes: 1, chargeId: null };
  const choice = { customerId: 'cus', organization: 'Acme', markups: noMarkups, chargesStopped };
  expect(visibleChoice(staff('MSP_EMPLOYEE'), choice)).toEqual(choice);
  expect(visibleChoice(ofCustomer, choice)).toEqual({
    ...{ customerId: 'cus', organization: 'Acme', markups: null },
  });
});

describe('a script that was given leave to add customers alone', () => {
  const script: Scope = {
    ...staff('MSP_OWNER'),
    rights: { kind: 'named', permissions: ['customers.create'] },
  };

  test('adds one by a row of a file, and changes none', () => {
    const plain = { ...state, billing: { ...state.billing, billDirectly: false, allowChangeBilling: false } };
    const added = { ...plain, billing: { ...plain.billing, email: '' }, markups: noMarkups };
    expect(refusalsOfRow(script, null, added)).toEqual([]);
    expect(refusalsOfRow(script, state, state)).toEqual([]);
    expect(refusalsOfRow(script, state, changes.contacts)).toEqual([
      { path: 'contacts.owner.name', message: 'You can add customers, but not change existing ones' },
    ]);
    expect(refusalsOfRow(staff('MSP_EMPLOYEE'), state, changes.contacts)).toEqual([]);
    const floor = { owner: { name: 'Ada', address2: 'Floor 2' } } as unknown as Contacts;
    expect(refusalsOfRow(script, { ...state, contacts: floor }, state)).toMatchObject([
      { path: 'contacts.owner.address2' },
    ]);
  });

  test('is told cell by cell what a row for a new customer says beyond what it may', () => {
    expect(refusalsOfRow(script, null, { ...state, markups: noMarkups })).toEqual(
      ['billing.billDirectly', 'billing.email', 'billing.allowChangeBilling'].map((path) => ({
        path,
        message: 'Only owners and administrators change direct billing and markups',
      })),
    );
  });

  test('a fault of the program is no refusal of a row', () => {
    const broken = { ...script, rights: null } as unknown as Scope;
    expect(() => refusalsOfRow(broken, null, state)).toThrow(TypeError);
  });

  test('does not see what a row changes', () => {
    const row = {
      ...{ row: 2, kind: 'changed' as const, organization: 'Acme', customerId: null, faults: [] },
      changes: [{ field: 'contacts.owner.city', before: 'Oslo', after: 'Rome' }],
    };
    expect(visibleRow(staff('MSP_EMPLOYEE'), row)).toBe(row);
    expect(visibleRow(script, row).changes).toEqual([{ ...row.changes[0], before: '' }]);
  });
});
