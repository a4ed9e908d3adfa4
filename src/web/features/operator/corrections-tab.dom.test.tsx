import { describe, expect, test } from 'vitest';
import { openForOperator, operator } from '../../../../tests/support/operator-door.tsx';
import {
  type Answers,
  Held,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { CorrectionsTab } from './corrections-tab.tsx';

const rowOf = (n: number, reference: string, amount: number, more: object = {}) => ({
  ...{ id: uuid(n), organizationId: uuid(100 + n), organization: `Org ${n}`, organizationClosedAt: null },
  ...{ amount, reason: `Reason ${n}`, reference, state: 'waiting', askedAt: '2026-11-20T12:00:00Z' },
  ...{ askedBy: { id: uuid(72), name: 'Otto Ops' }, decidedBy: null, decidedAt: null, ...more },
});
const theirs = rowOf(1, 'pi_1', 1_250.5);
const others = rowOf(2, 'pi_2', -75);
const own = rowOf(3, 'pi_3', 10, { askedBy: operator });
const unnamed = rowOf(4, 'pi_4', 20, { askedBy: null });
const entered = rowOf(5, 'pi_5', 30, { state: 'entered', decidedBy: 'Olga Ops' });
const declined = rowOf(6, 'pi_6', 40, { state: 'declined', organizationClosedAt: '2026-11-21T12:00:00Z' });
const withdrawn = rowOf(7, 'pi_7', 50, { state: 'withdrawn', askedBy: operator });
const list = 'GET /operator/corrections';
const [confirm, decline, withdraw] = ['confirm', 'decline', 'withdraw'].map(
  (verdict) => `POST /operator/corrections/:id/${verdict}`,
) as [string, string, string];

const open = (
  answers: Answers = {},
  rows: unknown[] = [theirs, others, own, unnamed, entered, declined, withdrawn],
) => openForOperator(CorrectionsTab, { [list]: rows, ...answers });
const button = (name: string) => screen.getByRole('button', { name });
const inDialog = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });

test('each correction tells for whom, how much, why, and by whom; only what waits can be decided', async () => {
  await open();
  const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
  const acts = rows.map((row) =>
    within(row)
      .queryAllByRole('button')
      .map((act) => act.getAttribute('aria-label')),
  );
  expect(acts).toEqual([
    ['Confirm pi_1', 'Decline pi_1'],
    ['Confirm pi_2', 'Decline pi_2'],
    // Nobody confirms what they asked for.
    ['Withdraw pi_3'],
    ['Confirm pi_4', 'Decline pi_4'],
    [],
    [],
    [],
  ]);
  const texts = rows.map(({ textContent }) => textContent ?? '');
  for (const [at, part] of [
    [0, 'Org 1Reason 1 (pi_1)+$1,250.50Waiting for a second personOtto Ops'],
    [1, '−$75.00'],
    [3, 'An unnamed operator'],
    [4, '+$30.00EnteredOtto Ops, Olga Ops'],
    [5, 'Declined'],
    [6, 'Withdrawn'],
  ] as const) {
    expect(texts[at]).toContain(part);
  }
  expect(texts[5]).toMatch(/Org 6.*closed/i);
});

test('nothing can be decided while it is not known whose key it is', async () => {
  let asked = 0;
  // At the door it is known, and inside it is not.
  await open({ 'GET /operator/me': () => (asked++ === 0 ? operator : refused(500, 'internal')()) });
  expect(screen.getByText('Org 1')).toBeDefined();
  expect(screen.queryByRole('button', { name: /pi_/ })).toBeNull();
});

describe('a decision', () => {
  async function ask(name: string, answers: Answers = {}) {
    const there = await open(
      {
        ...{ [confirm]: { ...others, state: 'entered' }, [decline]: { ...others, state: 'declined' } },
        ...{ [withdraw]: { ...own, state: 'withdrawn' }, ...answers },
      },
      [theirs, others, own],
    );
    await there.user.click(button(name));
    return there;
  }

  test.each([
    ['Confirm pi_2', 'Confirm correction', confirm, others, 'The correction was entered.'],
    ['Decline pi_2', 'Decline correction', decline, others, 'The correction was declined.'],
    ['Withdraw pi_3', 'Withdraw correction', withdraw, own, 'The correction was withdrawn.'],
  ])('asks first, and is about the one that was asked about: %s', async (name, label, sent, row, said) => {
    const there = await ask(name);
    const text = screen.getByRole('dialog', { name: label }).textContent;
    expect(text).toContain(`${row === own ? '+$10.00' : '−$75.00'} · ${row.organization}`);
    expect(text).toContain(`${row.reason} (${row.reference})`);
    expect(text).toContain(
      sent === confirm ? 'This changes the balance of the organization at once.' : 'Nothing is entered.',
    );
    await there.user.click(inDialog('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    const decided = () => [confirm, decline, withdraw].filter((one) => there.sent(one).length > 0);
    expect(decided()).toEqual([]);
    await there.user.click(button(name));
    await there.user.click(inDialog(label));
    expect(there.sent(sent).map(({ params, body }) => ({ params, body }))).toEqual([
      { params: { id: row.id }, body: null },
    ]);
    expect(decided()).toEqual([sent]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText(said)).toBeDefined();
    expect(there.sent(list)).toHaveLength(2);
  });

  test.each([
    [
      'refused',
      refused(409, 'conflict', { message: 'Somebody has declined it.' }),
      'Somebody has declined it.',
    ],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says why and stays open, and the list is read again', async (_what, answer, message) => {
    const there = await ask('Confirm pi_2', { [confirm]: answer });
    await there.user.click(inDialog('Confirm correction'));
    expect(within(screen.getByRole('dialog')).getByRole('alert').textContent).toBe(message);
    expect(there.sent(list)).toHaveLength(2);
    await there.user.click(inDialog('Confirm correction'));
    expect(there.sent(confirm)).toHaveLength(2);
    await there.user.click(inDialog('Cancel'));
    expect(screen.queryByText(/^The correction was/)).toBeNull();
    // What was said of one is not said of the next.
    await there.user.click(button('Confirm pi_1'));
    expect(within(screen.getByRole('dialog')).queryByRole('alert')).toBeNull();
  });

  test('is sent once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await ask('Confirm pi_2', { [confirm]: held });
    await there.user.click(inDialog('Confirm correction'));
    for (const name of ['Processing...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({ ...others, state: 'entered' });
    await there.settled();
    expect(there.sent(confirm)).toHaveLength(1);
  });
});

test.each([
  ['nothing', [] as unknown[], 'No corrections'],
  ['a failure', refused(500, 'internal', { message: 'No luck.' }), 'No luck.'],
])('a list with %s says so', async (_what, answer, said) => {
  const there = await open({ [list]: answer });
  expect(screen.getByText(said)).toBeDefined();
  if (said !== 'No luck.') return;
  there.answer(list, [theirs]);
  await there.user.click(button('Try again'));
  expect(button('Confirm pi_1')).toBeDefined();
});
