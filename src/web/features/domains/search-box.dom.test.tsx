import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Suggestion } from '#contracts/operations/domains.ts';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { SearchBox, type Typing } from './search-box.tsx';

const [onAdd, onPick, onIntent] = [vi.fn(), vi.fn(), vi.fn()];
beforeEach(() => {
  for (const told of [onAdd, onPick, onIntent]) told.mockReset();
});
/** What is shown below while somebody types: whether it is there, and for what. */
const whileTyping = ({ first, text, onBuy }: Typing) => (
  <button type="button" onClick={onBuy}>{`${first} ${text}`}</button>
);
const box = { inCart: (name: string) => name === 'acme.com', onAdd, onPick, onIntent, whileTyping };
const Buying = () => <SearchBox buying {...box} />;
const Going = () => <SearchBox buying={false} {...box} />;

const looking = 'GET /domain/lookup/:address';
const likeIt = 'GET /domain/suggestions/:address';
const named = (domain: string, more: Partial<Suggestion> = {}): Suggestion => ({
  ...{ domain, status: 'available', price: 12.5, premium: false, own: false, ...more },
});
const found = { ...named('zeta.com', { status: 'taken', price: null }), reason: null, suggestions: [] };
const like = [
  named('zeta-it.com'),
  named('acme.com'),
  named('zeta1.com', { premium: true, price: 1_250 }),
  named('zetas.com', { status: 'taken', own: true }),
];

async function open(answers: Answers = {}, component = Buying) {
  const opened = await openScreen(component, { answers: { [looking]: found, [likeIt]: like, ...answers } });
  return {
    ...opened,
    /** Types into the field, and presses Enter. */
    search: async (text: string) => {
      await opened.user.clear(field());
      await opened.user.type(field(), `${text}{Enter}`);
    },
    asked: () => opened.sent(looking).map(({ params, query }) => [params.address, query.suggestions]),
  };
}
const field = () => screen.getByRole<HTMLInputElement>('combobox');
const list = () => screen.queryByRole('list', { name: 'Results for zeta.com' });
const rows = () =>
  within(list() ?? document.body)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
const press = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const hint = () => document.getElementById('domain-search-hint')?.textContent;

describe('a search', () => {
  test('asks for the name that was meant, and shows each name with its state and price', async () => {
    const opened = await open();
    await opened.user.type(field(), 'ZeTa');
    expect(field().value).toBe('zeta');
    await opened.user.click(press('Search'));
    expect(opened.asked()).toEqual([['zeta.com', 'none']]);
    expect(opened.sent(likeIt).map(({ params }) => params)).toEqual([{ address: 'zeta.com' }]);
    expect(rows()).toEqual([
      'zeta.comTaken',
      'zeta-it.comAvailableUSD$12.50',
      'acme.comAvailableUSD$12.50',
      'zeta1.comAvailablePremium USD$1,250.00',
      'zetas.comYours',
    ]);
    expect(screen.getByText('5 names found, 3 available, 1 in your cart')).toBeDefined();
  });

  test.each([
    ['zeta.org', 'Only .com domains are supported at the moment.'],
    ['-zeta', 'Only letters, digits and hyphens are allowed, and no hyphen at the beginning or end'],
  ])('of what is no name says why, keeps it, and asks nobody: %s', async (text, message) => {
    const { search, asked, user } = await open();
    await search(text);
    expect([hint(), field().value, field().getAttribute('aria-invalid')]).toEqual([message, text, 'true']);
    expect(asked()).toEqual([]);
    await user.type(field(), 'x');
    expect(hint()).toBe('Only .com domains are available at the moment.');
  });

  test('of nothing is not offered, nor of blanks', async () => {
    const { user } = await open();
    expect(press('Search').disabled).toBe(true);
    await user.type(field(), '   ');
    expect(press('Search').disabled).toBe(true);
    await user.type(field(), 'z');
    expect(press('Search').disabled).toBe(false);
  });

  test('tells the name as soon as it is known, and that names like it are still looked for', async () => {
    const [name, others] = [new Held(), new Held()];
    const { search, settled } = await open({ [looking]: name, [likeIt]: others });
    await search('zeta');
    expect(screen.getByText('Searching zeta.com...')).toBeDefined();
    name.give(found);
    await settled();
    await settled();
    expect(rows()).toEqual(['zeta.comTaken']);
    expect(screen.getByText('Looking for similar names...')).toBeDefined();
    others.give(like);
    await settled();
    await settled();
    expect(rows()).toHaveLength(5);
    expect(screen.queryByText('Looking for similar names...')).toBeNull();
  });

  test.each([
    [
      'failed',
      refused(502, 'upstream_unavailable', { message: 'No answer from there.' }),
      'No answer from there.',
    ],
    ['was not answered', silence, 'Something went wrong'],
  ])('that %s says so, and is made again on request', async (_how, answer, text) => {
    const opened = await open({ [looking]: answer });
    await opened.search('zeta');
    expect(within(screen.getByRole('alert')).getByText(text)).toBeDefined();
    expect([list(), field().value]).toEqual([null, 'zeta']);
    opened.answer(looking, found);
    await opened.user.click(press('Try again'));
    expect(rows()).toHaveLength(5);
    expect(opened.asked()).toHaveLength(2);
  });

  test('is made again each time, because a name may be gone by now', async () => {
    const { search, asked } = await open();
    await search('zeta');
    await search('zeta');
    expect(asked()).toHaveLength(2);
  });
});

describe('a name that was found', () => {
  test('is put into the cart by its icon, and opens by its row', async () => {
    const { search, user } = await open();
    await search('zeta');
    await user.click(press('Add zeta-it.com to cart'));
    expect(onAdd.mock.calls).toEqual([['zeta-it.com']]);
    expect(onPick).not.toHaveBeenCalled();
    await user.click(press(/^zeta1.com/));
    expect(onPick.mock.calls).toEqual([['zeta1.com', 'zeta.com']]);
    expect(list()).toBeNull();
    expect(onAdd).toHaveBeenCalledOnce();
  });

  test('is not offered where it is taken, or in the cart already', async () => {
    const { search, user } = await open();
    await search('zeta');
    for (const name of ['zeta.com', 'zetas.com']) {
      expect(press(`Add ${name} to cart`).disabled).toBe(true);
      await user.click(press(`Add ${name} to cart`));
    }
    expect(screen.queryByRole('button', { name: 'Add acme.com to cart' })).toBeNull();
    expect(screen.getByRole('img', { name: 'acme.com is in your cart' })).toBeDefined();
    // Read out as soon as one is added: who does not see the check mark hears nothing else of it.
    expect(screen.getByText(/names found/).textContent).toMatch(/available, 1 in your cart$/);
    expect(onAdd).not.toHaveBeenCalled();
  });

  test('is reached by the arrows, and the field again from the first', async () => {
    const { search, user } = await open();
    await search('zeta');
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(document.activeElement?.textContent).toMatch(/^zeta-it.com/);
    await user.keyboard('{ArrowUp}{ArrowUp}');
    expect(document.activeElement).toBe(field());
  });

  test('is put into the cart by the keyboard alone, which keeps its place in the list', async () => {
    const { search, user } = await open();
    await search('zeta');
    await user.keyboard('{ArrowDown}{ArrowDown}');
    await user.tab();
    expect(document.activeElement).toBe(press('Add zeta-it.com to cart'));
    await user.keyboard('{Enter}');
    expect(onAdd.mock.calls).toEqual([['zeta-it.com']]);
    expect(document.activeElement).toBe(press(/^zeta-it.com/));
    await user.keyboard('{Escape}');
    expect([list(), document.activeElement]).toEqual([null, field()]);
    await user.keyboard('{Enter}');
    await user.keyboard('{ArrowDown}{Enter}');
    expect(onPick.mock.calls).toEqual([['zeta.com', 'zeta.com']]);
  });
});

describe('the list', () => {
  test.each<[string, (user: Awaited<ReturnType<typeof open>>['user']) => Promise<void>]>([
    ['Escape', (user) => user.keyboard('{Escape}')],
    ['a press elsewhere', (user) => user.click(document.body)],
    ['another letter', (user) => user.type(field(), 'x')],
  ])('goes by %s', async (_how, leave) => {
    const { search, user } = await open();
    await search('zeta');
    expect(list()).not.toBeNull();
    await leave(user);
    expect(list()).toBeNull();
  });

  test('of what can be gone to comes with the second letter, and searches for what was typed', async () => {
    const { user, asked } = await open();
    await user.click(field());
    expect(onIntent).toHaveBeenCalledOnce();
    await user.keyboard('z');
    expect(screen.queryByRole('button', { name: /^buy/ })).toBeNull();
    await user.keyboard('e');
    await user.click(press('buy ze'));
    expect(asked()).toEqual([['ze.com', 'none']]);
    expect(screen.queryByRole('button', { name: /^buy/ })).toBeNull();
  });
});

test('those who may not buy go to things, and search for no name', async () => {
  const { user, asked } = await open({}, Going);
  expect(screen.queryByRole('button', { name: 'Search' })).toBeNull();
  expect(hint()).toBeUndefined();
  await user.type(field(), 'z');
  expect(press('go z')).toBeDefined();
  await user.keyboard('{Enter}');
  expect(asked()).toEqual([]);
});
