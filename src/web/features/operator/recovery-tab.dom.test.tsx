import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
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
import { RecoveryNotice, RecoveryTab } from './recovery-tab.tsx';

const recoveryOf = (state: string, more: object = {}) => ({
  ...{ id: uuid(81), reason: 'promoted', state, step: 'names', done: 1_200, total: 4_800 },
  ...{ hindrance: null, since: '2026-11-19T12:00:00Z', startedAt: '2026-11-20T12:00:00Z', endedAt: null },
  ...more,
});
const findingOf = (n: number, text: string, needsPerson: boolean, settledAt: string | null = null) => ({
  ...{
    id: uuid(n),
    kind: 'order',
    subject: `subject-${n}`,
    organizationId: null,
    text,
    needsPerson,
    settledAt,
  },
});
const first = findingOf(91, 'An order is known to the registrar alone.', true);
const second = findingOf(92, 'The payment subject-92 has no top-up.', true);
const decided = findingOf(93, 'A name differs.', true, '2026-11-20T13:00:00Z');
const done = findingOf(94, 'A zone was written again.', false);
const [read, settle] = ['GET /operator/recovery', 'POST /operator/recovery/findings/:id/settle'];

const open = (recovery: unknown, findings: unknown[] = [], answers: Answers = {}) =>
  openForOperator(RecoveryTab, { [read]: { recovery, findings }, [settle]: {}, ...answers });
const rows = () => within(screen.getByRole('table')).getAllByRole('row').slice(1);
const inDialog = (name: string) => within(screen.getByRole('dialog')).getByRole('button', { name });
const text = () => document.body.textContent;

describe('a recovery', () => {
  test.each([
    ['running', {}, 'Comparing', 'Step 2 of 4, domains: 1,200 of 4,800'],
    ['running', { total: null }, 'Comparing', 'Step 2 of 4, domains: 1,200'],
    ['waiting', {}, 'Waits for you', 'A standby took over as the database server.'],
    ['ended', { endedAt: '2026-11-21T12:00:00Z' }, 'Ended', 'ended Nov 21, 2026'],
    ['ended', { reason: 'elsewhere' }, 'Ended', 'The portal found another database than before'],
    ['ended', { reason: 'asked' }, 'Ended', 'Somebody began it'],
    ['running', { hindrance: 'The registrar is away.' }, 'Comparing', 'tries again: The registrar is away.'],
  ])('that is %s %o tells how far it is', async (state, more, label, said) => {
    await open(recoveryOf(state, more));
    expect(screen.getByText(label)).toBeDefined();
    expect(text()).toContain(said);
    expect(text()).toContain('Everything since Nov 19, 2026');
    expect(text()?.includes('1,200')).toBe(state === 'running');
    const bar = screen.queryByRole('progressbar')?.getAttribute('aria-label');
    const counts = state === 'running' && !('total' in more);
    expect(bar).toBe(counts ? 'Progress: domains' : undefined);
    expect(screen.getByText('No differences')).toBeDefined();
  });

  test('that runs is followed, and shows what it came to', async () => {
    const every = vi.fn((_look: () => void, _ms?: number) => 1);
    vi.stubGlobal('setInterval', every);
    const there = await open(recoveryOf('running'));
    there.answer(read, { recovery: recoveryOf('waiting'), findings: [first] });
    every.mock.calls.find(([, ms]) => ms === 2_000)?.[0]();
    await there.settled();
    expect(screen.getByText('Waits for you')).toBeDefined();
    expect(screen.getByText('1 to decide')).toBeDefined();
  });

  test('that never was is told so, and one that cannot be read is read again', async () => {
    const there = await open(null, [], { [read]: refused(500, 'internal', { message: 'No luck.' }) });
    expect(screen.getByText('No luck.')).toBeDefined();
    there.answer(read, { recovery: null, findings: [] });
    await there.user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(screen.getByText('There was no recovery')).toBeDefined();
  });

  test('folds a long text of the registrar, and shows all of it where it is decided', async () => {
    const long = findingOf(97, 'The registry refuses. '.repeat(20).trim(), true);
    const { user } = await open(recoveryOf('waiting'), [long, second]);
    expect(screen.getAllByRole('button', { name: /^Show all: / })).toHaveLength(1);
    await user.click(within(rows()[0] as HTMLElement).getByRole('button', { name: 'Decided' }));
    expect(screen.getByRole('dialog').textContent).toContain(long.text);
  });

  test('offers a decision for what waits for one, and for nothing else', async () => {
    await open(recoveryOf('waiting'), [first, second, decided, done]);
    expect(screen.getByText('2 to decide')).toBeDefined();
    expect(rows().map((row) => within(row).queryAllByRole('button').length)).toEqual([1, 1, 0, 0]);
    const texts = rows().map(({ textContent }) => textContent);
    // The subject is told once.
    expect(texts).toEqual([
      `${first.text}subject-91To decideDecided`,
      `${second.text}To decideDecided`,
      `${decided.text}subject-93Decided`,
      `${done.text}subject-94Done`,
    ]);
  });
});

const give = 'POST /operator/domains';
const nobodys = (n: number, domain: string, settledAt: string | null = null) => ({
  ...findingOf(n, `The registrar has ${domain} for us.`, false, settledAt),
  ...{ kind: 'name-unknown', subject: domain },
});

const organization = 'GET /operator/organizations/:id';
const customers = 'GET /operator/organizations/:id/customers';
const blueFig = { name: 'Blue Fig', closedAt: null, balance: 0, aloneLeft: 0, customers: 2 };
const [greenPear, redPlum] = [
  { id: uuid(3), name: 'Green Pear' },
  { id: uuid(2), name: 'Red Plum' },
];

describe('a domain that is nobody’s', () => {
  const [one, other] = [nobodys(95, 'lost-one.com'), nobodys(96, 'lost-two.com')];
  const giveButtons = () => screen.queryAllByRole('button', { name: /^Give to a customer/ });
  async function ask(answers: Answers = {}) {
    const message = 'lost-two.com is now listed for Red Plum of Blue Fig.';
    const there = await open(recoveryOf('ended'), [one, other], {
      ...{ [give]: { message }, [organization]: blueFig, [customers]: [greenPear, redPlum], ...answers },
    });
    await there.user.click(screen.getByRole('button', { name: 'Give to a customer: lost-two.com' }));
    const customer = () => screen.getByRole<HTMLInputElement>('combobox', { name: /^Customer/ });
    const choose = async (name: string) => {
      await there.user.click(customer());
      await there.user.click(screen.getByRole('option', { name }));
    };
    const type = (label: string, typed: string) =>
      there.user.type(within(screen.getByRole('dialog')).getByLabelText(new RegExp(`^${label}`)), typed);
    const fill = async () => {
      await type('Organization ID', uuid(1));
      await type('Organization name', 'Blue Fig');
      await choose('Red Plum');
      await type('Reason', 'Lost in the restore');
    };
    return {
      ...there,
      message,
      customer,
      choose,
      type,
      fill,
      give: () => there.user.click(inDialog('Give domain')),
    };
  }

  test.each(['running', 'waiting'])(
    'says so while a recovery is %s, and is given afterwards',
    async (state) => {
      await open(recoveryOf(state), [one, done]);
      expect(rows().map(({ textContent }) => textContent)).toEqual([
        `${one.text}No owner`,
        `${done.text}subject-94Done`,
      ]);
      expect(giveButtons()).toEqual([]);
    },
  );

  test('is done once it was given', async () => {
    await open(recoveryOf('ended'), [nobodys(95, 'lost-one.com', '2026-11-20T13:00:00Z'), other, done]);
    expect(rows()[0]?.textContent).toBe('The registrar has lost-one.com for us.Done');
    expect(giveButtons()).toHaveLength(1);
  });

  test('is given as it was asked about, and its outcome is told', async () => {
    const there = await ask();
    expect(screen.getByRole('dialog').textContent).toContain('lost-two.com');
    expect(screen.getByRole('dialog').textContent).toContain('No money moves');
    await there.fill();
    there.answer(read, { recovery: recoveryOf('ended'), findings: [one] });
    await there.give();
    expect(there.sent(give).map(({ body }) => body)).toEqual([
      {
        ...{ domain: 'lost-two.com', organizationId: uuid(1), organization: 'Blue Fig' },
        ...{ customerId: uuid(2), reason: 'Lost in the restore' },
      },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText(there.message)).toBeDefined();
    expect(rows()).toHaveLength(1);
  });

  test('is not sent before every field is filled in, and each fault is at its field', async () => {
    const there = await ask();
    await there.give();
    expect(Object.keys(fieldErrors())).toEqual([
      ...['Organization ID', 'Organization name', 'Customer', 'Reason'],
    ]);
    await there.fill();
    expect(fieldErrors()).toEqual({});
    await there.user.click(inDialog('Cancel'));
    expect(there.sent(give)).toEqual([]);
  });

  test('has a choice of the organization’s customers as soon as its whole ID is there', async () => {
    const there = await ask();
    expect(there.customer()).toMatchObject({
      disabled: true,
      placeholder: 'Enter the organization’s ID first',
    });
    await there.type('Organization ID', uuid(1).slice(0, -1));
    expect(there.sent(organization)).toEqual([]);
    await there.type('Organization ID', `${uuid(1).slice(-1)} `);
    expect(there.sent(organization).map(({ params }) => params)).toEqual([{ id: uuid(1) }]);
    expect(there.customer()).toMatchObject({ disabled: false, placeholder: 'Choose a customer' });
    expect(screen.queryByText(/are listed/)).toBeNull();
    await there.choose('Green Pear');
    expect(there.customer().value).toBe('Green Pear');
    // Of another organization nobody is chosen yet.
    there.answer(organization, { ...blueFig, customers: 0 });
    await there.user.clear(screen.getByLabelText(/^Organization ID/));
    await there.type('Organization ID', uuid(5));
    expect(there.customer()).toMatchObject({
      ...{ disabled: true, value: '', placeholder: 'This organization has no customers' },
    });
  });

  test('of many customers finds the one whose name is typed, at the server, and keeps who was chosen', async () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ id: uuid(200 + n), name: `Apple ${n + 10}` }));
    const there = await ask({ [organization]: { ...blueFig, customers: 10_000 }, [customers]: many });
    const asked = () => there.sent(customers).map(({ query }) => query);
    await there.type('Organization ID', uuid(1));
    expect(asked()).toEqual([{ page: '1', pageSize: '50' }]);
    expect(screen.getByText('Up to 50 are listed. Type a part of the name to find others.')).toBeDefined();
    there.answer(customers, [redPlum]);
    await there.user.type(there.customer(), 'plum');
    await eventually(() => expect(asked().at(-1)).toEqual({ search: 'plum', page: '1', pageSize: '50' }));
    await screen.findByRole('option', { name: 'Red Plum' });
    // It has come since the last key was pressed, and Enter takes it all the same.
    await there.user.keyboard('{Enter}');
    expect(there.sent(give)).toEqual([]);
    expect(fieldErrors()).toEqual({});
    expect(there.customer().value).toBe('Red Plum');
    // All of them are offered again, with the chosen one. Its name is nothing that is looked for.
    there.answer(customers, many);
    await there.user.click(there.customer());
    await screen.findByRole('option', { name: 'Apple 10' });
    expect(screen.getByRole('option', { name: 'Red Plum' })).toBeDefined();
    expect(there.customer().value).toBe('Red Plum');
    expect(asked().map((query) => (query as { search?: string }).search)).not.toContain('Red Plum');
    await there.type('Organization name', 'Blue Fig');
    await there.type('Reason', 'Lost in the restore');
    await there.give();
    expect(there.sent(give).map(({ body }) => (body as { customerId: string }).customerId)).toEqual([
      redPlum.id,
    ]);
  });

  test('of an organization that is not there says so at its ID; what was not answered is asked again', async () => {
    const message = 'There is no organization with this ID.';
    const there = await ask({ [organization]: refused(404, 'not_found', { message }) });
    await there.type('Organization ID', uuid(1));
    expect(fieldErrors()).toEqual({ 'Organization ID': message });
    there.answer(organization, refused(500, 'internal'));
    await there.user.clear(screen.getByLabelText(/^Organization ID/));
    await there.type('Organization ID', uuid(5));
    expect(screen.queryByRole('combobox', { name: /^Customer/ })).toBeNull();
    there.answer(organization, blueFig);
    await there.user.click(inDialog('Try again'));
    await there.choose('Red Plum');
  });

  test.each([
    ['refused', refused(409, 'conflict', { message: 'It is on a list.' }), 'It is on a list.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says why and keeps what was typed', async (_what, answer, message) => {
    const there = await ask({ [give]: answer });
    await there.fill();
    await there.give();
    expect(within(screen.getByRole('dialog')).getByRole('alert').textContent).toBe(message);
    await there.give();
    expect(there.sent(give)).toHaveLength(2);
    await there.user.click(inDialog('Cancel'));
    await there.user.click(screen.getByRole('button', { name: 'Give to a customer: lost-one.com' }));
    expect(within(screen.getByRole('dialog')).queryByRole('alert')).toBeNull();
  });
});

describe('a decision about a difference', () => {
  async function ask(answers: Answers = {}) {
    const there = await open(recoveryOf('waiting'), [first, second], answers);
    await there.user.click(within(rows()[1] as HTMLElement).getByRole('button'));
    const why = () => within(screen.getByRole('dialog')).getByLabelText(/^Reason/);
    const decide = () => there.user.click(inDialog('It is decided'));
    return {
      ...there,
      decide,
      decideWhy: async () => {
        await there.user.type(why(), 'Charged by hand');
        await decide();
      },
    };
  }

  test('asks first, and is about the one that was asked about', async () => {
    const there = await ask();
    const asked = screen.getByRole('dialog', { name: 'Have you decided about this?' }).textContent;
    expect(asked).toContain(second.text);
    expect(asked).toContain('After the last decision everything is sent again.');
    await there.user.click(inDialog('Cancel'));
    expect(there.sent(settle)).toEqual([]);
    await there.user.click(within(rows()[1] as HTMLElement).getByRole('button'));
    there.answer(read, {
      recovery: recoveryOf('waiting'),
      findings: [first, { ...second, settledAt: first.settledAt }],
    });
    await there.decideWhy();
    expect(there.sent(settle).map(({ params, body }) => ({ params, body }))).toEqual([
      { params: { id: second.id }, body: { reason: 'Charged by hand' } },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(there.sent(read)).toHaveLength(2);
  });

  test.each([
    ['refused', refused(404, 'not_found', { message: 'It is gone.' }), 'It is gone.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says why and stays open', async (_what, answer, message) => {
    const there = await ask({ [settle]: answer });
    await there.decideWhy();
    expect(within(screen.getByRole('dialog')).getByRole('alert').textContent).toBe(message);
    await there.decide();
    expect(there.sent(settle)).toHaveLength(2);
    await there.user.click(inDialog('Cancel'));
    await there.user.click(within(rows()[0] as HTMLElement).getByRole('button'));
    expect(within(screen.getByRole('dialog')).queryByRole('alert')).toBeNull();
  });

  test('is not sent without a reason, and keeps what was typed when a colleague was first', async () => {
    const there = await ask();
    await there.decide();
    expect(fieldErrors()).toEqual({ Reason: 'Please give a short reason' });
    expect(there.sent(settle)).toEqual([]);
    there.answer(read, { recovery: recoveryOf('ended'), findings: [done] });
    there.answer(settle, refused(404, 'not_found', { message: 'It is gone.' }));
    await there.decideWhy();
    expect(rows()).toHaveLength(1);
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByRole('alert').textContent).toBe('It is gone.');
    expect(dialog.getByLabelText<HTMLInputElement>(/^Reason/).value).toBe('Charged by hand');
  });

  test('is sent once: while it runs nothing can be pressed', async () => {
    const held = new Held();
    const there = await ask({ [settle]: held });
    await there.decideWhy();
    for (const name of ['Saving...', 'Cancel']) {
      expect(inDialog(name)).toHaveProperty('disabled', true);
      await there.user.click(inDialog(name));
    }
    held.give({});
    await there.settled();
    expect(there.sent(settle)).toHaveLength(1);
  });
});

test.each([
  ['waiting', 'A recovery waits for your decisions.'],
  ['running', 'A recovery is running.'],
  ['ended', null],
  [null, null],
])('the notice of a recovery that is %s', async (state, said) => {
  const recovery = state && recoveryOf(state);
  await openForOperator(() => <RecoveryNotice onOpen={() => undefined} />, {
    [read]: { recovery, findings: [] },
  });
  expect(screen.queryByRole('status') !== null).toBe(said !== null);
  if (said) expect(text()).toContain(said);
});
