import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mostMoveLines, moveTextMost } from '#contracts/values/move-lines.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  paged,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { keepNamesToMove, namesToMove } from '../features/moves/names-to-move.ts';
import MovesScreen from './moves.tsx';

const customers = [
  { customerId: uuid(21), organization: 'Acme', markups: null },
  { customerId: uuid(22), organization: 'Zeta', markups: null },
];
const list = {
  ...{ id: uuid(31), customerId: uuid(21), customer: 'Acme', createdAt: '2026-11-20T12:00:00Z', by: 'Ann' },
  counts: { ready: 3, blocked: 1, failed: 1, done: 2 },
};
const create = 'POST /move';

beforeEach(() => sessionStorage.clear());
afterEach(() => sessionStorage.clear());

async function open(answers: Answers = {}, path = '/domain/moves') {
  const opened = await openScreen(MovesScreen, {
    ...{ route: '/domain/moves', path },
    answers: { 'GET /customer/choices': customers, 'GET /move': paged([]), ...answers },
  });
  const { user } = opened;
  return {
    ...opened,
    give: async (customer: string) => {
      const field = screen.getByRole('combobox', { name: 'Customer' });
      await user.click(field);
      const choices = document.getElementById(field.getAttribute('aria-controls') ?? '');
      await user.click(within(choices ?? document.body).getByRole('option', { name: customer }));
    },
    write: async (text: string) => {
      await user.click(textField());
      await user.paste(text);
    },
    send: () => user.click(button('Check the list')),
    bodies: () => opened.sent(create).map(({ body }) => body),
  };
}
const textField = () => screen.getByLabelText('Names with their codes') as HTMLTextAreaElement;
const button = (name: string) => screen.getByRole('button', { name });
const isDisabled = (name: string) => (button(name) as HTMLButtonElement).disabled;

describe('a new list', () => {
  test('is sent as it was pasted for the chosen customer, and leads to what was made', async () => {
    const { give, write, send, bodies, path } = await open({ [create]: { id: uuid(32) } });
    await write('a.com, Code-123\nb.com; Code-456');
    expect(screen.getByText('2 domains')).toBeDefined();
    expect(isDisabled('Check the list')).toBe(true);
    expect(fieldErrors()).toEqual({ Customer: 'Please choose a customer' });
    await give('Zeta');
    expect(fieldErrors()).toEqual({});
    await send();
    expect(bodies()).toEqual([{ customerId: uuid(22), text: 'a.com, Code-123\nb.com; Code-456' }]);
    expect(path()).toBe(`/domain/moves/${uuid(32)}`);
  });

  test('begins with the customer of the address and the names that were chosen elsewhere, once', async () => {
    keepNamesToMove(['a.com', 'b.com']);
    const { send, bodies } = await open({ [create]: { id: uuid(32) } }, `/domain/moves?customer=${uuid(22)}`);
    expect(textField().value).toBe('a.com, \nb.com, ');
    await send();
    expect(bodies()).toEqual([{ customerId: uuid(22), text: 'a.com, \nb.com, ' }]);
    expect(namesToMove()).toBe('');
  });

  test('keeps its names for a reload of the page, and no code', async () => {
    const { write, user, path } = await open({ 'GET /move': paged([list]) });
    await write(
      'a.com, Secret-1\nb.com; Secret-2\nSecret-3 c.com\nSecret-4\n,Secret-5\na.com Secret-6\nd.org\tSecret-7',
    );
    expect(namesToMove()).toBe('a.com, \nb.com, ');
    expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toContain('Secret');
    // Who leaves the list has done with it.
    await user.click(screen.getByRole('link', { name: /Nov 20, 2026/ }));
    await user.click(button('Leave'));
    expect(path()).toBe(`/domain/moves/${uuid(31)}`);
    expect(namesToMove()).toBe('');
  });

  test.each([
    ['nothing', '', 'Please paste names with their codes'],
    ['only a heading', 'domain, code', 'Please paste names with their codes'],
    ['too much text', `a.com, ${'x'.repeat(moveTextMost)}`, 'This is too much text for one list'],
    [
      'too many names',
      Array.from({ length: mostMoveLines + 1 }, (_, n) => `n${n}.com,c`).join('\n'),
      `A list has at most ${mostMoveLines} names; this one has ${mostMoveLines + 1}`,
    ],
  ])('with %s is not sent, and its field says why', async (_what, text, message) => {
    const { give, write, send, bodies } = await open();
    await give('Acme');
    if (text !== '') await write(text);
    await send();
    expect(fieldErrors()).toEqual({ 'Names with their codes': message });
    expect(bodies()).toEqual([]);
  });

  test('tells what is wrong with its lines while it is written', async () => {
    const { write } = await open();
    await write('a.com, Code-123\nb.org, Code-123\nc.com');
    expect(screen.getByText('3 domains, 2 with something wrong')).toBeDefined();
    expect(screen.getByText(/^Line 2: Only \.com/)).toBeDefined();
    expect(screen.getByText('Line 3: Please enter the AuthInfo / EPP code')).toBeDefined();
  });

  test('is read from a file', async () => {
    const { user, settled } = await open();
    const file = new File(['a.com, Code-123'], 'names.csv', { type: 'text/csv' });
    const input = document.querySelector<HTMLInputElement>('input[type="file"]');
    await user.upload(input as HTMLInputElement, file);
    await settled();
    expect(textField().value).toBe('a.com, Code-123');
  });

  test('is not read from a file that is too large for one list, and says so', async () => {
    const { user, settled } = await open();
    const input = document.querySelector<HTMLInputElement>('input[type="file"]') as HTMLInputElement;
    const give = async (size: number) => {
      await user.upload(input, new File(['x'.repeat(size)], 'names.csv', { type: 'text/csv' }));
      await settled();
    };
    await give(moveTextMost * 2 + 1);
    expect(fieldErrors()).toEqual({ 'Names with their codes': 'This file is too large for one list' });
    expect(textField().value).toBe('');
    await give(moveTextMost + 1);
    expect(fieldErrors()).toMatchObject({ 'Names with their codes': 'This is too much text for one list' });
    expect(textField().value).toHaveLength(moveTextMost + 1);
  });

  test('that is refused says why and keeps what was pasted; without an answer the next try is the same one', async () => {
    const { give, write, send, sent, answer, path } = await open({
      [create]: refused(422, 'unprocessable', { message: 'There is no room for more lists.' }),
    });
    await give('Acme');
    await write('a.com, Code-123');
    await send();
    expect(screen.getByRole('alert').textContent).toBe('There is no room for more lists.');
    expect(textField().value).toBe('a.com, Code-123');
    answer(create, silence);
    await send();
    expect(screen.getByRole('alert').textContent).toBe('Something went wrong');
    answer(create, { id: uuid(32) });
    await send();
    const [first, second, third] = sent(create).map(({ key }) => key);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(third).not.toBeNull();
    expect(path()).toBe(`/domain/moves/${uuid(32)}`);
  });

  test('is sent once, and says that it is under way', async () => {
    const held = new Held();
    const { give, write, bodies, settled, user } = await open({ [create]: held });
    await give('Acme');
    await write('a.com, Code-123');
    await user.dblClick(button('Check the list'));
    expect(isDisabled('Sending...')).toBe(true);
    await user.click(button('Sending...'));
    expect(bodies()).toHaveLength(1);
    held.give({ id: uuid(32) });
    await settled();
  });

  test('without customers asks for one', async () => {
    await open({ 'GET /customer/choices': [] });
    expect(screen.getByText(/^You have no customer yet who can own these domains\./)).toBeDefined();
    expect(isDisabled('Check the list')).toBe(true);
  });

  test('is not left with what was pasted unless that is confirmed', async () => {
    const { write, user, path } = await open({ 'GET /move': paged([list]) });
    await write('a.com, Code-123');
    await user.click(screen.getByRole('link', { name: /Nov 20, 2026/ }));
    expect(screen.getByRole('dialog', { name: 'Leave without checking this list?' })).toBeDefined();
    await user.click(button('Stay'));
    expect(path()).toBe('/domain/moves');
    expect(textField().value).toBe('a.com, Code-123');
  });
});

describe('the lists', () => {
  test('are shown with their customer, what they need and who acted, and lead to each', async () => {
    const { sent } = await open({ 'GET /move': paged([list]) });
    expect(sent('GET /move')[0]?.query).toMatchObject({ sort: '-createdAt', page: '1' });
    const row = screen.getByRole('row', { name: /Acme/ });
    expect(row.textContent).toContain('3 ready · 2 need you · 2 done');
    expect(row.textContent).toContain('Ann');
    expect(within(row).getByRole('link').getAttribute('href')).toBe(`/domain/moves/${uuid(31)}`);
  });

  test.each([
    ['', 'No lists yet'],
    ['?search=zeta.com', 'No lists with this domain'],
  ])('that are empty with %j say "%s"', async (search, text) => {
    const { sent } = await open({}, `/domain/moves${search}`);
    expect(screen.getByText(text)).toBeDefined();
    expect(sent('GET /move')[0]?.query.search).toBe(search === '' ? undefined : 'zeta.com');
  });

  test('that cannot be read are read again', async () => {
    const { user, answer } = await open({ 'GET /move': refused(500, 'internal', { message: 'Broken' }) });
    expect(screen.getByText('Broken')).toBeDefined();
    answer('GET /move', paged([list]));
    await user.click(button('Try again'));
    expect(screen.getByRole('row', { name: /Acme/ })).toBeDefined();
  });
});
