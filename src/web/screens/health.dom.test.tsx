import { act } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BoardRow } from '#contracts/operations/health.ts';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  fieldErrors,
  file,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import HealthScreen from './health.tsx';

const moment = '2026-11-01T12:00:00Z';
const of = (n: number, domain: string, title: string, more: Partial<BoardRow> = {}): BoardRow => ({
  ...{ id: uuid(n), kind: 'ns-none', area: 'delegation', weight: 'bad', title, domain },
  ...{ meaning: 'Nobody finds it.', remedy: 'Ask the registry.', certainty: 'sure', fix: null },
  ...{ detail: 'No answer', firstSeen: moment, lastSeen: moment, clearedAt: null, muted: null },
  ...{ watched: null, customerId: uuid(21), customer: 'Acme', ...more },
});
const lost = of(11, 'acme.com', 'It is lost');
const weak = of(12, 'zeta.com', 'It is weak', { weight: 'warn', certainty: 'likely', fix: { kind: 'spf' } });
const quiet = of(13, 'quiet.com', 'It is meant so', {
  muted: { until: '2027-01-01T12:00:00Z', reason: 'A parked name' },
});
const board = 'GET /health';
const mute = 'PUT /health/:id/mute';
const counts = [
  { kind: 'ns-none' as const, count: 2 },
  { kind: 'ns-differs' as const, count: 1 },
];

const open = (
  rows: BoardRow[],
  answers: Answers = {},
  { role = 'MSP_OWNER', path = '/health' }: { role?: Role; path?: string } = {},
) =>
  openScreen(HealthScreen, {
    ...{ route: '/health', path, role },
    answers: {
      [board]: { rows, more: false, counts },
      'GET /customer/choices': [{ customerId: uuid(21), organization: 'Acme', markups: null }],
      ...answers,
    },
  });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
/** A name is drawn in parts, so that it can break. */
const entry = (text: string) =>
  screen.queryAllByRole('listitem').find((one) => one.textContent.includes(text)) as HTMLElement;
const choose = async (user: { click: (on: HTMLElement) => Promise<void> }, label: string, option: string) => {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(screen.getByRole('option', { name: option }));
};

describe('the muting of a finding', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-10T09:00:00Z') }));
  afterEach(() => vi.useRealTimers());

  const reason = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Reason' });
  async function ask(answers: Answers = {}) {
    const opened = await open([lost, weak], { [mute]: weak, ...answers });
    await opened.user.click(button('Mute: It is weak'));
    const dialog = within(screen.getByRole('dialog', { name: 'Mute “It is weak”' }));
    return { ...opened, send: () => opened.user.click(dialog.getByRole('button', { name: 'Mute' })) };
  }

  test.each(['', '   '])('is not sent with the reason %j, and its field says why', async (text) => {
    const { user, sent, send } = await ask();
    if (text) await user.type(reason(), text);
    await send();
    expect(fieldErrors()).toEqual({ Reason: 'Please enter a reason' });
    expect(sent(mute)).toEqual([]);
  });

  test('is of that finding, for a month, with the reason; the list is read again', async () => {
    const { user, sent, send } = await ask();
    await user.type(reason(), ' It is parked ');
    await send();
    expect(sent(mute)).toMatchObject([{ params: { id: weak.id } }]);
    expect(sent(mute)[0]?.body).toEqual({
      muted: { until: '2026-12-10T09:00:00.000Z', reason: 'It is parked' },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(board)).toHaveLength(2);
  });

  test.each([
    ['For a week', '2026-11-17T09:00:00.000Z'],
    ['For half a year', '2027-05-09T09:00:00.000Z'],
    ['For a year', '2027-11-10T09:00:00.000Z'],
  ])('%s ends at %s', async (span, until) => {
    const { user, sent, send } = await ask();
    await user.type(reason(), 'x');
    await choose(user, 'How long', span);
    await send();
    expect(sent(mute)[0]?.body).toEqual({ muted: { until, reason: 'x' } });
  });

  test('is sent once however often somebody presses, and stays until its answer', async () => {
    const { user, sent, send } = await ask({ [mute]: new Held() });
    await user.type(reason(), 'x');
    await send();
    expect(button('Muting...').disabled).toBe(true);
    expect(button('Cancel').disabled).toBe(true);
    await user.type(reason(), '{Enter}');
    expect(sent(mute)).toHaveLength(1);
  });

  test.each([
    ['refused', refused(404, 'not_found', { message: 'It is gone.' }), 'It is gone.'],
    ['without an answer', silence, 'Something went wrong'],
  ])('that is %s says so, and keeps what was typed', async (_what, answer, message) => {
    const { user, sent, send } = await ask({ [mute]: answer });
    await user.type(reason(), 'x');
    await send();
    expect(screen.getByRole('alert').textContent).toBe(message);
    expect(reason().value).toBe('x');
    await send();
    expect(sent(mute)).toHaveLength(2);
  });

  test('whose end or reason the portal refuses says so at that field', async () => {
    const details = [
      { path: 'muted.until', message: 'Please choose a date within the next year' },
      { path: 'muted.reason', message: 'Too long' },
    ];
    const { user, send } = await ask({ [mute]: refused(400, 'validation_failed', { details }) });
    await user.type(reason(), 'x');
    await send();
    expect(fieldErrors()).toEqual({
      ...{ 'How long': 'Please choose a date within the next year', Reason: 'Too long' },
    });
  });

  test('that is given up sends nothing', async () => {
    const { user, sent } = await ask();
    await user.type(reason(), 'x');
    await user.click(button('Cancel'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(mute)).toEqual([]);
  });

  test('ends for the finding whose button was pressed, and says why it could not', async () => {
    const opened = await open([of(14, 'other.com', 'Other'), quiet], {
      [mute]: refused(404, 'not_found', { message: 'It is gone.' }),
    });
    expect(entry('quiet.com').textContent).toMatch(/muted until Jan 1, 2027: A parked name/);
    await opened.user.click(button('Unmute'));
    expect(screen.getByRole('alert').textContent).toBe('It is gone.');
    opened.answer(mute, new Held());
    await opened.user.click(button('Unmute'));
    expect(button('Unmute').disabled).toBe(true);
    expect(opened.sent(mute)).toMatchObject([
      { params: { id: quiet.id }, body: { muted: null } },
      { params: { id: quiet.id }, body: { muted: null } },
    ]);
  });
});

describe('a finding', () => {
  test('says how much it weighs, of what, for whom and since when; a likely one, that it may be meant so', async () => {
    await open([lost, weak]);
    expect(entry('acme.com').textContent).toMatch(
      /^Fix now.*acme.com · AcmeIt is lostNo answerNobody finds it. Ask the registry.Seen since Nov 1, 2026/,
    );
    expect(entry('zeta.com').textContent).toMatch(
      /^Fix soon.*Ask the registry. If this is intended, mute this finding./,
    );
    expect(screen.getAllByRole('link').map((one) => one.getAttribute('href'))).toContain(
      '/domain/acme.com?tab=health',
    );
  });

  test('of a name that is held elsewhere says where', async () => {
    await open([{ ...lost, watched: { registrar: 'Other Inc.' }, customer: '' }]);
    expect(entry('acme.com').textContent).toContain('acme.com · Watched, held at Other Inc.It is lost');
  });

  test('that was mended is no more to be muted or fixed', async () => {
    await open([{ ...weak, clearedAt: '2026-11-05T12:00:00Z' }]);
    expect(entry('zeta.com').textContent).toMatch(/^Fixed.*fixed Nov 5, 2026/);
    expect(screen.queryByRole('button', { name: /^(Mute|Fix):/ })).toBeNull();
  });

  test.each<[Role, boolean]>([
    ['MSP_EMPLOYEE', true],
    ['MSP_CUSTOMER', false],
  ])('is muted and mended by %s: %s', async (role, may) => {
    await open([weak], {}, { role });
    expect(screen.queryByRole('button', { name: 'Mute: It is weak' }) !== null).toBe(may);
    expect(screen.queryByRole('button', { name: 'Fix: It is weak' }) !== null).toBe(may);
    expect(entry('zeta.com').textContent.includes('Acme')).toBe(may);
  });

  test('is mended by a change of its own domain alone', async () => {
    const opened = await open([lost, weak], {
      'POST /changes': refused(422, 'unprocessable', { message: 'No.' }),
    });
    expect(screen.getAllByRole('button', { name: /^Fix/ })).toHaveLength(1);
    await opened.user.click(button('Fix: It is weak'));
    expect(opened.sent('POST /changes').map(({ body }) => body)).toEqual([
      {
        ...{ title: 'Fix: It is weak', request: { kind: 'spf' } },
        targets: { kind: 'names', names: ['zeta.com'] },
      },
    ]);
    expect(screen.getByRole('alert').textContent).toBe('No.');
  });
});

describe('a kind of finding', () => {
  const also = of(15, 'b.com', 'It is weak', { fix: { kind: 'spf' } });

  test('is mended in all domains that have it by one change, also where somebody presses twice at once', async () => {
    const held = new Held();
    const { sent, settled } = await open(
      [weak, also],
      { 'POST /changes': held },
      { path: '/health?kind=ns-none' },
    );
    const fix = button('Fix in all domains: It is weak');
    await act(async () => {
      fix.click();
      fix.click();
    });
    await settled();
    expect(button('Fix in all domains: It is weak').disabled).toBe(true);
    held.give(refused(422, 'unprocessable', { message: 'No.' }));
    await settled();
    expect(sent('POST /changes').map(({ body }) => body)).toEqual([
      {
        ...{ title: 'Fix: It is weak', request: { kind: 'spf' } },
        targets: { kind: 'names', names: ['zeta.com', 'b.com'] },
      },
    ]);
    expect(screen.getByRole('alert').textContent).toBe('No.');
  });

  test('that is not chosen, or that no change mends, is not mended in all', async () => {
    await open([weak]);
    expect(screen.queryByRole('button', { name: /^Fix in/ })).toBeNull();
  });
});

describe('the list of findings', () => {
  test.each<[string, object]>([
    ['/health', {}],
    ['/health?tab=mail', { area: 'mail' }],
    ['/health?tab=muted', { muted: 'true' }],
    [`/health?kind=ns-none&customer=${uuid(21)}`, { kind: 'ns-none', customerId: uuid(21) }],
    ['/health?tab=other&kind=toString', {}],
  ])('at %s asks for %o', async (path, query) => {
    const { sent } = await open([lost], {}, { path });
    expect(sent(board).map((call) => call.query)).toEqual([{ limit: '50', ...query }]);
  });

  test('is filtered by what one chooses', async () => {
    const { user, path } = await open([lost]);
    await user.click(button(/^Muted/));
    await choose(user, 'Finding', 'The registry lists other nameservers (1)');
    await choose(user, 'Customer', 'Acme');
    expect(path()).toBe(`/health?tab=muted&kind=ns-differs&customer=${uuid(21)}`);
    await user.click(button(/^Muted/));
    expect(path()).not.toContain('tab');
  });

  test('goes on where it ended', async () => {
    const opened = await open([], { [board]: { rows: [lost], more: true, counts } });
    opened.answer(board, { rows: [weak], more: false, counts });
    await opened.user.click(button('Show more'));
    expect(opened.sent(board).at(-1)?.query).toEqual({ limit: '50', after: lost.id });
    expect([entry('acme.com'), entry('zeta.com')]).not.toContain(undefined);
  });

  test('that is empty says so; one that cannot be read is read again', async () => {
    const opened = await open([], { [board]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByText('Nothing was found here')).toBeNull();
    opened.answer(board, { rows: [], more: false, counts: [] });
    await opened.user.click(button('Try again'));
    expect(screen.getByText('Nothing was found here')).toBeDefined();
    expect(screen.getByText(/are listed here, with what to do about them/)).toBeDefined();
  });

  test('hands out the report of the customer that is chosen', async () => {
    const report = 'GET /customer/:id/health-report';
    const opened = await open(
      [lost],
      { [report]: file('acme.pdf') },
      { path: `/health?customer=${uuid(21)}` },
    );
    expect(screen.getByRole('link', { name: 'Report' }).getAttribute('href')).toBe(
      `/health/report/${uuid(21)}`,
    );
    await opened.user.click(button('Report as PDF'));
    expect(opened.sent(report).map(({ params }) => params)).toEqual([{ id: uuid(21) }]);
    expect(opened.saved()).toEqual(['acme.pdf']);
    opened.answer(report, refused(429, 'rate_limited', { message: 'Too many.' }));
    await opened.user.click(button('Report as PDF'));
    expect(screen.getByRole('alert').textContent).toContain('Too many.');
  });

  test("offers a customer's own user the report of their one customer, and no filter of others", async () => {
    await open([lost], {}, { role: 'MSP_CUSTOMER' });
    expect(screen.getByRole('link', { name: 'Report' }).getAttribute('href')).toBe(
      `/health/report/${uuid(21)}`,
    );
    expect(screen.queryByRole('combobox', { name: 'Customer' })).toBeNull();
    expect(screen.queryByRole('button', { name: /^Muted/ })).toBeNull();
  });
});
