import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  type Opened,
  openScreen,
  profileOf,
  refused,
  screen,
  silence,
} from '../../../../tests/support/screen.tsx';
import { AutoBalance } from './auto-balance.tsx';

const accountOf = (autoBalance: { active: boolean; amount: number; mark: number }) => ({
  ...profileOf('MSP_OWNER', { autoBalance }),
  ...{ balance: 0, pendingBalance: 0, hasPaymentMethod: true },
});
const off = accountOf({ active: false, amount: 100_00, mark: 10_00 });
const on = accountOf({ active: true, amount: 200_00, mark: 50_00 });
const set = 'POST /account/auto-balance';
const read = 'GET /account';

const open = (account: typeof off, answers: Answers = {}) =>
  openScreen(AutoBalance, { answers: { [read]: account, [set]: {}, ...answers } });
const button = (name: string) => screen.getByRole('button', { name });
const amount = () => screen.getByLabelText('Reload Amount');
const mark = () => screen.getByLabelText('When Balance is Below');
const bodies = ({ sent }: Opened) => sent(set).map(({ body }) => body);

async function type({ user }: Opened, field: HTMLElement, typed: string) {
  await user.clear(field);
  if (typed) await user.type(field, typed);
}

describe('automatic top-ups', () => {
  test('that are off show the sums that would be, and are turned on with those of the fields, in cents', async () => {
    const there = await open(off);
    expect(screen.getByText('Off')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
    expect([amount(), mark()]).toMatchObject([{ value: '$100' }, { value: '$10' }]);
    await type(there, amount(), '99.99');
    expect(button('Enable')).toHaveProperty('disabled', true);
    await type(there, amount(), '250.50');
    await type(there, mark(), '20.25');
    expect(document.body.textContent).toContain('falls below $20.25, it is reloaded with $250.50');
    there.answer(read, accountOf({ active: true, amount: 250_50, mark: 20_25 }));
    await there.user.click(button('Enable'));
    expect(bodies(there)).toEqual([{ enabled: true, amount: 250_50, mark: 20_25 }]);
    expect(screen.getByText('On')).toBeDefined();
    expect(button('Update')).toHaveProperty('disabled', false);
  });

  test('that are on are changed with both sums, also with the one that was not touched', async () => {
    const there = await open(on);
    expect(amount()).toHaveProperty('value', '$200');
    expect(mark()).toHaveProperty('value', '$50');
    await type(there, mark(), '60');
    await there.user.click(button('Update'));
    expect(bodies(there)).toEqual([{ enabled: true, amount: 200_00, mark: 60_00 }]);
  });

  test.each([
    ['amount', { amount: 300_00, mark: 50_00 }, ['$300', '$50']],
    ['mark', { amount: 200_00, mark: 70_00 }, ['$200', '$70']],
  ])(
    'that a colleague has given another %s meanwhile shows it once the account is read again',
    async (_what, stored, shown) => {
      const there = await open(on);
      there.answer(read, accountOf({ active: true, ...stored }));
      await there.user.click(button('Update'));
      expect([amount(), mark()].map((field) => (field as HTMLInputElement).value)).toEqual(shown);
    },
  );

  test('are turned off without a sum, and say so once it is done', async () => {
    const there = await open(on);
    there.answer(read, accountOf({ active: false, amount: 200_00, mark: 50_00 }));
    await there.user.click(button('Disable'));
    expect(bodies(there)).toEqual([{ enabled: false }]);
    expect(screen.getByText('Off')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
  });

  test.each([
    ['Reload Amount', amount, '99.99', '100', 'Minimum of $100'],
    ['Reload Amount', amount, '', '100', 'Minimum of $100'],
    ['When Balance is Below', mark, '9.99', '10', 'Minimum of $10'],
    ['When Balance is Below', mark, '', '10', 'Minimum of $10'],
  ])(
    'are not set with too little as %s: its field says the least',
    async (label, field, typed, least, message) => {
      const there = await open(on);
      await type(there, field(), typed);
      expect(fieldErrors()).toEqual({ [label]: message });
      expect(button('Update')).toHaveProperty('disabled', true);
      // What is typed keeps nobody from turning it off.
      expect(button('Disable')).toHaveProperty('disabled', false);
      await type(there, field(), least);
      expect(fieldErrors()).toEqual({});
      expect(button('Update')).toHaveProperty('disabled', false);
    },
  );

  test.each([
    [
      'refused',
      refused(422, 'unprocessable', { message: 'Please top up once first.' }),
      'Please top up once first.',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])('of which the setting is %s say so, and keep what was typed', async (_what, answer, message) => {
    const there = await open(off, { [set]: answer });
    await type(there, amount(), '150');
    await there.user.click(button('Enable'));
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(amount()).toHaveProperty('value', '$150');
    expect(screen.getByText('Off')).toBeDefined();
    await there.user.click(button('Enable'));
    expect(bodies(there)).toHaveLength(2);
  });

  test('show what is set where nobody heard the answer', async () => {
    const there = await open(off, { [set]: silence });
    there.answer(read, on);
    await there.user.click(button('Enable'));
    expect(screen.getByText('On')).toBeDefined();
    expect(amount()).toHaveProperty('value', '$200');
  });

  test('are set once: while it runs neither button does anything', async () => {
    const held = new Held();
    const there = await open(on, { [set]: held });
    await there.user.click(button('Update'));
    for (const name of ['Update', 'Disable']) {
      expect(button(name)).toHaveProperty('disabled', true);
      await there.user.click(button(name));
    }
    held.give({});
    await there.settled();
    expect(bodies(there)).toHaveLength(1);
    expect(button('Update')).toHaveProperty('disabled', false);
  });

  test('that cannot be read say so, and are read again on request', async () => {
    const there = await open(off, { [read]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(document.body.textContent).toContain('No luck.');
    there.answer(read, off);
    await there.user.click(screen.getByRole('button', { name: /again/i }));
    expect(button('Enable')).toBeDefined();
  });
});
