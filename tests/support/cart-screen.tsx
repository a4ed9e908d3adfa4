import { useState } from 'react';
import { afterEach, beforeEach } from 'vitest';
import type { PurchaseResult } from '../../src/contracts/operations/orders.ts';
import {
  type CartItem,
  type CertificateItem,
  cart,
  type RenewalItem,
  type SentOrder,
  type TransferItem,
} from '../../src/web/features/orders/cart.ts';
import { keepRefusal } from '../../src/web/features/orders/refusal.ts';
import { followNothing } from '../../src/web/lib/followed-work.ts';
import CartScreen from '../../src/web/screens/cart.tsx';
import { showToast } from '../../src/web/ui/toast-store.ts';
import { Toasts } from '../../src/web/ui/toasts.tsx';
import { type Answers, type Call, type Opened, openScreen, screen, uuid, within } from './screen.tsx';

/** The screen of the cart with two customers, prices for everything and $100. */

export const [acme, zeta, gone] = [uuid(21), uuid(22), uuid(29)];
const percent = (value: number) => ({ type: 'percentage' as const, value });
export const customers = [
  {
    ...{ customerId: acme, organization: 'Acme' },
    markups: {
      domain: { purchase: percent(10), renewal: { type: 'fixed', value: 3 } },
      certificate: { purchase: percent(20), renewal: percent(50) },
    },
  },
  { customerId: zeta, organization: 'Zeta', markups: null },
];
export const product = {
  ...{ provider: 'RapidSSL', certificate: 'RapidSSL Certificate', productType: 'rapidssl' },
  ...{ price: 20, pricePerYear: 20, wildcard: false, businessValidated: false },
};
export const money = { balance: 10_000, pendingBalance: 0, held: 0, spendable: 10_000 };

export const domain = (address: string, more: object = {}) =>
  ({
    ...{ type: 'domain', address, customerId: acme, registration: 1, whois: false, autoRenew: false },
    ...more,
  }) as CartItem;
export const renewal: RenewalItem = {
  ...{ type: 'renewal', address: 'r.com', customerId: acme, registration: 1, autoRenew: true },
  expireDate: '2027-02-03T12:00:00.000Z',
};
export const transfer: TransferItem = {
  ...{ type: 'transfer', address: 't.com', customerId: zeta, registration: 1, autoRenew: true },
  EPPCode: 'Code-1',
};
export const certificate: CertificateItem = {
  ...{ type: 'certificate', address: 'c.com', customerId: acme, provider: 'RapidSSL' },
  ...{ productType: 'rapidssl', csr: 'CSR', csrName: 'c.csr', renews: true },
};

/** What things cost here, in dollars for a year. */
const costs: Record<string, number> = { domain: 12.31, renewal: 13.4, transfer: 9.99, certificate: 20 };
export const price = ({ body }: Call) =>
  (body as { address: string; period: number; kind: string }[]).map(({ address, period, kind }) => ({
    ...{ address, kind, premium: false },
    price: ((costs[kind] ?? 0) * 100 * period) / 100,
  }));
const nothing = { success: [], fail: [] };
export const result = (parts: Partial<PurchaseResult> = {}): PurchaseResult => ({
  ...{ orderId: uuid(41), domains: nothing, renewals: nothing, transfers: nothing },
  ...{ certificates: nothing, pending: [], ...parts },
});
export const bought = (...names: string[]) =>
  result({ domains: { success: names.map((name) => ({ domain: name, price: 12.31 })), fail: [] } });

const person = uuid(1);
const place = `nameward.cart.${person}`;
export const stored = () =>
  JSON.parse(localStorage.getItem(place) ?? '{}') as {
    items: CartItem[];
    idempotencyKey: string | null;
    sent: SentOrder | null;
    running: object[];
  };
export const left = () => stored().items.map(({ type, address }) => `${type} ${address}`);

/** Nothing of the cart is left for the next test, in whatever file. */
export function forgetCarts(): void {
  beforeEach(() => {
    // The previous user leaves nothing behind.
    cart.init(`nobody-${Math.random()}`);
    localStorage.clear();
  });
  afterEach(() => {
    keepRefusal(null);
    showToast(null);
    followNothing();
    localStorage.clear();
    cart.init(`nobody-${Math.random()}`);
  });
}

const read: Answers = {
  'GET /customer/choices': customers,
  'POST /cart/prices': price,
  'GET /account/balancev2': money,
  'GET /ssl/prices': [product],
};
/** What was removed is told by the shell; and screens are left and come back to. */
function Shown() {
  const [visit, setVisit] = useState(1);
  return (
    <>
      <CartScreen key={visit} />
      <Toasts />
      <button type="button" onClick={() => setVisit(visit + 1)}>
        Leave and return
      </button>
    </>
  );
}
export async function openCart(
  items: readonly CartItem[],
  answers: Answers = {},
  {
    role = 'MSP_OWNER',
    kept = {},
  }: { role?: 'MSP_OWNER' | 'MSP_EMPLOYEE' | 'MSP_CUSTOMER'; kept?: object } = {},
) {
  localStorage.setItem(place, JSON.stringify({ items, ...kept }));
  const opened = await openScreen(Shown, { route: '/cart', role, answers: { ...read, ...answers } });
  const orders = () => opened.sent('POST /cart/purchase');
  return { ...opened, orders, buy: () => opened.user.click(button('Finalize Purchase')) };
}
export const button = (name: string | RegExp) => screen.getByRole('button', { name });
export const isDisabled = (name: string) => (button(name) as HTMLButtonElement).disabled;
export const line = (name: string) => within(screen.getByRole('region', { name }));
export const dialog = () => screen.getByRole('dialog');
export const close = ({ user }: Pick<Opened, 'user'>) =>
  user.click(within(dialog()).getByText('Close', { selector: 'button *' }));
/** What a line of the summary says. */
export const sum = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
export const choose = async ({ user }: Pick<Opened, 'user'>, label: string, option: string | RegExp) => {
  const field = screen.getByRole('combobox', { name: label });
  await user.click(field);
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
  await user.click(within(list ?? document.body).getByRole('option', { name: option }));
};
export const hint = () => document.getElementById('purchase-hint')?.textContent;

export function orderOf(state: string) {
  const item = {
    ...{ itemId: uuid(51), kind: 'renewal', address: 'r.com', customerId: acme, customer: 'Acme', period: 1 },
    ...{ price: 13.4, refunded: 0, state, error: null, registrarOrderId: null, orderId: uuid(41) },
    ...{ updatedAt: '2026-11-27T12:00:00Z', nextCheckAt: null },
  };
  return {
    ...{ orderId: uuid(41), state: 'running', total: 13.4, charged: 0, createdAt: '2026-11-27T12:00:00Z' },
    ...{ by: 'Ann', items: [item] },
  };
}
