import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mostListedNames } from '#contracts/values/name-list.ts';
import {
  type Answers,
  type Call,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart, cartNow, newDomainItem } from '../features/orders/cart.ts';
import DomainNamesScreen from './domain-names.tsx';

const lookup = 'POST /domain/lookup';
const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];
const state = (domain: string, more: object = {}) => ({
  ...{ domain, status: 'available', price: 12.31, premium: false, own: false, problem: null, ...more },
});
const available = ({ body }: Call) => (body as { names: string[] }).names.map((name) => state(name));

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
  sessionStorage.clear();
});
afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  cart.init(`nobody-${Math.random()}`);
});

/** Screens are left and come back to. */
function Shown() {
  const [visit, setVisit] = useState(1);
  return (
    <>
      <DomainNamesScreen key={visit} />
      <button type="button" onClick={() => setVisit(visit + 1)}>
        Leave and return
      </button>
    </>
  );
}

async function open(answers: Answers = {}) {
  const opened = await openScreen(Shown, {
    route: '/domains/list',
    answers: { 'GET /customer/choices': customers, [lookup]: available, ...answers },
  });
  const { user } = opened;
  return {
    ...opened,
    look: async (text: string) => {
      await user.click(screen.getByLabelText('Names'));
      if (text !== '') await user.paste(text);
      await user.click(screen.getByRole('button', { name: 'Look them up' }));
    },
    asked: () => opened.sent(lookup).map(({ body }) => (body as { names: string[] }).names),
  };
}
const cells = () =>
  within(screen.getByRole('table', { name: 'Names' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );

describe('a list of names', () => {
  test.each([
    ['', 'Please enter names'],
    ['a.org', 'Please enter names'],
    [
      Array.from({ length: mostListedNames + 1 }, (_, n) => `n${n}`).join(' '),
      `A list has at most ${mostListedNames} names`,
    ],
  ])('that is none or too long is not looked up, and its field says why', async (text, message) => {
    const { look, asked, user } = await open();
    await look(text);
    expect(fieldErrors()).toEqual({ Names: message });
    expect(asked()).toEqual([]);
    await user.type(screen.getByLabelText('Names'), ' ');
    expect(fieldErrors()).toEqual({});
  });

  test('is looked up in parts without what is no name, which is said', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `n${n}.com`);
    const { look, asked } = await open();
    await look(`${names.join('\n')}\nbad.org`);
    expect(asked()).toEqual([names.slice(0, 20), names.slice(20)]);
    expect(screen.getByText(/^bad\.org: Only \.com/)).toBeDefined();
    expect(screen.getByRole('button', { name: 'Add 21 to cart ($258.51)' })).toBeDefined();
  });

  test('shows of each what it is and costs, and puts what can be bought into the cart of one customer', async () => {
    const opened = await open({
      [lookup]: [
        state('a.com'),
        state('p.com', { price: 99.5, premium: true }),
        state('t.com', { status: 'taken' }),
        state('o.com', { status: 'taken', own: true, price: null }),
        state('x.com', { status: null, price: null, problem: 'Nobody answered' }),
        state('c.com'),
      ],
    });
    cart.add(newDomainItem('c.com'));
    await opened.look('a p t o x c');
    expect(cells()).toEqual([
      ['a.com', 'Available', '$12.31'],
      ['p.com', 'Available', '$99.50 (premium)'],
      ['t.com', 'Taken', '–'],
      ['o.com', 'In your account', '–'],
      ['x.com', 'Nobody answered', '–'],
      ['c.com', 'In your cart', '$12.31'],
    ]);
    const field = screen.getByRole('combobox', { name: 'Customer' });
    await opened.user.click(field);
    const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
    await opened.user.click(within(list ?? document.body).getByRole('option', { name: 'Zeta' }));
    await opened.user.click(screen.getByRole('button', { name: 'Add 2 to cart ($111.81)' }));
    expect(cartNow().items).toEqual([
      newDomainItem('c.com'),
      { ...newDomainItem('a.com'), customerId: uuid(22) },
      { ...newDomainItem('p.com'), customerId: uuid(22) },
    ]);
    expect(screen.getByRole('link', { name: 'Go to cart' }).getAttribute('href')).toBe('/cart');
    expect(cells()[0]?.[1]).toBe('In your cart');
  });

  test('is looked up once, says how far it is, and nothing is added meanwhile', async () => {
    const held = new Held();
    const { look, asked, user, settled } = await open({ [lookup]: held });
    await look('a b');
    expect(screen.getByText('0 of 2 names looked up')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Looking up...' })).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: /^Add 0 to cart/ })).toHaveProperty('disabled', true);
    await user.type(screen.getByLabelText('Names'), ' ');
    expect(asked()).toHaveLength(1);
    held.give(available);
    await settled();
    expect(screen.queryByText(/names looked up$/)).toBeNull();
    expect(screen.getByRole('button', { name: /^Add 2 to cart/ })).toHaveProperty('disabled', false);
  });

  test('adds nothing of its first part while the next one is looked up', async () => {
    const held = new Held();
    const opened = await open();
    opened.answer(lookup, (call: Call) => {
      opened.answer(lookup, held);
      return available(call);
    });
    await opened.look(Array.from({ length: 21 }, (_, n) => `n${n}`).join(' '));
    expect(screen.getByText('20 of 21 names looked up')).toBeDefined();
    expect(screen.getByRole('button', { name: /^Add 20 to cart/ })).toHaveProperty('disabled', true);
    held.give(available);
    await opened.settled();
    expect(screen.getByRole('button', { name: /^Add 21 to cart/ })).toHaveProperty('disabled', false);
  });

  test.each([
    ['refused', refused(429, 'rate_limited', { message: 'Too many requests' }), 'Too many requests'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, keeps its text, and is looked up again', async (_what, answer, message) => {
    const opened = await open({ [lookup]: answer });
    await opened.look('a b');
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(screen.getByLabelText('Names')).toHaveProperty('value', 'a b');
    opened.answer(lookup, available);
    await opened.look('');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(cells()).toHaveLength(2);
  });

  test('is there again after a reload', async () => {
    const { look, user } = await open();
    await look('a b');
    await user.click(screen.getByRole('button', { name: 'Leave and return' }));
    expect(screen.getByLabelText('Names')).toHaveProperty('value', 'a b');
    expect(screen.queryByRole('table')).toBeNull();
  });

  test('is for a customer who can be chosen once they are read', async () => {
    const { look, user, answer } = await open({ 'GET /customer/choices': silence });
    await look('a');
    answer('GET /customer/choices', customers);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
