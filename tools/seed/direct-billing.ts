import { type Seeding, until } from './seeding.ts';

/** Customers who pay for their domains themselves, on top of which the MSP adds its markup. */

interface Billed {
  company: number;
  /** Of purchases and renewals of domains; certificates cost twice as much on top. */
  markup: { type: 'percentage' | 'fixed'; value: number };
  /** The card that the customer stores; none: the link is still in their mailbox. */
  card?: string;
}

/** The half month from which on most of them pay. */
export const billedSince = 4;

const visa = '4242424242424242';
const mastercard = '5555555555554444';
/** Can be stored, and is declined when charged. */
const declinedLater = '4000000000000341';

export const billedLater: readonly Billed[] = [
  { company: 1, markup: { type: 'percentage', value: 35 }, card: visa },
  { company: 3, markup: { type: 'percentage', value: 25 }, card: mastercard },
  { company: 5, markup: { type: 'fixed', value: 6 }, card: visa },
  { company: 6, markup: { type: 'percentage', value: 40 }, card: mastercard },
  { company: 8, markup: { type: 'fixed', value: 4.5 }, card: visa },
  { company: 10, markup: { type: 'percentage', value: 30 }, card: visa },
];
export const billedLast: readonly Billed[] = [
  { company: 9, markup: { type: 'percentage', value: 30 }, card: declinedLater },
  { company: 14, markup: { type: 'fixed', value: 5 } },
];

interface Customer {
  paymentMethodSet: boolean;
  contacts: { owner: { firstName: string; lastName: string; email: string } };
  billing: { stripeId: string | null };
}

export async function startBilling(seeding: Seeding, customers: readonly Billed[]): Promise<void> {
  await Promise.all(customers.map((each) => bill(seeding, each)));
}

async function bill(seeding: Seeding, { company, markup, card }: Billed): Promise<void> {
  const path = `customer/${seeding.customerIds[company]}`;
  const read = () => seeding.call<Customer>('admin', 'GET', path);
  const { owner } = (await read()).contacts;
  const onTop = { type: markup.type, value: markup.value * 2 };
  await seeding.call('admin', 'PATCH', path, {
    billing: { billDirectly: true, email: owner.email, allowChangeBilling: true },
    markups: {
      domain: { purchase: markup, renewal: markup },
      certificate: { purchase: onTop, renewal: onTop },
    },
  });
  await until(
    'the payment provider knows the customer',
    async () => (await read()).billing.stripeId !== null,
  );
  const { billing } = await read();
  await seeding.call('admin', 'GET', `customer/resend-payment-link/${billing.stripeId}`);
  if (!card) return;
  await storeCard(seeding, owner, card);
  await until('the card is stored', async () => (await read()).paymentMethodSet);
}

/** The customer follows the mailed link and fills in the provider's page. */
async function storeCard(
  { portal }: Seeding,
  owner: Customer['contacts']['owner'],
  number: string,
): Promise<void> {
  let token = '';
  await until('the letter with the link', async () => {
    const letters = await portal.control<{ links: string[] }[]>('mail', 'messages', { to: owner.email });
    const link = letters.flatMap(({ links }) => links).find((each) => each.includes('/payment-setup/'));
    token = link?.split('/').at(-1) ?? '';
    return token !== '';
  });
  const { url } = await portal.call<{ url: string }>('', 'POST', `payment-setup/${token}`);
  const form = new URLSearchParams({
    ...{ type: 'card', number, expiry: '12 / 34', cvc: '123' },
    ...{ name: `${owner.firstName} ${owner.lastName}`, email: owner.email },
  });
  const reply = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  if (reply.status >= 400) throw new Error(`The card of ${owner.email} could not be stored: ${reply.status}`);
  await portal.call('', 'GET', `payment-setup/${token}`);
}
