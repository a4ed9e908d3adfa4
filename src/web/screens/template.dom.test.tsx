import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
import type { TemplateUse } from '../../contracts/operations/dns-templates.ts';
import { chosenTemplate, keepChosenTemplate } from '../features/changes/chosen-names.ts';
import TemplateScreen from './template.tsx';

const id = uuid(41);
const list = 'GET /dns/templates';
const uses = 'GET /dns/templates/:id/uses';
const template = (more: object = {}) => ({
  ...{ id, name: 'House', version: 3, variables: [{ key: 'host', label: 'Mail host' }] },
  records: {
    ...{ A: [{ subdomain: 'www', ip_address: '192.0.2.1' }], AAAA: [], CNAME: [], TXT: [], SRV: [] },
    MX: [{ subdomain: '', hostname: '{host}', priority: 10 }],
  },
  ...{ uses: { total: 4, drifted: 2, outdated: 1 }, ...more },
});
const old = { type: 'A', subdomain: 'www', ip_address: '192.0.2.9' } as const;
const record = { ...old, ip_address: '192.0.2.1' };
const use = (domain: string, state: TemplateUse['state'], more: Partial<TemplateUse> = {}) => ({
  ...{ domain, customerId: null, customer: 'Acme', version: 3, values: {}, state, drift: [] },
  ...{ appliedAt: '2026-11-20T10:00:00Z', checkedAt: null, ...more },
});
const shownUses = [
  use('a.com', 'drifted', {
    values: { host: 'mx.b.net' },
    drift: [
      { action: 'update', record, old },
      { action: 'add', record, old: null },
      { action: 'remove', record: old, old: null },
    ],
  }),
  use('b.com', 'drifted', { version: 2 }),
  use('c.com', 'held', { customer: '' }),
  use('d.com', 'away', { checkedAt: '2026-11-21T10:00:00Z' }),
];
const change = {
  ...{ id: uuid(51), title: 'x', reason: '', sentence: 'x', state: 'draft', note: '', author: 'Ann' },
  ...{ request: { kind: 'apply-template' }, createdAt: '2026-11-20T10:00:00Z', startedAt: null },
  ...{ endedAt: null, undoes: null, undoneBy: null, leftByUndo: null, round: 1 },
  counts: {
    ...{ total: 1, waiting: 1, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0 },
    ...{ queued: 0, applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
  },
};

const open = (answers: Answers = {}) =>
  openScreen(TemplateScreen, {
    ...{ route: '/changes/templates/$templateId', path: `/changes/templates/${id}` },
    answers: {
      [list]: [template({ id: uuid(40), name: 'Other' }), template()],
      [uses]: { uses: shownUses, more: false },
      ...answers,
    },
  });
const button = (name: string | RegExp) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const field = (name: string) => screen.getByRole('textbox', { name });
const domains = () =>
  [...screen.getByRole('list', { name: 'Domains' }).children].map((row) =>
    (row.textContent ?? '').replace(/Stop watching.*/, ''),
  );

describe('a template', () => {
  test('says its name, version, records and what its variables stand for', async () => {
    await open();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('House');
    expect(screen.getByText('Version 3')).toBeDefined();
    expect(
      document
        .querySelector('pre')
        ?.textContent?.split('\n')
        .map((line) => line.split(/\s+/)),
    ).toEqual([
      ['www', 'A', '192.0.2.1'],
      ['@', 'MX', '10', '{host}'],
    ]);
    expect(screen.getByText('{host}', { selector: 'code' }).parentElement?.textContent).toBe(
      '{host} Mail host',
    );
  });

  test('is applied by a change that is described with it', async () => {
    onTestFinished(() => keepChosenTemplate(''));
    const { user, path } = await open();
    await user.click(button('Apply to domains'));
    expect([path(), chosenTemplate()]).toEqual(['/changes/new', id]);
  });

  test.each([
    ['Bring 2 back', { state: 'drifted' }, 'Bring House back'],
    ['Roll out to 1', { state: 'outdated' }, 'Roll out version 3 of House'],
  ])('"%s" prepares a change of the domains that are so', async (label, query, title) => {
    const held = new Held();
    const { user, sent, settled, path } = await open({ 'POST /changes': held });
    await user.click(button(label));
    expect(sent(uses).at(-1)?.query).toEqual({ ...query, limit: '2000' });
    expect(button('Preparing...')).toHaveProperty('disabled', true);
    held.give(change);
    await settled();
    expect(sent('POST /changes').map(({ body }) => body)).toEqual([
      {
        title,
        request: { kind: 'apply-template', templateId: id, version: 3, values: {} },
        targets: { kind: 'names', names: ['a.com', 'b.com', 'c.com', 'd.com'] },
      },
    ]);
    expect(path()).toBe(`/changes/${uuid(51)}`);
  });

  test('nothing that differs has nothing to bring back or to roll out', async () => {
    await open({ [list]: [template({ uses: { total: 4, drifted: 0, outdated: 0 } })] });
    expect(screen.queryByRole('button', { name: /^(Bring|Roll)/ })).toBeNull();
  });

  test('a change that is not made says why', async () => {
    const { user, sent, answer } = await open({ 'POST /changes': silence });
    await user.click(button('Roll out to 1'));
    expect(screen.getByRole('alert').textContent).toContain('Something went wrong');
    answer('POST /changes', change);
    await user.click(button('Roll out to 1'));
    const [first, second] = sent('POST /changes');
    expect(second?.key).toBe(first?.key);
  });

  test('is deleted only after it was asked about', async () => {
    const name = 'DELETE /dns/templates/:id';
    const { user, sent, path, answer } = await open({
      [name]: refused(422, 'unprocessable', { message: 'A change needs it.' }),
    });
    await user.click(button('Delete'));
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(sent(name)).toEqual([]);
    await user.click(button('Delete'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    expect(dialog().getByRole('alert').textContent).toBe('A change needs it.');
    answer(name, {});
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    expect(sent(name).map(({ params }) => params)).toEqual([{ id }, { id }]);
    expect(path()).toBe('/changes/templates');
  });

  test('that is not there leads to the list; one that cannot be read says why', async () => {
    const { path } = await open({ [list]: [] });
    expect(path()).toBe('/changes/templates');
  });

  test('that cannot be read says why, and is asked for again', async () => {
    const { user, answer } = await open({ [list]: refused(500, 'internal', { message: 'Broken.' }) });
    expect(screen.getByRole('alert').textContent).toContain('Broken.');
    answer(list, [template()]);
    await user.click(button('Try again'));
    expect(screen.getByText('Version 3')).toBeDefined();
  });
});

describe('the next version', () => {
  const put = 'PUT /dns/templates/:id';
  async function edit(answers: Answers = {}) {
    const opened = await open({ [put]: template({ version: 4 }), ...answers });
    await opened.user.click(button('Change'));
    return { ...opened, save: () => opened.user.click(button('Save as version 4')) };
  }

  test('begins with what is there, and is sent with the version that was read', async () => {
    const { user, save, sent, answer } = await edit();
    expect(screen.getByText('Zones do not change until you roll the new version out.')).toBeDefined();
    expect(field('What {host} stands for')).toHaveProperty('value', 'Mail host');
    await user.clear(field('Name'));
    await user.paste('Home');
    answer(list, [template({ version: 9 })]);
    await save();
    expect(sent(put)).toMatchObject([{ params: { id } }]);
    expect(sent(put)[0]?.body).toEqual({
      ...{ name: 'Home', version: 3, records: template().records },
      variables: [{ key: 'host', label: 'Mail host' }],
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test.each([
    [refused(409, 'conflict', { message: 'Somebody changed it.' }), 'Somebody changed it.'],
    [refused(404, 'not_found'), 'Somebody has deleted this template. Copy what you want to keep.'],
    [silence, 'Something went wrong'],
  ])(
    'that is refused says why and keeps what was typed, also where the template is gone or another',
    async (given, message) => {
      const { user, save, sent, answer } = await edit({ [put]: given });
      await user.clear(field('Name'));
      await user.paste('Home');
      answer(list, message.startsWith('Somebody has deleted') ? [] : [template({ version: 4 })]);
      await save();
      expect(dialog().getByRole('alert').textContent).toContain(message);
      expect(field('Name')).toHaveProperty('value', 'Home');
      await save();
      // Never over what somebody else has made of it.
      expect(sent(put).map(({ body }) => (body as { version: number }).version)).toEqual([3, 3]);
    },
  );

  describe('over what somebody else has saved meanwhile', () => {
    const theirs = template({
      ...{ name: 'Theirs', version: 4, variables: [{ key: 'host', label: 'Their mail host' }] },
      records: { ...template().records, TXT: [{ subdomain: '', text: 'theirs' }] },
    });
    async function conflict() {
      const opened = await edit({ [put]: refused(409, 'conflict', { data: theirs }) });
      await opened.user.clear(field('Name'));
      await opened.user.paste('Mine');
      opened.answer(list, [theirs]);
      await opened.save();
      return { ...opened, versions: () => opened.sent(put).map(({ body }) => body as object) };
    }

    test('shows theirs beside what was typed, which is kept', async () => {
      const { sent } = await conflict();
      const notice = dialog().getByRole('alert').textContent;
      expect(notice).toContain('Someone else changed this template');
      expect(notice).toContain('version 4 while you were editing: Theirs.');
      expect(notice).toMatch(/@\s+TXT\s+"?theirs/);
      expect(notice).toContain('{host} Their mail host');
      expect(field('Name')).toHaveProperty('value', 'Mine');
      expect(dialog().queryByRole('button', { name: /^Save as version/ })).toBeNull();
      expect(sent(put)).toHaveLength(1);
    });

    test('saves mine over theirs, and over nothing that was not shown', async () => {
      const { user, answer, settled, versions } = await conflict();
      const again = { ...theirs, name: 'Theirs again', version: 5 };
      answer(put, refused(409, 'conflict', { data: again }));
      await user.click(button('Save mine'));
      expect(dialog().getByRole('alert').textContent).toContain(
        'version 5 while you were editing: Theirs again.',
      );
      const held = new Held();
      answer(put, held);
      await user.type(field('Name'), '{Enter}');
      expect(button('Take theirs')).toHaveProperty('disabled', true);
      held.give(template({ version: 6 }));
      await settled();
      expect(versions()).toMatchObject([
        { name: 'Mine', version: 3 },
        { name: 'Mine', version: 4 },
        { name: 'Mine', version: 5 },
      ]);
      expect(screen.queryByRole('dialog')).toBeNull();
    });

    test('gives mine up for theirs, sends nothing for it, and goes on from there', async () => {
      const { user, answer, versions } = await conflict();
      await user.click(button('Take theirs'));
      expect(dialog().queryByRole('alert')).toBeNull();
      expect(field('Name')).toHaveProperty('value', 'Theirs');
      expect(versions()).toHaveLength(1);
      answer(put, template({ version: 5 }));
      await user.click(button('Save as version 5'));
      expect(versions()[1]).toMatchObject({ name: 'Theirs', version: 4, records: theirs.records });
    });
  });

  test('cannot be closed while it is being saved', async () => {
    const held = new Held();
    const { user, save, settled } = await edit({ [put]: held });
    await save();
    expect(dialog().getByRole('button', { name: 'Saving...' })).toHaveProperty('disabled', true);
    expect(dialog().getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeNull();
    held.give(template({ version: 4 }));
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('what the portal says of a variable stands at it', async () => {
    const details = [{ path: 'variables.0.label', message: 'Please say what it stands for' }];
    const { save } = await edit({ [put]: refused(400, 'validation_failed', { details }) });
    await save();
    expect(fieldErrors()).toEqual({ 'What {host} stands for': 'Please say what it stands for' });
  });
});

describe('the domains that use it', () => {
  test('say what they have become', async () => {
    await open();
    expect(screen.getByText('In use in 4 domains')).toBeDefined();
    expect(domains()).toEqual([
      'a.comAcme · version 3 · host mx.b.netDifferentAccept into the template',
      'b.comAcme · version 2Earlier versionDifferent',
      'c.comversion 3As the template',
      expect.stringMatching(/^d\.comAcme · version 3 · checked .*2026.*DNS elsewhere$/),
    ]);
    const differences = within(screen.getByRole('list', { name: 'What is different in a.com' }));
    expect(differences.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Changed: www A 192.0.2.9 instead of 192.0.2.1',
      'Missing: www A 192.0.2.1',
      'Added there: www A 192.0.2.9',
    ]);
  });

  test('what one of them has become is accepted for the version that was shown', async () => {
    const name = 'POST /dns/templates/:id/accept';
    const held = new Held();
    const { user, sent, settled } = await open({ [name]: held });
    expect(screen.queryByRole('button', { name: /^Accept.*b\.com$/ })).toBeNull();
    await user.click(button('Accept into the template: a.com'));
    expect(button('Accepting...: a.com')).toHaveProperty('disabled', true);
    held.give(refused(409, 'conflict', { message: 'The template is another by now.' }));
    await settled();
    expect(sent(name)).toMatchObject([{ params: { id }, body: { domain: 'a.com', version: 3 } }]);
    expect(screen.getByRole('alert').textContent).toBe('The template is another by now.');
    expect(screen.getByRole('alert').closest('li')?.textContent).toMatch(/^a\.com/);
  });

  test('one of them is not watched any more, and the list is read again', async () => {
    const name = 'POST /dns/templates/:id/forget';
    const { user, sent, answer } = await open({ [name]: template() });
    answer(uses, { uses: shownUses.slice(0, 3), more: false });
    await user.click(button('Stop watching d.com'));
    expect(sent(name)).toMatchObject([{ params: { id }, body: { domains: ['d.com'] } }]);
    expect(domains()).toHaveLength(3);
    answer(name, refused(404, 'not_found', { message: 'It is gone.' }));
    await user.click(button('Stop watching c.com'));
    expect(screen.getByRole('alert').closest('li')?.textContent).toMatch(/^c\.com/);
  });

  test('that are one, and are being looked at, say so', async () => {
    const every = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => every.mockRestore());
    const opened = await open({
      [list]: [template({ uses: { total: 1, drifted: 0, outdated: 0 } })],
      [uses]: { uses: [use('a.com', 'unread')], more: false },
    });
    expect(screen.getByText('In use in 1 domain')).toBeDefined();
    expect(domains()).toEqual(['a.comAcme · version 3Being checked']);
    // They are asked for again until they were.
    const ticks = every.mock.calls.flatMap(([tick, ms]) => (ms === 2_000 ? [tick as () => void] : []));
    opened.answer(uses, { uses: [use('a.com', 'held')], more: false });
    for (const tick of ticks) tick();
    await opened.settled();
    expect(domains()).toEqual(['a.comAcme · version 3As the template']);
  });

  test('are looked at again, and a refusal of that is shown', async () => {
    const name = 'POST /dns/templates/:id/check';
    const { user, sent, answer } = await open({ [name]: refused(500, 'internal', { message: 'Broken.' }) });
    await user.click(button('Check now'));
    expect(screen.getByRole('alert').textContent).toContain('Broken.');
    answer(name, {});
    await user.click(button('Try again'));
    expect(sent(name).map(({ params }) => params)).toEqual([{ id }, { id }]);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('are found by what is different, and more follow the last one', async () => {
    const { user, sent, answer } = await open({ [uses]: { uses: shownUses.slice(0, 1), more: true } });
    answer(uses, { uses: shownUses.slice(1, 2), more: false });
    await user.click(button('Show more'));
    expect(sent(uses).at(-1)?.query).toEqual({ after: 'a.com', limit: '100' });
    expect(domains()).toHaveLength(2);
    answer(uses, { uses: [], more: false });
    const chips = within(screen.getByRole('group', { name: 'State' }));
    await user.click(chips.getByRole('button', { name: /^Earlier version/ }));
    expect(sent(uses).at(-1)?.query).toEqual({ state: 'outdated', limit: '100' });
    expect(screen.getByText('No such domains')).toBeDefined();
    await user.click(chips.getByRole('button', { name: /^Different/ }));
    expect(sent(uses).at(-1)?.query).toEqual({ state: 'drifted', limit: '100' });
  });

  test('that are none, or cannot be read, say so', async () => {
    const { user, answer } = await open({
      [list]: [template({ uses: { total: 0, drifted: 0, outdated: 0 } })],
      [uses]: refused(500, 'internal', { message: 'Broken.' }),
    });
    expect(screen.queryByRole('button', { name: 'Check now' })).toBeNull();
    expect(screen.getByRole('alert').textContent).toContain('Broken.');
    answer(uses, { uses: [], more: false });
    await user.click(button('Try again'));
    expect(screen.getByText('Not in use yet')).toBeDefined();
  });
});
