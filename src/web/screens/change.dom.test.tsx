import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Answers,
  type Call,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Change, ChangeItem } from '../../contracts/operations/changes.ts';
import { followNothing } from '../lib/followed-work.ts';
import ChangeScreen from './change.tsx';

const id = uuid(51);
const noCounts = {
  ...{ total: 0, waiting: 0, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0 },
  ...{ queued: 0, applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
};
const change = (
  state: Change['state'],
  counts: Partial<Change['counts']> = {},
  more: Partial<Change> = {},
) => ({
  ...{ id, title: 'New mail', reason: 'Ticket 5', sentence: 'Replace a with b', state, note: '' },
  ...{
    request: { kind: 'replace-value', find: 'a', replacement: 'b', part: false },
    author: 'bob@msp.example',
  },
  ...{ createdAt: '2026-11-20T10:00:00Z', startedAt: null, endedAt: null, undoes: null, undoneBy: null },
  ...{ leftByUndo: null, round: 7, counts: { ...noCounts, ...counts }, ...more },
});
const item = (n: number, domain: string, state: ChangeItem['state'], more: Partial<ChangeItem> = {}) => ({
  ...{ id: uuid(n), domain, customerId: null, customer: 'Acme', state, note: '', warnings: [] },
  ...{ difference: null, settings: null, others: null, needsTick: false, ticked: false, endedAt: null },
  ...more,
});
const long = 'The registry refuses. '.repeat(20).trim();
const old = { type: 'MX', subdomain: '', hostname: 'a', priority: 10 } as const;
const updated = {
  ...{ added: 0, changed: 1, removed: 0 },
  first: [{ action: 'update' as const, record: { ...old, hostname: 'b' }, old }],
};
const readyItems = [
  item(61, 'a.com', 'ready', { difference: updated, others: 3 }),
  item(62, 'b.com', 'left-out', { difference: { ...updated, removed: 21 }, others: 1 }),
  item(63, 'c.com', 'same'),
  item(64, 'd.com', 'barred', { note: 'DNS elsewhere' }),
];
const ready = change('ready', { total: 4, ready: 1, leftOut: 1, same: 1, barred: 1 });
const customers = [{ customerId: uuid(21), organization: 'Acme', markups: null }];

const get = 'GET /changes/:id';
const choose = 'PATCH /changes/:id/items';

async function open(
  shown: Change,
  {
    items = readyItems,
    answers = {},
    search = '',
  }: { items?: object[]; answers?: Answers; search?: string } = {},
) {
  followNothing();
  return openScreen(ChangeScreen, {
    route: '/changes/$changeId',
    path: `/changes/${id}${search}`,
    answers: {
      [get]: shown,
      'GET /changes/:id/items': { items, more: false },
      'GET /customer/choices': customers,
      'GET /dns/templates': [],
      ...answers,
    },
  });
}
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const box = (name: string) => screen.getByRole('checkbox', { name }) as HTMLInputElement;
/** What can be done with the change as a whole. */
const offered = () => {
  const known = /^(Discard|Describe differently|Look again|End|Pause|Undo|Resume|Apply to .*|Try .* again)$/;
  return screen
    .queryAllByRole('button', { name: known })
    .filter((one) => !one.hasAttribute('aria-pressed'))
    .map(({ textContent }) => textContent);
};

describe('what is offered', () => {
  const counts = { total: 9, ready: 2, failed: 1, moved: 1, done: 3, queued: 2 };
  test.each<[Change['state'], Partial<Change>, string[]]>([
    ['draft', {}, ['Discard', 'Describe differently']],
    ['ready', {}, ['Discard', 'Describe differently', 'Look again', 'Apply to 2 domains']],
    ['running', {}, ['End', 'Pause']],
    ['paused', {}, ['End', 'Resume']],
    ['partly', {}, ['End', 'Undo', 'Try 2 domains again']],
    ['done', {}, ['Undo']],
    ['done', { undoneBy: uuid(52), leftByUndo: 0 }, []],
    ['done', { undoneBy: uuid(52), leftByUndo: 2 }, ['Undo']],
    ['cancelled', {}, ['Undo']],
    ['undone', {}, []],
  ])('of a change that is %s %j: %j', async (state, more, acts) => {
    await open(change(state, counts, more));
    expect(offered()).toEqual(acts);
  });

  test('an undo is not described differently', async () => {
    await open(change('ready', counts, { request: { kind: 'undo', changeId: uuid(50), title: 'x' } }));
    expect(offered()).toEqual(['Discard', 'Look again', 'Apply to 2 domains']);
  });
});

describe('applying', () => {
  const apply = 'POST /changes/:id/apply';
  const running = change('running', { total: 4, queued: 1 }, { startedAt: '2026-11-20T10:00:00Z', round: 8 });

  test('is about as many domains and the very round that were shown', async () => {
    const held = new Held();
    const { user, sent, settled, answer } = await open(ready, { answers: { [apply]: held } });
    await user.click(button('Apply to 1 domain'));
    expect(button('Starting...')).toHaveProperty('disabled', true);
    await user.click(button('Starting...'));
    answer(get, running);
    held.give(running);
    await settled();
    expect(sent(apply)).toMatchObject([{ params: { id }, body: { expected: 1, round: 7 } }]);
    expect(screen.getByText('Applying: 0 of 1 domain')).toBeDefined();
    expect(offered()).toEqual(['End', 'Pause']);
  });

  test('of no domain is not possible', async () => {
    await open(change('ready', { total: 1, same: 1 }));
    expect(button('Apply to 0 domains')).toHaveProperty('disabled', true);
  });

  test('what failed and what moved is tried again together', async () => {
    const retry = 'POST /changes/:id/retry';
    const { user, sent } = await open(change('partly', { total: 9, done: 1, failed: 2, moved: 3 }), {
      answers: { [retry]: running },
    });
    await user.click(button('Try 5 domains again'));
    expect(sent(retry)).toMatchObject([{ params: { id }, body: { expected: 5, round: 7 } }]);
  });

  test.each([
    [refused(409, 'conflict', { message: 'The change is another by now.' }), 'The change is another by now.'],
    [silence, 'Something went wrong'],
  ])('that fails says why, and looks at what the change is by now', async (given, message) => {
    const { user, sent, answer } = await open(ready, { answers: { [apply]: given } });
    answer(get, { ...ready, round: 8, counts: { ...ready.counts, ready: 2, leftOut: 0 } });
    await user.click(button('Apply to 1 domain'));
    expect(screen.getByRole('alert').textContent).toContain(message);
    await user.click(button('Apply to 2 domains'));
    expect(sent(apply).map(({ body }) => body)).toEqual([
      { expected: 1, round: 7 },
      { expected: 2, round: 8 },
    ]);
  });

  test.each([
    ['ready', 'POST /changes/:id/apply', 'Apply to 1 domain'],
    ['partly', 'POST /changes/:id/retry', 'Try 1 domain again'],
    ['paused', 'POST /changes/:id/resume', 'Resume'],
  ] as const)('of a change that is %s and needs a fresh sign-in leads there', async (state, name, label) => {
    const counts = { total: 1, ...(state === 'partly' ? { failed: 1 } : { ready: 1 }) };
    const unlocks = change(state, counts, { request: { kind: 'lock', locked: false } });
    const { user, session } = await open(unlocks, {
      answers: { [name]: refused(403, 'fresh_sign_in_required') },
    });
    await user.click(button(label));
    expect(screen.getByRole('alert').textContent).toContain('please sign in again to unlock domains');
    await user.click(button('Sign in again'));
    expect(session.signIn).toHaveBeenCalledWith(expect.objectContaining({ fresh: true }));
  });
});

describe('an act', () => {
  test.each([
    ['ready', 'look', 'Look again', 'Looking...'],
    ['running', 'pause', 'Pause', 'Pausing...'],
    ['paused', 'resume', 'Resume', 'Resuming...'],
    ['done', 'undo', 'Undo', 'Preparing...'],
  ] as const)(
    'of a change that is %s: %s is sent once, and its refusal is shown',
    async (state, act, label, running) => {
      const held = new Held();
      const name = `POST /changes/:id/${act}`;
      const { user, sent, settled, path } = await open(change(state, { total: 4, done: 2 }), {
        answers: { [name]: held },
      });
      await user.click(button(label));
      expect(button(running)).toHaveProperty('disabled', true);
      held.give(refused(409, 'conflict', { message: 'Somebody was before.' }));
      await settled();
      expect(sent(name).map(({ params }) => params)).toEqual([{ id }]);
      expect(screen.getByRole('alert').textContent).toBe('Somebody was before.');
      expect(button(label)).toHaveProperty('disabled', false);
      expect(path()).toBe(`/changes/${id}`);
    },
  );

  test('an undo opens the change that undoes, which is applied only then', async () => {
    const back = change('draft', { total: 2, waiting: 2 }, { id: uuid(52), undoes: id });
    const { user, path, sent } = await open(change('done', { total: 2, done: 2 }), {
      answers: { 'POST /changes/:id/undo': back },
    });
    await user.click(button('Undo'));
    expect(path()).toBe(`/changes/${uuid(52)}`);
    expect(sent('POST /changes/:id/apply')).toEqual([]);
  });

  test('discarding asks first, and leads back to the list', async () => {
    const { user, sent, path } = await open(ready, { answers: { 'DELETE /changes/:id': {} } });
    await user.click(button('Discard'));
    expect(dialog().getByText(/Nothing was changed\./)).toBeDefined();
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(sent('DELETE /changes/:id')).toEqual([]);
    await user.click(button('Discard'));
    await user.click(dialog().getByRole('button', { name: 'Discard' }));
    expect(sent('DELETE /changes/:id').map(({ params }) => params)).toEqual([{ id }]);
    expect(path()).toBe('/changes');
  });

  test('ending asks first, and says what stays and what is not done any more', async () => {
    const running = change('running', { total: 9, queued: 3, failed: 1, moved: 1, done: 1 });
    const name = 'POST /changes/:id/cancel';
    const { user, sent, answer } = await open(running, {
      answers: { [name]: refused(409, 'conflict', { message: 'It has ended.' }) },
    });
    await user.click(button('End'));
    expect(dialog().getByText('1 domain stays changed. 5 domains are not changed any more.')).toBeDefined();
    expect(sent(name)).toEqual([]);
    await user.click(dialog().getByRole('button', { name: 'End' }));
    expect(dialog().getByRole('alert').textContent).toBe('It has ended.');
    const ended = change('cancelled', { total: 9, done: 1, cancelled: 8 });
    answer(name, ended);
    answer(get, ended);
    await user.click(dialog().getByRole('button', { name: 'End' }));
    expect(sent(name)).toHaveLength(2);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(offered()).toEqual(['Undo']);
  });
});

describe('the domains of a change', () => {
  const loses = 'It loses more than 30 % of its records, and this is intended';
  const texts = () =>
    within(screen.getByRole('list', { name: 'Domains' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);

  test('say what becomes of each, and only what can be chosen can be', async () => {
    await open(ready);
    expect(texts()).toEqual([
      'a.comAcme1 change',
      'b.comAcme22 changesLeft out',
      'c.comAcme–Nothing to change',
      'd.comAcme–Not possible: DNS elsewhere',
    ]);
    const states = ['a.com', 'b.com', 'c.com', 'd.com'].map((name) => box(`Change ${name}`));
    expect(states.map(({ checked, disabled }) => [checked, disabled])).toEqual([
      [true, false],
      [false, false],
      [false, true],
      [false, true],
    ]);
  });

  test('are left out and taken in again, each by its own box and for the round that was shown', async () => {
    const { user, sent, answer } = await open(ready, { answers: { [choose]: ready } });
    await user.click(box('Change b.com'));
    expect(sent(choose)).toMatchObject([
      { params: { id }, body: { ids: [uuid(62)], chosen: true, round: 7 } },
    ]);
    answer(choose, refused(409, 'conflict', { message: 'Somebody was before.' }));
    await user.click(box('Change a.com'));
    expect(sent(choose)[1]?.body).toEqual({ ids: [uuid(61)], chosen: false, round: 7 });
    // What was refused is shown as it is.
    expect(box('Change a.com').checked).toBe(true);
    expect(screen.getByRole('alert').textContent).toBe('Somebody was before.');
  });

  test.each<[Change['state'], ChangeItem['state'], boolean]>([
    ['ready', 'ready', true],
    ['partly', 'failed', true],
    ['partly', 'moved', true],
    ['partly', 'done', false],
    ['running', 'queued', false],
    ['paused', 'failed', false],
    ['done', 'done', false],
  ])('of a change that is %s: one that is %s can be chosen: %s', async (state, of, may) => {
    await open(change(state, { total: 1 }), { items: [item(61, 'a.com', of)] });
    expect(!box('Change a.com').disabled).toBe(may);
  });

  test('one that is looked at shows what goes, what comes and what stays', async () => {
    const { user } = await open(ready);
    const lines = () =>
      within(screen.getByRole('list', { name: 'Difference' }))
        .getAllByRole('listitem')
        .map(({ dataset, textContent }) => `${dataset.sign ?? ''} ${textContent}`.trim());
    expect(lines()).toEqual(['- @ MX 10 a', '+ @ MX 10 b']);
    expect(screen.queryByRole('checkbox', { name: loses })).toBeNull();
    expect(screen.getByText('3 other records stay as they are.')).toBeDefined();
    expect(screen.getByText('1 of 4')).toBeDefined();
    await user.click(button(/^b\s?\.com$/));
    expect(lines()).toEqual(['- @ MX 10 a', '+ @ MX 10 b', 'and 21 more']);
    expect([screen.getByText('1 other record stays as it is.'), screen.getByText('2 of 4')]).toHaveLength(2);
    await user.click(button(/^d\s?\.com$/));
    expect(screen.getByText('Not possible: DNS elsewhere', { selector: 'p' })).toBeDefined();
  });

  test('settings are shown with what they were and what they become, and how they are applied', async () => {
    const settings = [
      { label: 'Auto renew', before: 'Off', after: 'On, $12.00 a year' },
      { label: 'Customer', before: 'Acme', after: '' },
    ];
    await open(change('ready', { total: 1, ready: 1 }, { request: { kind: 'auto-renew', enabled: true } }), {
      items: [item(61, 'a.com', 'ready', { settings, warnings: ['It expires soon.'] })],
    });
    const list = screen.getByRole('list', { name: 'Difference' });
    expect([...list.querySelectorAll('del')].map(({ textContent }) => textContent)).toEqual(['Off', 'Acme']);
    expect([...list.querySelectorAll('ins')].map(({ textContent }) => textContent)).toEqual([
      'On, $12.00 a year',
    ]);
    expect(screen.getByRole('list', { name: 'Warnings' }).textContent).toBe('It expires soon.');
    expect(screen.getByText(/free of charge/)).toBeDefined();
    expect(texts()).toEqual(['a.comAcme2 changesIt expires soon.']);
  });

  test('one that loses much needs a word of its own, for itself and its round', async () => {
    const much = item(61, 'a.com', 'ready', { needsTick: true, difference: { ...updated, removed: 9 } });
    const { user, sent } = await open(ready, { items: [much], answers: { [choose]: ready } });
    expect(texts()[0]).toContain('Loses much of its zone');
    expect(box(loses).checked).toBe(false);
    await user.click(box(loses));
    expect(sent(choose).map(({ body }) => body)).toEqual([{ ids: [uuid(61)], ticked: true, round: 7 }]);
  });

  test('a word about one that is on its way is none about the next', async () => {
    const held = new Held();
    const much = [
      item(61, 'a.com', 'ready', { needsTick: true }),
      item(62, 'b.com', 'ready', { needsTick: true }),
    ];
    const { user, settled } = await open(ready, { items: much, answers: { [choose]: held } });
    await user.click(box(loses));
    expect(box(loses).checked).toBe(true);
    await user.click(button(/^b\s?\.com$/));
    expect(box(loses).checked).toBe(false);
    held.give(ready);
    await settled();
    expect(box(loses).checked).toBe(false);
  });

  test('that word cannot be given any more once the change is applied, and its refusal is shown', async () => {
    const much = item(61, 'a.com', 'ready', { needsTick: true });
    const { user } = await open(ready, {
      items: [much],
      answers: { [choose]: refused(409, 'conflict', { message: 'Somebody was before.' }) },
    });
    await user.click(box(loses));
    expect(screen.getByRole('alert').textContent).toBe('Somebody was before.');
    expect(box(loses).checked).toBe(false);
  });

  test('are found by state and name, in the address', async () => {
    const { user, sent, path } = await open(ready, {
      answers: { 'GET /changes/:id/items': { items: [], more: false } },
    });
    const query = () => sent('GET /changes/:id/items').at(-1)?.query;
    const states = within(screen.getByRole('group', { name: 'State' }));
    expect(states.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Ready1',
      'Left out1',
      'Nothing to change1',
      'Not possible1',
    ]);
    await user.click(states.getByRole('button', { name: /^Left out/ }));
    expect(query()).toEqual({ state: 'left-out', limit: '100' });
    await user.type(screen.getByRole('searchbox', { name: 'Find a domain' }), 'b');
    expect(query()).toEqual({ state: 'left-out', search: 'b', limit: '100' });
    expect(path()).toBe(`/changes/${id}?tab=left-out&search=b`);
    expect(screen.getByText('No domains here')).toBeDefined();
    await user.click(states.getByRole('button', { name: /^Left out/ }));
    expect(query()).toEqual({ search: 'b', limit: '100' });
  });

  test('each of their states is asked for by its own', async () => {
    const each = { ready: 1, warned: 2, leftOut: 3, same: 4, barred: 5, queued: 6 };
    const more = { done: 7, failed: 8, moved: 9, cancelled: 10 };
    const { user, sent } = await open(change('done', { total: 55, ...each, ...more }));
    const states = within(screen.getByRole('group', { name: 'State' }));
    const asked: unknown[] = [];
    for (const chip of states.getAllByRole('button')) {
      await user.click(chip);
      const { limit: _limit, ...query } = sent('GET /changes/:id/items').at(-1)?.query ?? {};
      asked.push([chip.textContent, query]);
    }
    expect(asked).toEqual([
      ['Ready1', { state: 'ready' }],
      ['Need a look2', { state: 'ready', warned: 'true' }],
      ['Left out3', { state: 'left-out' }],
      ['Nothing to change4', { state: 'same' }],
      ['Not possible5', { state: 'barred' }],
      ['Waiting6', { state: 'queued' }],
      ['Done7', { state: 'done' }],
      ['Failed8', { state: 'failed' }],
      ['Look again9', { state: 'moved' }],
      ['Not done10', { state: 'cancelled' }],
    ]);
  });

  test.each<[ChangeItem['state'], string, string]>([
    ['waiting', '', 'Being prepared'],
    ['queued', 'The registry is busy.', 'Waits: The registry is busy.'],
    ['applying', '', 'Being applied'],
    ['done', '', 'Done'],
    ['failed', 'Frozen.', 'Failed: Frozen.'],
    ['moved', '', 'Look again'],
    ['cancelled', '', 'Not done'],
    ['ready', 'Renews next year', 'Renews next year'],
  ])('one that is %s “%s” reads “%s”', async (state, text, said) => {
    await open(change('running', { total: 1 }), { items: [item(61, 'a.com', state, { note: text })] });
    expect(texts()).toEqual([`a.comAcme–${said}`]);
  });

  test.each([
    ['failed', { note: long }],
    ['ready', { warnings: [long] }],
  ] as const)('one whose %s text is long folds it, and all of it is a step away', async (state, more) => {
    const { user } = await open(change('running', { total: 1 }), {
      items: [
        item(61, 'a.com', state, { ...more, warnings: [...('warnings' in more ? more.warnings : [])] }),
      ],
    });
    await user.click(screen.getByRole('button', { name: 'Show all: a.com' }));
    expect(screen.getByRole('button', { name: 'Show less: a.com', expanded: true })).toBeDefined();
  });

  test('one that was said to be meant shows its next warning, and its word can be taken back', async () => {
    const much = item(61, 'a.com', 'ready', { needsTick: true, ticked: true, warnings: ['No mail server.'] });
    const { user, sent } = await open(ready, { items: [much], answers: { [choose]: ready } });
    expect(texts()[0]).toContain('No mail server.');
    expect(box(loses).checked).toBe(true);
    await user.click(box(loses));
    expect(sent(choose).map(({ body }) => body)).toEqual([{ ids: [uuid(61)], ticked: false, round: 7 }]);
  });

  test.each<[Change['state'], boolean]>([
    ['ready', true],
    ['partly', true],
    ['running', false],
    ['done', false],
  ])('of a change that is %s a word about one that loses much can be given: %s', async (state, may) => {
    await open(change(state, { total: 1 }), { items: [item(61, 'a.com', 'done', { needsTick: true })] });
    expect(!box(loses).disabled).toBe(may);
  });

  test('those that need a look are asked for with their state', async () => {
    const counts = { total: 2, ready: 2, warned: 1 };
    const { sent } = await open(change('ready', counts), { search: '?tab=warned' });
    expect(sent('GET /changes/:id/items').at(-1)?.query).toEqual({
      ...{ state: 'ready', warned: 'true', limit: '100' },
    });
  });

  test('how many of them a search finds is not known before the last one', async () => {
    await open(ready, {
      search: '?search=com',
      answers: { 'GET /changes/:id/items': { items: readyItems.slice(0, 2), more: true } },
    });
    expect(screen.getByText('1 of more than 2')).toBeDefined();
  });

  test('more of them follow the last one that is shown', async () => {
    const items = 'GET /changes/:id/items';
    const { user, sent, answer } = await open(ready, {
      answers: { [items]: { items: readyItems.slice(0, 2), more: true } },
    });
    expect(screen.getByText('1 of 4')).toBeDefined();
    answer(items, { items: readyItems.slice(2), more: false });
    await user.click(button('Show more'));
    expect(sent(items).at(-1)?.query).toEqual({ after: 'b.com', limit: '100' });
    expect(texts()).toHaveLength(4);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  test('all stay that were asked for, and the one that is shown, when a box is ticked', async () => {
    const items = ({ query }: Call) =>
      query.after
        ? { items: readyItems.slice(2), more: false }
        : { items: readyItems.slice(0, 2), more: true };
    const moved = { ...ready, counts: { ...ready.counts, ready: 2, leftOut: 0 } };
    const { user, answer } = await open(ready, {
      answers: { 'GET /changes/:id/items': items, [choose]: moved },
    });
    await user.click(button('Show more'));
    await user.click(button(/^c\s?\.com$/));
    answer(get, moved);
    await user.click(box('Change b.com'));
    expect(texts()).toHaveLength(4);
    expect(screen.getByText('3 of 4')).toBeDefined();
  });

  test('that cannot be read say why, and are asked for again', async () => {
    const items = 'GET /changes/:id/items';
    const { user, answer } = await open(ready, {
      answers: { [items]: refused(500, 'internal', { message: 'Broken.' }) },
    });
    expect(screen.getByRole('alert').textContent).toContain('Broken.');
    answer(items, { items: readyItems, more: false });
    await user.click(button('Try again'));
    expect(texts()).toHaveLength(4);
  });
});

describe('describing it differently', () => {
  const put = 'PUT /changes/:id';
  const field = (name: string) => screen.getByRole('textbox', { name });
  async function describeIt(answers: Answers = {}, shown: Change = ready) {
    const opened = await open(shown, { answers: { [put]: { ...ready, round: 8 }, ...answers } });
    await opened.user.click(button('Describe differently'));
    const save = () => opened.user.click(dialog().getByRole('button', { name: 'Review the differences' }));
    return { ...opened, save };
  }

  test('begins with what was described, and sends all of it for the round that was shown', async () => {
    const { user, save, sent, answer } = await describeIt();
    const values = ['Find', 'Replace with', 'Name of the change', 'Ticket'].map(
      (name) => (field(name) as HTMLInputElement).value,
    );
    expect(values).toEqual(['a', 'b', 'New mail', 'Ticket 5']);
    expect(box('Also within longer values, such as SPF').checked).toBe(false);
    await user.type(field('Replace with'), 'c');
    // What somebody else does meanwhile is not what this form is of.
    answer(get, { ...ready, round: 9 });
    await save();
    expect(sent(put)).toMatchObject([
      {
        params: { id },
        body: {
          ...{ title: 'New mail', reason: 'Ticket 5', round: 7 },
          request: { kind: 'replace-value', find: 'a', replacement: 'bc', part: false },
        },
      },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('shows what the portal says of a field at that field, until it is changed', async () => {
    const details = [
      { path: 'request.find', message: 'Nothing to find' },
      { path: 'title', message: 'Too plain' },
    ];
    const { user, save } = await describeIt({ [put]: refused(400, 'validation_failed', { details }) });
    await save();
    expect(fieldErrors()).toEqual({ Find: 'Nothing to find', 'Name of the change': 'Too plain' });
    expect(screen.queryByRole('alert')).toBeNull();
    await user.type(field('Find'), 'x');
    expect(fieldErrors()).toEqual({ 'Name of the change': 'Too plain' });
    expect(field('Find')).toHaveProperty('value', 'ax');
  });

  test.each([
    [refused(409, 'conflict', { message: 'Somebody described it.' }), 'Somebody described it.'],
    [silence, 'Something went wrong'],
  ])('that fails says why, and nothing typed is lost', async (answer, message) => {
    const opened = await describeIt({ [put]: answer });
    const { user, save, sent } = opened;
    await user.type(field('Find'), 'x');
    opened.answer(get, { ...ready, round: 9 });
    await save();
    expect(dialog().getByRole('alert').textContent).toContain(message);
    expect(field('Find')).toHaveProperty('value', 'ax');
    await save();
    // Still of the round that was shown: what somebody else described is not overwritten.
    expect(sent(put).map(({ body }) => (body as { round: number }).round)).toEqual([7, 7]);
  });

  test('says that it is under way, and Cancel sends nothing', async () => {
    const held = new Held();
    const { user, save, sent, settled } = await describeIt({ [put]: held });
    // A click beside it loses nothing.
    await user.click(document.querySelector('.mantine-Modal-overlay') as HTMLElement);
    expect(screen.queryByRole('dialog')).not.toBeNull();
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(put)).toEqual([]);
    await user.click(button('Describe differently'));
    await save();
    expect(dialog().getByRole('button', { name: 'Preparing...' })).toHaveProperty('disabled', true);
    // A refusal has to find the form, and what was typed.
    expect(dialog().getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeNull();
    held.give(ready);
    await settled();
    expect(sent(put)).toHaveLength(1);
  });
});

describe('the change itself', () => {
  test('says its name, sentence, ticket, state and step', async () => {
    await open(ready);
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('New mail');
    expect(screen.getByText('Replace a with b · Ticket 5')).toBeDefined();
    expect(screen.getByText('Not applied yet')).toBeDefined();
    expect(document.querySelector('[aria-current="step"]')?.textContent).toBe('3Review every difference');
  });

  test.each<[Change['state'], Partial<Change['counts']>, string, string, string]>([
    ['draft', { total: 4, waiting: 3 }, '', 'Looking: 1 of 4 domains', 'continues in the background'],
    ['running', { total: 4, queued: 1, failed: 1, done: 2 }, '', 'Applying: 3 of 4 domains', 'You can leave'],
    ['paused', { total: 4, queued: 1, done: 1 }, '', 'Paused: 1 of 2 domains', 'until somebody resumes it'],
    [
      'paused',
      { total: 4, queued: 1 },
      'The registrar is away.',
      'Paused: 0 of 1 domain',
      'The registrar is away.',
    ],
  ])('that is %s says how far it is and why it waits', async (state, counts, note, progress, text) => {
    await open(change(state, counts, { note }));
    expect(screen.getByText(progress)).toBeDefined();
    expect(screen.getByText(new RegExp(text))).toBeDefined();
  });

  test.each<[Change['state'], Partial<Change['counts']>, string]>([
    ['draft', { total: 4, waiting: 4 }, 'Looking: 0%'],
    ['running', { total: 130, queued: 70, failed: 10, done: 50 }, 'Applying: 25%'],
    ['ready', { total: 4, ready: 3, same: 1 }, 'Not applied yet, 3 ready'],
    ['partly', { total: 6, done: 3, failed: 2, moved: 1 }, 'Partly done, 3 done, 2 failed, 1 not as shown'],
    ['done', { total: 2, done: 2 }, 'Done, 2 done'],
  ])('that is %s is read out by quarters, and with what came of it', async (state, counts, said) => {
    await open(change(state, counts));
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(said);
  });

  test.each<[Partial<Change>, string, string]>([
    [
      { state: 'undone', undoneBy: uuid(52), leftByUndo: 0 },
      'This change was undone by another change.',
      uuid(52),
    ],
    [{ undoneBy: uuid(52) }, 'This change is to be undone by another change.', uuid(52)],
    [
      { undoneBy: uuid(52), leftByUndo: 1 },
      'This change was undone in part by another change: 1 domain still has it.',
      uuid(52),
    ],
    [
      { undoes: uuid(50) },
      'This takes back an earlier change where things still are as it left them.',
      uuid(50),
    ],
  ])('%j names the other one', async (more, text, other) => {
    await open(change('done', { total: 1, done: 1 }, more));
    const notice = screen
      .getByRole('link', { name: /^an(other| earlier) change$/ })
      .closest('[role="status"]');
    expect(notice?.textContent).toBe(text);
    expect(notice?.querySelector('a')?.getAttribute('href')).toBe(`/changes/${other}`);
  });

  /** What happens each second. */
  function seconds(): () => (() => void)[] {
    const every = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => every.mockRestore());
    return () => every.mock.calls.flatMap(([tick, ms]) => (ms === 1_000 ? [tick as () => void] : []));
  }

  test('and its domains are asked for again each second as long as it moves', async () => {
    const ticks = seconds();
    const items = 'GET /changes/:id/items';
    const began = { startedAt: '2026-11-20T10:00:00Z' };
    const { sent, answer, settled } = await open(change('running', { total: 1, queued: 1 }, began));
    const asked = () => [sent(get).length, sent(items).length];
    expect(asked()).toEqual([1, 1]);
    answer(get, change('done', { total: 1, done: 1 }, began));
    for (const tick of ticks()) tick();
    await settled();
    expect(offered()).toEqual(['Undo']);
    expect(asked().map((times) => times > 1)).toEqual([true, true]);
  });

  test('is not asked for each second while it waits for a person', async () => {
    const ticks = seconds();
    await open(ready);
    expect(ticks()).toEqual([]);
  });

  test('that is not there leads to the list', async () => {
    const { path } = await open(ready, { answers: { [get]: refused(404, 'not_found') } });
    expect(path()).toBe('/changes');
  });

  test('that cannot be read says why, and is asked for again', async () => {
    const { user, answer } = await open(ready, {
      answers: { [get]: refused(500, 'internal', { message: 'Broken.' }) },
    });
    expect(screen.getByRole('alert').textContent).toContain('Broken.');
    answer(get, ready);
    await user.click(button('Try again'));
    expect(offered()).toContain('Apply to 1 domain');
  });
});
