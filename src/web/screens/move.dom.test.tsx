import { describe, expect, test } from 'vitest';
import { type Move, type MoveLine, moveStages } from '#contracts/operations/moves.ts';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import MoveScreen from './move.tsx';

const line = (n: number, stage: MoveLine['stage'], more: Partial<MoveLine> = {}): MoveLine => ({
  ...{ id: uuid(100 + n), number: n, domain: `n${n}.com`, readable: true, stage, text: `About ${n}.` },
  ...{ warnings: [], help: null, expectedBy: null, late: false, price: 9.99, dns: 'keep', nameservers: [] },
  ...{ registrar: null, expiresAt: null, zone: null, hasCode: true, orderId: null, ...more },
});
function moveOf(lines: MoveLine[], more: Partial<Move> = {}): Move {
  const counts: Move['counts'] = {};
  for (const { stage } of lines) counts[stage] = (counts[stage] ?? 0) + 1;
  const ready = lines.filter(({ stage }) => stage === 'ready');
  return {
    ...{ id: uuid(31), customerId: uuid(21), customer: 'Acme', createdAt: '2026-11-20T12:00:00Z', by: 'Ann' },
    ...{ counts, lines, total: Math.round(999 * ready.length) / 100, ...more },
  };
}
const percent = (value: number) => ({ type: 'percentage' as const, value });
const acme = {
  ...{ customerId: uuid(21), organization: 'Acme' },
  markups: {
    domain: { purchase: percent(10), renewal: percent(50) },
    certificate: { purchase: percent(60), renewal: percent(70) },
  },
};
const money = { balance: 5_000, pendingBalance: 0, held: 0, spendable: 4_000 };
const [get, change, look] = ['GET /move/:id', 'PATCH /move/:id', 'POST /move/:id/look'] as const;
const [order, drop, code] = [
  'POST /move/:id/order',
  'DELETE /move/:id',
  'POST /move/:id/line/:lineId/code',
] as const;
const cancel = 'POST /domain/transfer/cancel';
const zone = 'GET /move/:id/line/:lineId';

async function open(lines: MoveLine[], answers: Answers = {}, search = '') {
  const move = moveOf(lines);
  const opened = await openScreen(MoveScreen, {
    ...{ route: '/domain/moves/$moveId', path: `/domain/moves/${uuid(31)}${search}` },
    answers: {
      ...{ [get]: move, 'GET /account/balancev2': money, 'GET /customer/choices': [acme] },
      ...answers,
    },
  });
  return { ...opened, bodies: (name: string) => opened.sent(name).map(({ body }) => body) };
}
const button = (name: string) => screen.getByRole('button', { name });
const isDisabled = (name: string) => (button(name) as HTMLButtonElement).disabled;
const dialog = () => within(screen.getByRole('dialog'));
const figure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
const offered = () =>
  screen
    .queryAllByRole('button', { name: /: n\d\.com$/ })
    .map((one) => one.getAttribute('aria-label')?.replace(/: n\d\.com$/, ''));

describe('an order of a list', () => {
  const lines = [
    line(1, 'ready'),
    line(2, 'blocked', { help: 'code' }),
    line(3, 'ready'),
    line(4, 'left-out'),
  ];

  test('shows what it costs and what is left, asks first, and is for the lines that are ready', async () => {
    const opened = await open(lines, { [order]: moveOf([line(1, 'ordered', { orderId: uuid(41) })]) });
    expect(figure('2 transfers')).toBe('$19.98');
    expect(figure('Your balance')).toBe('$40.00');
    expect(figure('Balance after this order')).toBe('$20.02');
    // 9.99 and 10 % of it, rounded for each.
    expect(figure('Acme pays as they arrive')).toBe('$21.98');
    await opened.user.click(button('Order 2 transfers'));
    expect(screen.getByRole('dialog', { name: 'Order the transfer of 2 domains?' })).toBeDefined();
    expect(
      dialog().getByText(/^\$19\.98 is reserved from your balance, which is then \$20\.02\./),
    ).toBeDefined();
    await opened.user.click(dialog().getByText('Cancel'));
    expect(opened.sent(order)).toEqual([]);
    await opened.user.click(button('Order 2 transfers'));
    await opened.user.click(dialog().getByText('Order for $19.98'));
    expect(opened.sent(order)).toMatchObject([
      { params: { id: uuid(31) }, body: { lineIds: [uuid(101), uuid(103)], price: 19.98 } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is sent once, and says that it runs', async () => {
    const held = new Held();
    const opened = await open(lines, { [order]: held });
    await opened.user.click(button('Order 2 transfers'));
    await opened.user.dblClick(dialog().getByText('Order for $19.98'));
    for (const running of screen.getAllByRole('button', { name: 'Ordering...' })) {
      expect(running).toHaveProperty('disabled', true);
    }
    expect(dialog().getByText('Cancel').closest('button')).toHaveProperty('disabled', true);
    expect(opened.sent(order)).toHaveLength(1);
    held.give(moveOf(lines));
    await opened.settled();
  });

  test.each([
    ['refused', refused(409, 'price_changed', { message: 'Prices have changed.' }), 'Prices have changed.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s stays open and says why, and can be tried again', async (_what, answer, message) => {
    const opened = await open(lines, { [order]: answer });
    await opened.user.click(button('Order 2 transfers'));
    await opened.user.click(dialog().getByText('Order for $19.98'));
    expect(dialog().getByRole('alert').textContent).toBe(message);
    // The list is read again, and what it costs by now.
    opened.answer(get, moveOf(lines, { total: 25 }));
    await opened.user.click(dialog().getByText('Order for $19.98'));
    expect(opened.bodies(order)).toHaveLength(2);
    // Nobody knows what became of a try without an answer: the next one is the same order.
    const [first, second] = opened.sent(order).map(({ key }) => key);
    expect([first !== null, first === second]).toEqual([true, message === 'Something went wrong']);
    expect(dialog().getByText('Order for $25.00')).toBeDefined();
    await opened.user.click(dialog().getByText('Cancel'));
    await opened.user.click(button('Order 2 transfers'));
    expect(dialog().queryByRole('alert')).toBeNull();
  });

  test('that a colleague has made meanwhile asks about nothing any more, and says why it was refused', async () => {
    const why = 'n1.com is not ready to be ordered. Please look at the list again.';
    const opened = await open(lines, { [order]: refused(422, 'unprocessable', { message: why }) });
    await opened.user.click(button('Order 2 transfers'));
    const question = dialog();
    opened.answer(
      get,
      moveOf(
        lines.map((one) => (one.stage === 'ready' ? { ...one, stage: 'approval', orderId: uuid(41) } : one)),
      ),
    );
    await opened.user.click(question.getByText('Order for $19.98'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('alert').textContent).toBe(why);
    expect(document.getElementById('order-hint')?.textContent).toBe('No line is ready');
  });

  const all = [line(1, 'ready'), line(3, 'ready')];
  const theirs = all.map((one): MoveLine => ({ ...one, stage: 'approval', orderId: uuid(41) }));

  test('of which a colleague has ordered every line meanwhile keeps the words of the refusal, and offers nothing', async () => {
    const why = 'n1.com and n3.com were ordered in the meantime. Please look at the list again.';
    const opened = await open(all, { [order]: refused(422, 'unprocessable', { message: why }) });
    await opened.user.click(button('Order 2 transfers'));
    const question = dialog();
    opened.answer(get, moveOf(theirs));
    await opened.user.click(question.getByText('Order for $19.98'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('alert').textContent).toBe(why);
    expect(screen.queryByRole('button', { name: /^Order/ })).toBeNull();
  });

  test.each([true, false])(
    'that a colleague makes while it is asked about says so; every line: %s',
    async (every) => {
      const opened = await open(every ? all : lines);
      await opened.user.click(button('Order 2 transfers'));
      opened.answer(get, moveOf(every ? theirs : [...theirs, line(2, 'blocked')]));
      window.dispatchEvent(new Event('visibilitychange'));
      await opened.settled();
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(screen.getByText(/You have not ordered anything\.$/)).toBeDefined();
      expect(opened.sent(order)).toEqual([]);
    },
  );

  test('that was made leaves no words behind', async () => {
    const opened = await open(all, { [order]: moveOf(theirs) });
    opened.answer(get, moveOf(theirs));
    await opened.user.click(button('Order 2 transfers'));
    await opened.user.click(dialog().getByText('Order for $19.98'));
    expect(screen.queryByText('Your balance')).toBeNull();
    expect(screen.queryByRole('heading', { name: 'Order' })).toBeNull();
    expect(document.body.textContent).not.toContain('You have not ordered anything.');
  });

  test.each<[string, MoveLine[], object, string]>([
    ['no line is ready', [line(1, 'blocked')], money, 'No line is ready'],
    [
      'lines are still checked',
      [line(1, 'ready'), line(2, 'checking')],
      money,
      'The list is still being checked',
    ],
    [
      'no line is ready yet',
      [line(1, 'blocked'), line(2, 'checking')],
      money,
      'The list is still being checked',
    ],
    [
      'the balance does not cover it',
      [line(1, 'ready')],
      { ...money, spendable: 998 },
      "You don't have enough funds to process this cart, please topup your account",
    ],
  ])('is not offered while %s', async (_what, of, balance, hint) => {
    await open(of, { 'GET /account/balancev2': balance });
    expect(document.getElementById('order-hint')?.textContent).toBe(hint);
    expect(screen.getByRole('button', { name: /^Order \d/ })).toHaveProperty('disabled', true);
  });

  test('is offered where the balance or the customer could not be read: the portal decides', async () => {
    const { user, answer } = await open([line(1, 'ready')], {
      ...{ 'GET /account/balancev2': silence, 'GET /customer/choices': silence },
    });
    const unread = 'Your balance could not be read. Something went wrong Try again';
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toContain(unread);
    expect(figure('Your balance')).toBe('…');
    expect(figure('Balance after this order')).toBe('…');
    expect(screen.queryByText('Acme pays as they arrive')).toBeNull();
    expect(isDisabled('Order 1 transfer')).toBe(false);
    answer('GET /account/balancev2', money);
    await user.click(button('Try again'));
    expect(screen.queryByText(/could not be read/)).toBeNull();
  });

  test('for a customer whose direct billing is stopped by a dispute says who pays, and can be made all the same', async () => {
    const stopped = {
      ...acme,
      chargesStopped: { since: '2026-11-20T12:00:00Z', disputes: 1, chargeId: uuid(9) },
    };
    await open([line(1, 'ready')], { 'GET /customer/choices': [stopped] });
    expect(
      screen.getByText(/^Acme disputed a payment and cannot be charged\. Your balance pays/),
    ).toBeDefined();
    expect(screen.queryByText('Acme pays as they arrive')).toBeNull();
    expect(isDisabled('Order 1 transfer')).toBe(false);
  });

  test('is over once every line is ordered', async () => {
    await open([line(1, 'approval', { orderId: uuid(41) })]);
    expect(screen.queryByRole('button', { name: /^Order \d/ })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Delete/ })).toBeNull();
  });

  test('asks for the unlock of several in one letter', async () => {
    await open([line(1, 'blocked', { help: 'unlock' }), line(2, 'blocked', { help: 'unlock' })]);
    const letter = screen.getByRole('link', { name: 'Ask for unlock of 2 domains' }).getAttribute('href');
    expect(decodeURIComponent(letter ?? '')).toMatch(/n1\.com\nn2\.com/);
  });
});

describe('what is offered for a line', () => {
  const records = { how: 'whole' as const, records: 3, leftOut: 0 };
  test.each<[MoveLine['stage'], Partial<MoveLine>, string[]]>([
    ['checking', {}, []],
    ['ready', {}, ['Leave out']],
    ['ready', { zone: records }, ['3 records', 'Leave out']],
    ['blocked', { help: 'code' }, ['New code', 'Leave out']],
    ['blocked', { help: 'look' }, ['Check again', 'Leave out']],
    ['blocked', { help: 'unlock' }, ['Check again', 'Leave out']],
    ['blocked', { readable: false }, []],
    ['left-out', {}, ['Include again']],
    ['ordered', {}, []],
    ['approval', { help: 'cancel' }, ['Cancel']],
    ['release', {}, []],
    ['arriving', {}, []],
    ['held', { help: 'look' }, ['Check again', 'Keep its nameservers']],
    ['held', { help: 'bring' }, ['Check again', 'See what has changed', 'Keep its nameservers']],
    ['done', {}, []],
    ['differs', { help: 'bring' }, ['Serve its records here']],
    ['differs', { help: 'keep' }, ['Check again', 'Keep its nameservers']],
    ['failed', { help: 'code' }, ['New code']],
    ['review', {}, []],
  ])('%s %j', async (stage, more, acts) => {
    await open([line(1, stage, { orderId: uuid(41), ...more })]);
    expect(offered()).toEqual(acts);
    const [stated] = screen.getAllByRole('listitem');
    expect(stated?.textContent).toContain('About 1.');
  });

  test('each stage has its name, and the way to the domain once it is here', async () => {
    const ways = new Set(['arriving', 'held', 'differs', 'done']);
    await open(moveStages.map((stage, n) => line(n, stage)));
    const rows = screen.getAllByRole('listitem');
    expect(rows).toHaveLength(moveStages.length);
    for (const [n, stage] of moveStages.entries()) {
      const row = within(rows[n] as HTMLElement);
      expect([stage, row.queryByRole('link')?.getAttribute('href')]).toEqual([
        stage,
        ways.has(stage) ? `/domain/n${n}.com` : undefined,
      ]);
    }
  });

  test('what is known of it is shown: warnings, where it is registered, by when, and its price while it is ready', async () => {
    await open([
      line(1, 'ready', {
        ...{ warnings: ['It is signed.'], registrar: 'Old Registrar', expiresAt: '2027-03-01T00:00:00Z' },
      }),
      line(2, 'approval', { expectedBy: '2026-11-25T12:00:00Z', registrar: 'Old Registrar' }),
      line(3, 'blocked', { readable: false, domain: '' }),
    ]);
    const [one, two, three] = screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '');
    for (const text of ['Line 1', '$9.99', 'It is signed.', 'At Old Registrar · expires on Mar 1, 2027']) {
      expect(one).toContain(text);
    }
    expect(two).toMatch(/Expected by .*Nov 25, 2026/);
    expect(two).not.toMatch(/Old Registrar|\$9\.99/);
    expect(three).toContain('(no name)');
  });
});

describe('an act on a line', () => {
  const two = (stage: MoveLine['stage'], more: Partial<MoveLine>) => [
    line(1, stage, more),
    line(2, stage, more),
  ];
  const read = { how: 'whole' as const, records: 3, leftOut: 0 };

  test.each<[string, MoveLine[], string, string, object]>([
    ['leaves it out', two('ready', {}), 'Leave out', change, { leftOut: true }],
    ['includes it again', two('left-out', {}), 'Include again', change, { leftOut: false }],
    [
      'serves its records here',
      two('differs', { help: 'bring' }),
      'Serve its records here',
      change,
      { dns: 'bring' },
    ],
    ['keeps its nameservers', two('held', { help: 'keep' }), 'Keep its nameservers', change, { dns: 'keep' }],
    ['checks it again', two('blocked', { help: 'look' }), 'Check again', look, {}],
  ])('%s, and no other', async (_what, lines, label, name, body) => {
    const held = new Held();
    const { user, sent, settled } = await open(lines, { [name]: held });
    await user.dblClick(button(`${label}: n2.com`));
    expect(sent(name)).toMatchObject([{ params: { id: uuid(31) }, body: { lineIds: [uuid(102)], ...body } }]);
    const act = (n: number) =>
      screen.getByRole('button', { name: new RegExp(`^(${label}|Checking\\.\\.\\.): n${n}\\.com$`) });
    expect([act(1), act(2)].map((one) => (one as HTMLButtonElement).disabled)).toEqual([false, true]);
    held.give(moveOf([line(2, 'done')]));
    await settled();
  });

  test.each([
    ['keep', 'bring'],
    ['bring', 'keep'],
  ] as const)('chooses for the DNS of a ready line from %s to %s', async (dns, chosen) => {
    const { user, bodies } = await open(two('ready', { zone: read, dns }), {
      [change]: moveOf([line(2, 'ready')]),
    });
    const choice = screen.getByRole('combobox', { name: 'DNS: n2.com' });
    expect(choice).toHaveProperty('value', dns);
    await user.selectOptions(choice, chosen);
    expect(bodies(change)).toEqual([{ lineIds: [uuid(102)], dns: chosen }]);
  });

  test('shows the list as it is then', async () => {
    const { user, answer } = await open([line(1, 'ready'), line(2, 'ready')], {
      [change]: moveOf([line(1, 'ready'), line(2, 'left-out')]),
    });
    // It does not wait for another reading.
    answer(get, new Held());
    await user.click(button('Leave out: n2.com'));
    expect(button('Include again: n2.com')).toBeDefined();
    expect(figure('1 transfer')).toBe('$9.99');
  });

  test.each([
    ['a choice', change, 'Leave out'],
    ['a look', look, 'Check again'],
  ])('of which %s is refused says so at that line', async (_what, name, label) => {
    const { user } = await open(two('blocked', { help: 'look' }), {
      [name]: refused(409, 'conflict', { message: 'It has gone on.' }),
    });
    await user.click(button(`${label}: n2.com`));
    const [first, second] = screen.getAllByRole('listitem');
    expect(second?.textContent).toContain('It has gone on.');
    expect(first?.textContent).not.toContain('It has gone on.');
    expect(isDisabled(`${label}: n2.com`)).toBe(false);
  });

  test('that asks for an unlock writes of that domain and no code', async () => {
    await open(two('blocked', { help: 'unlock' }));
    const letter = screen.getByRole('link', { name: 'Ask for unlock: n2.com' }).getAttribute('href') ?? '';
    expect(decodeURIComponent(letter)).toMatch(/Please unlock n2\.com/);
    expect(letter).not.toContain('n1.com');
  });
});

describe('a new code', () => {
  async function entered(typed: string, answers: Answers = {}) {
    const lines = [line(1, 'blocked', { help: 'code' }), line(2, 'blocked', { help: 'code' })];
    const opened = await open(lines, { [code]: moveOf([line(1, 'checking')]), ...answers });
    await opened.user.click(button('New code: n2.com'));
    const field = dialog().getByLabelText('AuthInfo / EPP code') as HTMLInputElement;
    if (typed !== '') {
      await opened.user.click(field);
      await opened.user.paste(typed);
    }
    await opened.user.click(button('Check with this code'));
    return { ...opened, field };
  }

  test.each([
    ['', 'Please enter the AuthInfo / EPP code'],
    ['two words', 'A code has no spaces. Please check where it begins and ends.'],
    ['short', 'This code is too short. Codes have at least 6 characters.'],
    ['x'.repeat(65), 'This code is too long. Codes have at most 64 characters.'],
  ])('that is %j is not sent, and its field says why until it is changed', async (typed, message) => {
    const { sent, user, field } = await entered(typed);
    expect(fieldErrors()).toEqual({ 'AuthInfo / EPP code': message });
    expect(sent(code)).toEqual([]);
    await user.type(field, '{Backspace}y');
    expect(fieldErrors()).toEqual({});
  });

  test('is sent for the line that it is about, without blanks around it', async () => {
    const { sent } = await entered('  Code-123 ');
    expect(sent(code)).toMatchObject([
      { params: { id: uuid(31), lineId: uuid(102) }, body: { code: 'Code-123' } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test.each([
    ['refused', refused(422, 'unprocessable', { message: 'It is under way.' }), 'It is under way.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s stays with what was typed, and can be sent again', async (_what, answer, message) => {
    const { sent, user, field } = await entered('Code-123', { [code]: answer });
    expect(dialog().getByRole('alert').textContent).toBe(message);
    expect(field.value).toBe('Code-123');
    await user.click(button('Check with this code'));
    expect(sent(code)).toHaveLength(2);
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('is sent once', async () => {
    const held = new Held();
    const { sent, settled, user } = await entered('Code-123', { [code]: held });
    expect(isDisabled('Saving...')).toBe(true);
    await user.click(button('Saving...'));
    expect(sent(code)).toHaveLength(1);
    held.give(moveOf([line(1, 'checking')]));
    await settled();
  });
});

describe('a cancellation', () => {
  const lines = [
    line(1, 'approval', { help: 'cancel', orderId: uuid(41) }),
    line(2, 'approval', { help: 'cancel', orderId: uuid(41) }),
  ];

  test('asks first, and is of the domain that was asked about', async () => {
    const { user, bodies } = await open(lines, { [cancel]: { domain: 'n2.com', notice: null } });
    await user.click(button('Cancel: n1.com'));
    await user.click(dialog().getByText('Keep it'));
    expect(bodies(cancel)).toEqual([]);
    await user.click(button('Cancel: n2.com'));
    expect(screen.getByRole('dialog', { name: 'Cancel the transfer of n2.com?' })).toBeDefined();
    await user.click(dialog().getByText('Cancel the transfer'));
    expect(bodies(cancel)).toEqual([{ domain: 'n2.com' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('that is refused stays open and says why, and says nothing of it about another domain', async () => {
    const { user } = await open(lines, { [cancel]: refused(422, 'unprocessable', { message: 'Too late.' }) });
    await user.click(button('Cancel: n1.com'));
    await user.click(dialog().getByText('Cancel the transfer'));
    expect(dialog().getByRole('alert').textContent).toBe('Too late.');
    await user.click(dialog().getByText('Keep it'));
    await user.click(button('Cancel: n2.com'));
    expect(dialog().queryByRole('alert')).toBeNull();
  });

  test('is sent once, and says that it runs', async () => {
    const held = new Held();
    const { user, sent, settled } = await open(lines, { [cancel]: held });
    await user.click(button('Cancel: n1.com'));
    await user.dblClick(dialog().getByText('Cancel the transfer'));
    expect(isDisabled('Cancelling...')).toBe(true);
    expect(sent(cancel)).toHaveLength(1);
    held.give({ domain: 'n1.com', notice: null });
    await settled();
  });
});

describe('the records of a line', () => {
  const contents = {
    records: [
      { type: 'A', subdomain: '', ip_address: '192.0.2.1' },
      { type: 'CNAME', subdomain: 'www', hostname: 'n2.com' },
    ],
    leftOut: [{ name: 'n2.com', type: 'SSHFP', data: '1 1 ab', reason: 'This type cannot be served.' }],
    differences: [{ name: 'n2.com', type: 'A', before: ['192.0.2.1'], now: [] }],
    comparedAt: '2026-11-21T12:00:00Z',
  };
  const records = { how: 'whole' as const, records: 2, leftOut: 1 };
  const held = [line(1, 'held', { help: 'bring' }), line(2, 'held', { help: 'bring', zone: records })];

  test('are those of that line: what is served, what cannot be, and what differs', async () => {
    const { user, sent } = await open(
      [line(1, 'ready', { zone: records }), line(2, 'ready', { zone: records })],
      {
        [zone]: contents,
      },
    );
    await user.click(button('2 records: n2.com'));
    expect(sent(zone).map(({ params }) => params)).toEqual([{ id: uuid(31), lineId: uuid(102) }]);
    expect(screen.getByRole('dialog', { name: 'Records of n2.com' })).toBeDefined();
    const items = dialog()
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(items).toEqual([
      'n2.com A: 192.0.2.1 → no answer',
      'n2.com SSHFP 1 1 abThis type cannot be served.',
      '@ A 192.0.2.1',
      expect.stringMatching(/^www CNAME n2\.com/),
    ]);
    // Nothing is accepted of a line that does not wait for it.
    expect(dialog().queryByText('Serve its records here')).toBeNull();
  });

  test('are served in spite of the changes that were shown, and of no others', async () => {
    const { user, bodies } = await open(held, { [zone]: contents, [change]: moveOf([line(2, 'done')]) });
    await user.click(button('See what has changed: n2.com'));
    await user.click(dialog().getByText('Serve its records here'));
    expect(bodies(change)).toEqual([
      { lineIds: [uuid(102)], dns: 'bring', comparedAt: '2026-11-21T12:00:00Z' },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('are served from their sheet only while the line waits for that: it may have gone on since', async () => {
    const opened = await open(held, { [zone]: contents });
    await opened.user.click(button('See what has changed: n2.com'));
    expect(dialog().getByText('Serve its records here')).toBeDefined();
    opened.answer(get, moveOf([line(1, 'held', { help: 'bring' }), line(2, 'done', { zone: records })]));
    opened.answer(change, refused(409, 'conflict', { message: 'They have changed again.' }));
    await opened.user.click(dialog().getByText('Serve its records here'));
    expect(dialog().queryByText('Serve its records here')).toBeNull();
  });

  test('say why they are not served where they have changed once more', async () => {
    const { user } = await open(held, {
      [zone]: contents,
      [change]: refused(409, 'conflict', { message: 'They have changed again.' }),
    });
    await user.click(button('See what has changed: n2.com'));
    await user.click(dialog().getByText('Serve its records here'));
    expect(dialog().getByRole('alert').textContent).toBe('They have changed again.');
  });

  test('that cannot be read are read again', async () => {
    const { user, answer } = await open(held, { [zone]: silence });
    await user.click(button('2 records: n2.com'));
    answer(zone, contents);
    await user.click(dialog().getByText('Try again'));
    expect(dialog().getByText('2 records were read')).toBeDefined();
  });
});

describe('a list', () => {
  test('is filtered by groups of its lines, which the address keeps', async () => {
    const { user, path } = await open([line(1, 'ready'), line(2, 'failed'), line(3, 'blocked')]);
    const shown = () =>
      screen.getAllByRole('listitem').map((row) => /n\d\.com/.exec(row.textContent ?? '')?.[0]);
    expect(shown()).toEqual(['n1.com', 'n2.com', 'n3.com']);
    await user.click(screen.getByRole('button', { name: /^Needs you/ }));
    expect(shown()).toEqual(['n2.com', 'n3.com']);
    expect(path()).toContain('tab=trouble');
    await user.click(screen.getByRole('button', { name: /^Needs you/ }));
    expect(shown()).toHaveLength(3);
  });

  test('says how far its check is', async () => {
    await open([line(1, 'ready'), line(2, 'checking'), line(3, 'checking')]);
    expect(screen.getByText(/^1 of 3 domains checked\./)).toBeDefined();
    // Each line would drown everything else that is read out.
    expect(screen.getByRole('status').textContent).toBe('Checking: 25%');
  });

  test('says that its check has ended', async () => {
    await open([line(1, 'ready'), line(2, 'blocked')]);
    expect(screen.getByRole('status').textContent).toBe('2 domains checked');
  });

  test.each<[string, MoveLine[], string, string]>([
    ['of which nothing is ordered is deleted whole', [line(1, 'ready')], 'Delete the list', '/domain/moves'],
    [
      'of which a part is ordered loses the rest',
      [line(1, 'ready'), line(2, 'done', { orderId: uuid(41) })],
      'Delete the domains not ordered',
      `/domain/moves/${uuid(31)}`,
    ],
  ])('%s, after a question', async (_what, lines, label, then) => {
    const { user, sent, path } = await open(lines, { [drop]: {} });
    await user.click(button(label));
    expect(dialog().getByText(/^The codes of 1 domain are deleted/)).toBeDefined();
    await user.click(dialog().getByText('Cancel'));
    expect(sent(drop)).toEqual([]);
    await user.click(button(label));
    await user.click(dialog().getByText('Delete'));
    expect(sent(drop).map(({ params }) => params)).toEqual([{ id: uuid(31) }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(path()).toBe(then);
  });

  test('whose deletion is refused stays, and says why', async () => {
    const { user, path } = await open([line(1, 'ready')], {
      [drop]: refused(500, 'internal', { message: 'Broken' }),
    });
    await user.click(button('Delete the list'));
    await user.click(dialog().getByText('Delete'));
    expect(dialog().getByRole('alert').textContent).toBe('Broken');
    expect(path()).toBe(`/domain/moves/${uuid(31)}`);
    // Asked again, it says nothing of the earlier try; refused again, it does.
    await user.click(dialog().getByText('Cancel'));
    await user.click(button('Delete the list'));
    expect(dialog().queryByRole('alert')).toBeNull();
    await user.click(dialog().getByText('Delete'));
    expect(dialog().getByRole('alert').textContent).toBe('Broken');
  });

  test('that does not exist is said, and one that cannot be read is read again', async () => {
    const { answer, user } = await open([], { [get]: refused(500, 'internal', { message: 'Broken' }) });
    answer(get, refused(404, 'not_found'));
    await user.click(button('Try again'));
    expect(screen.getByText('There is no such list')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Paste a list' }).getAttribute('href')).toBe('/domain/moves');
  });
});

test('a long refusal that many lines repeat is folded in each of them', async () => {
  const text = 'The registry refuses. '.repeat(20);
  await open([line(1, 'blocked', { text }), line(2, 'blocked', { text }), line(3, 'blocked')]);
  const folds = screen.getAllByRole('button', { name: /^Show all/ });
  expect(folds.map((fold) => fold.getAttribute('aria-label'))).toEqual([
    'Show all: n1.com',
    'Show all: n2.com',
  ]);
});
