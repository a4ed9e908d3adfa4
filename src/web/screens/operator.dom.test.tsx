import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
} from '../../../tests/support/screen.tsx';
import OperatorScreen from './operator.tsx';

const me = { id: uuid(71), name: 'Olga Ops' };
const account = {
  ...{ balance: 500_00, held: 20_00, open: 30_00, available: 450_00, threshold: 100_00 },
  ...{ level: 'enough', readAt: '2026-11-20T12:00:00Z' },
};
const recovery = {
  ...{
    id: uuid(81),
    reason: 'asked',
    state: 'waiting',
    step: 'zones',
    done: 0,
    total: null,
    hindrance: null,
  },
  ...{ since: '2026-11-19T12:00:00Z', startedAt: '2026-11-20T12:00:00Z', endedAt: null },
};
const act = (outcome: string | null, more: object = {}) => ({
  ...{ id: uuid(90), at: '2026-11-20T12:00:00Z', operator: 'Otto Ops', address: '192.0.2.1' },
  ...{ operation: 'operator.correct', input: { amount: 5 }, outcome, ...more },
});
const [whoAmI, registrar, acts] = ['GET /operator/me', 'GET /operator/registrar', 'GET /operator/acts'];
const answers: Answers = {
  [whoAmI]: me,
  [registrar]: account,
  [acts]: [],
  'GET /operator/queue': [],
  'GET /operator/recovery': { recovery: null, findings: [] },
  'GET /operator/corrections': [],
};

async function open(tab = '', more: Answers = {}) {
  const there = await openScreen(OperatorScreen, {
    route: '/operator/{-$tab}',
    path: `/operator${tab}`,
    answers: { ...answers, ...more },
  });
  const enter = async (key: string) => {
    await there.user.clear(field());
    if (key) await there.user.type(field(), key);
    await there.user.click(button('Enter'));
  };
  return { ...there, enter };
}
const field = () => screen.getByLabelText('Operator key');
const button = (name: string) => screen.getByRole('button', { name });
const text = () => document.body.textContent;

describe('the door', () => {
  test.each([
    ['', 'This field is required'],
    ['  ', 'This field is required'],
    ['with space', 'This key was not accepted.'],
    ['schlüssel', 'This key was not accepted.'],
  ])('is not knocked at with %j, which is no key', async (key, message) => {
    const there = await open();
    await there.enter(key);
    expect(fieldErrors()).toEqual({ 'Operator key': message });
    expect(there.sent(whoAmI)).toEqual([]);
  });

  test.each([
    ['of nobody', refused(401, 'unauthenticated'), 'This key was not accepted.'],
    ['that is refused', refused(429, 'rate_limited', { message: 'Too often.' }), 'Too often.'],
    ['that nobody heard of', silence, 'Something went wrong'],
  ])('stays shut for a key %s, says why, and can be tried again', async (_what, answer, message) => {
    const there = await open('', { [whoAmI]: answer });
    await there.enter('op_key');
    expect(fieldErrors()).toEqual({ 'Operator key': message });
    expect(field()).toHaveProperty('value', 'op_key');
    expect(there.sent('GET /operator/queue')).toEqual([]);
    there.answer(whoAmI, me);
    await there.enter('op_key');
    expect(screen.getByText('Olga Ops')).toBeDefined();
  });

  test('is tried once, opens what is inside, and forgets all of it when somebody leaves', async () => {
    const held = new Held();
    const there = await open('', { [whoAmI]: held });
    await there.enter(' op_key ');
    expect(button('Checking...')).toHaveProperty('disabled', true);
    await there.user.click(button('Checking...'));
    held.give(me);
    await there.settled();
    // Once at the door, and once for the name inside.
    expect(there.sent(whoAmI)).toHaveLength(2);
    expect(screen.getByText('Nothing needs attention')).toBeDefined();
    await there.user.click(button('Leave'));
    expect(field()).toHaveProperty('value', '');
    expect(text()).not.toContain('Olga Ops');
    there.answer(whoAmI, { ...me, name: 'Otto Ops' });
    await there.enter('op_other');
    expect(screen.getByText('Otto Ops')).toBeDefined();
    expect(there.sent('GET /operator/queue')).toHaveLength(2);
  });
});

async function inside(tab = '', more: Answers = {}) {
  const there = await open(tab, more);
  await there.enter('op_key');
  return there;
}

describe('inside', () => {
  test('each tab has an address, and an unknown one leads to the queue', async () => {
    const there = await inside('/nothing');
    expect(there.path()).toBe('/operator');
    await there.user.click(screen.getByRole('tab', { name: 'Corrections' }));
    expect(there.path()).toBe('/operator/corrections');
    expect(screen.getByText('No corrections')).toBeDefined();
    await there.user.click(screen.getByRole('tab', { name: 'Queue' }));
    expect(there.path()).toBe('/operator');
  });

  test('a recovery that waits is told above every tab, and leads to it', async () => {
    const there = await inside('', { 'GET /operator/recovery': { recovery, findings: [] } });
    await there.user.click(button('Open recovery'));
    expect(there.path()).toBe('/operator/recovery');
    expect(screen.getByText('Waits for you')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Open recovery' })).toBeNull();
  });

  test.each([
    ['enough', account, ['$450.00', '$500.00', '$20.00', '$30.00'], null],
    [
      'low',
      { ...account, level: 'low', available: 90_00 },
      ['$90.00', '$500.00', '$20.00', '$30.00'],
      'The account at the registrar is running lowLess than $100.00 is left for further orders.',
    ],
    [
      'short',
      { ...account, level: 'short', available: -5_00 },
      ['−$5.00', '$500.00', '$20.00', '$30.00'],
      'Purchases and renewals are refused',
    ],
    [
      'never read',
      { ...account, level: null, available: null, balance: null, held: null, readAt: null },
      ['–', '–', '–', '$30.00'],
      null,
    ],
  ])('the account at the registrar: %s', async (_what, answer, figures, warning) => {
    await inside('', { [registrar]: answer });
    expect([...document.querySelectorAll('dd b')].map(({ textContent }) => textContent)).toEqual(figures);
    expect([...document.querySelectorAll('dt')].map(({ textContent }) => textContent)).toEqual([
      ...['Left for orders', 'Balance at the registrar', 'Held by the registrar', 'Orders under way'],
    ]);
    expect(screen.queryByRole('alert') !== null).toBe(warning !== null);
    if (warning) expect(screen.getByRole('alert').textContent).toContain(warning);
    expect(text()?.includes('has not been asked yet')).toBe(answer.readAt === null);
  });

  test('an account that cannot be read has no figures, and is read again', async () => {
    const there = await inside('', { [registrar]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(screen.getByRole('alert').textContent).toContain('No luck.');
    there.answer(registrar, account);
    await there.user.click(button('Try again'));
    expect(screen.getByText('$450.00')).toBeDefined();
  });

  test('who did what is told with its outcome', async () => {
    await inside('/acts', {
      [acts]: [
        act('done'),
        act('not_found', { id: uuid(91), operation: 'operator.retry', input: {} }),
        act(null, { id: uuid(92), operation: 'operator.somethingNew' }),
      ],
    });
    const rows = screen
      .getAllByRole('row')
      .slice(1)
      .map(({ textContent }) => textContent ?? '');
    expect(rows[0]).toContain('Otto Ops192.0.2.1Requested a correction{"amount":5}Done');
    expect(rows[1]).toMatch(/Retried a queue entrynot found$/);
    expect(rows[2]).toContain('operator.somethingNew');
    expect(rows[2]).toMatch(/Not finished$/);
  });
});
