import { describe, expect, test, vi } from 'vitest';
import { openForOperator } from '../../../../tests/support/operator-door.tsx';
import {
  type Answers,
  fieldErrors,
  Held,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../../tests/support/screen.tsx';
import { QueueTab } from './queue-tab.tsx';

const entryOf = (kind: string, subject: string, more: object = {}) => ({
  ...{ kind, id: `${kind}-1`, organization: 'Blue Fig', organizationId: uuid(2), subject, note: '' },
  ...{ amount: 0, orderId: null, registrarOrderId: null, since: '2026-11-20T12:00:00Z' },
  ...{ ageSeconds: 120, retry: true, ...more },
});
const review = entryOf('review', 'registration of acme.example', {
  ...{ amount: 12_50, registrarOrderId: '778', ageSeconds: 7_200, note: 'No answer' },
});
const charge = entryOf('charge', 'charge of Zeta', { retry: false, ageSeconds: 172_800 });
const missing = entryOf('missing', 'gone.example');
const [list, retry, end] = [
  'GET /operator/queue',
  'POST /operator/queue/:kind/:id/retry',
  'POST /operator/domains/:id/end',
];

async function open(answers: Answers = {}, rows: unknown[] = [review, charge, missing]) {
  const there = await openForOperator(QueueTab, {
    ...{ [list]: rows, [retry]: { message: 'The registrar has it.' }, [end]: { message: 'It has ended.' } },
    ...answers,
  });
  const retries = () => there.sent(retry).map(({ params, body }) => ({ params, body }));
  return { ...there, retries };
}
const button = (name: string) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const inDialog = (name: string) => dialog().getByRole('button', { name });

describe('the queue', () => {
  test('tells what waits, how long, what hangs on it, and offers what can be done', async () => {
    await open();
    const rows = within(screen.getByRole('table', { name: 'Queue' }))
      .getAllByRole('row')
      .slice(1);
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Registration of acme.exampleNo answer778 · review-1In reviewBlue Fig2 h$12.50Try again',
      'Charge of Zetacharge-1Failed chargeBlue Fig2 days',
      'gone.examplemissing-1Missing domainBlue Fig2 minEnd domainTry again',
    ]);
    expect(screen.getByText('3 waiting')).toBeDefined();
  });

  test('a balance below zero is shown with what is owed, and cannot be tried again', async () => {
    await open({}, [entryOf('debt', 'balance below zero', { amount: 40_00, retry: false })]);
    const [, row] = within(screen.getByRole('table', { name: 'Queue' })).getAllByRole('row');
    expect(row?.textContent).toBe('Balance below zerodebt-1Below zeroBlue Fig2 min$40.00');
  });

  test.each([
    ['nothing', [] as unknown[], 'Nothing needs attention'],
    ['a failure', refused(500, 'internal', { message: 'No luck.' }), 'No luck.'],
  ])('with %s says so', async (_what, answer, said) => {
    await open({ [list]: answer });
    expect(screen.getByText(said)).toBeDefined();
  });
});

test('the queue is looked at every minute: it shows what has come since', async () => {
  const every = vi.fn((_look: () => void, _ms?: number) => 1);
  vi.stubGlobal('setInterval', every);
  const there = await open({}, []);
  there.answer(list, [missing]);
  every.mock.calls.find(([, ms]) => ms === 60_000)?.[0]();
  await there.settled();
  expect(button('End domain: gone.example')).toBeDefined();
});

describe('another try', () => {
  test.each([
    ['review', 'Nothing is ordered again.'],
    ['waiting', 'Nothing is ordered again.'],
    ['charge', 'The stored payment method is charged again, if the charge is still due.'],
    ['renewal', 'The renewal is ordered again, if it is still due and there is money for it.'],
    ['event', 'It cannot be credited twice.'],
    ['missing', 'If it is in the account again, it leaves the queue.'],
  ])('says first what it does: %s', async (kind, consequence) => {
    const there = await open({}, [entryOf(kind, 'something')]);
    await there.user.click(button('Try again: something'));
    expect(screen.getByRole('dialog').textContent).toContain(consequence);
    expect(screen.getByRole('dialog').textContent).toMatch(/omething · Blue Fig/);
    expect(there.retries()).toEqual([]);
    await there.user.click(inDialog('Cancel'));
    expect(there.retries()).toEqual([]);
  });

  test('is of the entry that was asked about, and tells its outcome', async () => {
    const there = await open();
    await there.user.click(button('Try again: gone.example'));
    await there.user.click(inDialog('Try again'));
    expect(there.retries()).toEqual([{ params: { kind: 'missing', id: 'missing-1' }, body: null }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('The registrar has it.')).toBeDefined();
    expect(there.sent(list)).toHaveLength(2);
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It is not due.' }), 'It is not due.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says why, stays open, and says nothing of it for the next one',
    async (_what, answer, message) => {
      const there = await open({ [retry]: answer });
      await there.user.click(button('Try again: registration of acme.example'));
      await there.user.click(inDialog('Try again'));
      expect(dialog().getByRole('alert').textContent).toBe(message);
      await there.user.click(inDialog('Try again'));
      expect(there.retries()).toHaveLength(2);
      await there.user.click(inDialog('Cancel'));
      await there.user.click(button('Try again: gone.example'));
      expect(dialog().queryByRole('alert')).toBeNull();
    },
  );

  test('is made once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await open({ [retry]: held });
    await there.user.click(button('Try again: gone.example'));
    await there.user.click(inDialog('Try again'));
    for (const name of ['Processing...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({ message: 'Done.' });
    await there.settled();
    expect(there.retries()).toHaveLength(1);
  });
});

test('what came of another try is told, not what came of an end before it', async () => {
  const there = await open();
  await there.user.click(button('End domain: gone.example'));
  await there.user.type(dialog().getByLabelText(/^Reason/), 'Sold to another reseller');
  await there.user.click(inDialog('End domain'));
  expect(screen.getByText('It has ended.')).toBeDefined();
  await there.user.click(button('Try again: registration of acme.example'));
  await there.user.click(inDialog('Try again'));
  expect(screen.getByText('The registrar has it.')).toBeDefined();
  expect(screen.queryByText('It has ended.')).toBeNull();
});

test.each([
  [3_599, '59 min'],
  [3_600, '1 h'],
  [172_799, '47 h'],
  [172_800, '2 days'],
  [259_199, '2 days'],
])('an entry of %i seconds is told as %s old', async (ageSeconds, text) => {
  await open({}, [entryOf('missing', 'gone.example', { ageSeconds })]);
  expect(document.querySelector('time')?.textContent).toBe(text);
});

describe('the end of a domain', () => {
  async function ask(answers: Answers = {}) {
    const there = await open(answers);
    await there.user.click(button('End domain: gone.example'));
    const ends = () => there.sent(end).map(({ params, body }) => ({ params, body }));
    return { ...there, ends, end: () => there.user.click(inDialog('End domain')) };
  }
  const reason = () => dialog().getByLabelText(/^Reason/);

  test('needs a reason, is of the domain that was asked about, and tells its outcome', async () => {
    const there = await ask();
    expect(screen.getByRole('dialog').textContent).toContain('gone.example · Blue Fig');
    for (const typed of ['', '  abc ']) {
      if (typed) await there.user.type(reason(), typed);
      await there.end();
      expect(fieldErrors()).toEqual({ Reason: 'Please give a short reason' });
    }
    expect(there.ends()).toEqual([]);
    await there.user.clear(reason());
    await there.user.type(reason(), 'Sold to another reseller');
    await there.end();
    expect(there.ends()).toEqual([
      { params: { id: 'missing-1' }, body: { reason: 'Sold to another reseller' } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('It has ended.')).toBeDefined();
    expect(there.sent(list)).toHaveLength(2);
  });

  test('that is cancelled sends nothing, and is offered for missing domains alone', async () => {
    const there = await ask();
    await there.user.type(reason(), 'Sold to another reseller');
    await there.user.click(inDialog('Cancel'));
    expect(there.ends()).toEqual([]);
    expect(screen.getAllByRole('button', { name: /^End domain/ })).toHaveLength(1);
  });

  test.each([
    ['refused', refused(409, 'conflict', { message: 'The registrar has it.' }), 'The registrar has it.'],
    ['without an answer', silence, 'Something went wrong'],
  ])(
    'that is %s says why, keeps the reason, and says nothing of it the next time',
    async (_what, answer, message) => {
      const there = await ask({ [end]: answer });
      await there.user.type(reason(), 'Sold to another reseller');
      await there.end();
      expect(dialog().getByRole('alert').textContent).toBe(message);
      expect(reason()).toHaveProperty('value', 'Sold to another reseller');
      await there.end();
      expect(there.ends()).toHaveLength(2);
      await there.user.click(inDialog('Cancel'));
      await there.user.click(button('End domain: gone.example'));
      expect(dialog().queryByRole('alert')).toBeNull();
    },
  );

  test('is sent once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await ask({ [end]: held });
    await there.user.type(reason(), 'Sold to another reseller{Enter}');
    for (const name of ['Asking the registrar...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({ message: 'Done.' });
    await there.settled();
    expect(there.ends()).toHaveLength(1);
  });
});
