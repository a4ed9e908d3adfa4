import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { cart, cartNow, newDomainItem } from '../features/orders/cart.ts';
import DomainsScreen from './domains.tsx';

const row = (domain: string, more: object = {}) => ({
  ...{ domain, status: 'available', price: 12.31, premium: false, own: false, ...more },
});
const found = (domain: string, more: object = {}) => ({
  ...row(domain, more),
  reason: null,
  suggestions: [],
});
const [lookup, like] = ['GET /domain/lookup/:address', 'GET /domain/suggestions/:address'];

beforeEach(() => {
  // The previous user leaves nothing behind.
  cart.init(`nobody-${Math.random()}`);
  localStorage.clear();
});
afterEach(() => {
  localStorage.clear();
  cart.init(`nobody-${Math.random()}`);
});

const open = (search: string, answers: Answers = {}) =>
  openScreen(DomainsScreen, {
    ...{ route: '/domains', path: `/domains${search}` },
    answers: { [lookup]: found('a.com'), [like]: [], ...answers },
  });
const card = (name: string) => within(screen.getByRole('region', { name }));
/** How its state is drawn. */
const chip = (name: string, state: string) =>
  card(name).getByText(state).closest<HTMLElement>('.mantine-Badge-root')?.getAttribute('style') ?? '';
const names = () => cartNow().items.map(({ address }) => address);

describe('a name that was searched', () => {
  test('is asked for as it is written at the registry, and can be put into the cart', async () => {
    const { sent, user } = await open('?name=www.A.com');
    expect(sent(lookup)).toMatchObject([{ params: { address: 'a.com' }, query: { suggestions: 'none' } }]);
    expect(chip('a.com', 'Available')).toContain('--badge-color: var(--good)');
    expect(card('a.com').getByText('USD $12.31 per year')).toBeDefined();
    expect(card('a.com').queryByText('Premium')).toBeNull();
    await user.click(card('a.com').getByRole('button', { name: 'Add to cart' }));
    expect(cartNow().items).toEqual([newDomainItem('a.com')]);
    expect(card('a.com').getByRole('button', { name: 'In cart' })).toHaveProperty('disabled', true);
    expect(card('a.com').getByRole('link', { name: 'Go to cart' }).getAttribute('href')).toBe('/cart');
  });

  test('that is in the cart already, of this person and no other, says so', async () => {
    const items = [newDomainItem('a.com')];
    localStorage.setItem(`nameward.cart.${uuid(1)}`, JSON.stringify({ items }));
    localStorage.setItem(`nameward.cart.${uuid(9)}`, JSON.stringify({ items: [newDomainItem('b.com')] }));
    await open('?name=a.com', { [like]: [row('b.com')] });
    expect(card('a.com').getByRole('button', { name: 'In cart' })).toBeDefined();
    expect(card('b.com').getByRole('button', { name: 'Add to cart' })).toBeDefined();
  });

  test('that is taken cannot be put there', async () => {
    await open('?name=a.com', {
      [lookup]: found('a.com', { status: 'taken', price: null }),
    });
    // As a warning.
    expect(chip('a.com', 'Taken')).toContain('--badge-color: var(--warn)');
    expect(card('a.com').getByText('No price at the moment')).toBeDefined();
    expect(card('a.com').getByRole('button', { name: 'Add to cart' })).toHaveProperty('disabled', true);
  });

  test('of your own leads there and is not for sale', async () => {
    await open('?name=a.com', { [lookup]: found('a.com', { status: 'taken', own: true }) });
    expect(card('a.com').getByRole('link', { name: 'Open domain' }).getAttribute('href')).toBe(
      '/domain/a.com',
    );
    expect(card('a.com').queryByRole('button', { name: 'Add to cart' })).toBeNull();
    expect(card('a.com').queryByText(/USD/)).toBeNull();
  });

  test.each([
    ['', 'Search your next domain'],
    ['?name=a.org', 'Only .com domains are supported at the moment.'],
  ])('is not asked for with %j', async (search, text) => {
    const { sent } = await open(search);
    expect(screen.getByText(text)).toBeDefined();
    expect(sent(lookup)).toEqual([]);
  });

  test('that cannot be looked up says why, and is looked up again', async () => {
    const { user, answer } = await open('?name=a.com', {
      [lookup]: refused(502, 'upstream_unavailable', { message: 'The registrar is away' }),
    });
    expect(screen.getByRole('alert').textContent).toContain('The registrar is away');
    answer(lookup, found('a.com'));
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(card('a.com').getByText('Available')).toBeDefined();
  });
});

describe('names like it', () => {
  const others = [
    row('taken.com', { status: 'taken' }),
    ...[row('best.com', { price: 20 }), row('b.com'), row('c.com', { premium: true, price: 99 })],
  ];

  test('come later: the best one first, the others in and out of the cart with a press', async () => {
    const held = new Held();
    const { user, settled } = await open('?name=a.com', { [like]: held });
    expect(screen.getByRole('status', { name: 'Looking for similar names' })).toBeDefined();
    held.give(others);
    await settled();
    expect(card('best.com').getByText('Great Alternative')).toBeDefined();
    await user.click(card('best.com').getByRole('button', { name: 'Add to cart' }));
    expect(names()).toEqual(['best.com']);
    const protect = screen.getByRole('region', { name: 'Protect your name with these domains' });
    const rows = within(protect).getAllByRole('row').slice(1);
    const toggle = (name: string) => within(protect).getByRole('button', { name });
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/b\.com.*USD \$12\.31/s),
      expect.stringMatching(/c\.comPremium.*USD \$99\.00/s),
    ]);
    await user.click(toggle('Add c.com to cart'));
    expect(names()).toEqual(['best.com', 'c.com']);
    await user.click(rows[0] as HTMLElement);
    expect(names()).toEqual(['best.com', 'c.com', 'b.com']);
    expect(toggle('Remove b.com from cart').getAttribute('aria-pressed')).toBe('true');
    await user.click(rows[0] as HTMLElement);
    expect(toggle('Add b.com to cart').getAttribute('aria-pressed')).toBe('false');
    toggle('Add b.com to cart').focus();
    await user.keyboard(' ');
    expect(names()).toEqual(['best.com', 'c.com', 'b.com']);
    await user.click(toggle('Remove c.com from cart'));
    expect(names()).toEqual(['best.com', 'b.com']);
  });

  test('one that was picked takes the first place, and the name that was searched is among the others', async () => {
    await open('?name=a.com&picked=b.com', { [like]: others });
    const regions = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
    expect(regions.slice(0, 2)).toEqual(['b.com', 'a.com']);
    expect(card('a.com').getByText('Great Alternative')).toBeDefined();
  });

  test('a premium one stays one when it is picked', async () => {
    await open('?name=a.com&picked=c.com', { [like]: others });
    expect(card('c.com').getByText('Premium')).toBeDefined();
    expect(card('c.com').getByText('USD $99.00 per year')).toBeDefined();
  });
});
