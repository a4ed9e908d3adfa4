import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import {
  apex,
  button,
  conflict,
  dialog,
  fill,
  mail,
  noButton,
  note,
  type OpenedZone,
  openZone,
  rows,
  savedAt,
  shown,
  web,
  zoneAt,
} from '../../../../tests/support/zone-tab.tsx';
import { recordOf } from '../../../../tests/support/zones.ts';

const put = 'PUT /:domain/zone';
const field = (label: string) => screen.getByRole('textbox', { name: label });
const value = (label: string) => (field(label) as HTMLInputElement).value;
const ftp = recordOf({ type: 'A', subdomain: 'ftp', ip_address: '192.0.2.9' });
const moved = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.3' });
const theirs = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.4' });

async function choose({ user }: Pick<OpenedZone, 'user'>, type: string) {
  await user.click(screen.getByRole('combobox', { name: 'Type' }));
  await user.click(within(screen.getByRole('listbox', { name: 'Type' })).getByRole('option', { name: type }));
}

/** The form of a new record, with what is typed into it. */
async function add(typed: Record<string, string>, type: string | null, answers: Answers = {}) {
  const opened = await openZone({ answers: { [put]: savedAt('v2', [apex, web, mail, note]), ...answers } });
  const { user } = opened;
  await user.click(button('Add'));
  await shown('dialog', 'Add record');
  if (type) {
    await choose(opened, type);
  }
  for (const [label, text] of Object.entries(typed)) if (text) await fill(opened, label, text);
  return { ...opened, save: () => user.click(dialog('Add record').getByRole('button', { name: 'Save' })) };
}

describe('a new record', () => {
  test.each([
    ['A', { Subdomain: 'ftp', 'IPv4 address': ' 192.0.2.9 ' }, { ip_address: '192.0.2.9' }],
    ['AAAA', { Subdomain: 'ftp', 'IPv6 address': '2001:DB8::9' }, { ipv6_address: '2001:db8::9' }],
    ['CNAME', { Subdomain: 'ftp', 'Host name': 'Host.b.net.' }, { hostname: 'host.b.net' }],
    [
      'MX',
      { Subdomain: 'ftp', 'Mail server': 'mx2.b.net', Priority: '20' },
      { hostname: 'mx2.b.net', priority: 20 },
    ],
    ['TXT', { Subdomain: 'ftp', Text: ' a b ' }, { text: ' a b ' }],
  ])(
    'of type %s is sent with its fields and the version of the zone that was seen',
    async (type, typed, fields) => {
      const { save, bodies } = await add(typed, type);
      await save();
      expect(bodies()).toEqual([
        { records: [{ type, subdomain: 'ftp', action: 'add', fields }], version: 'v1' },
      ]);
    },
  );

  test('of type SRV is sent with each of its figures as its own', async () => {
    const typed = { 'Target host': 'sip.b.net', Priority: '1', Weight: '2', Port: '5060' };
    const { save, bodies } = await add({ Subdomain: '_sip._tcp', ...typed }, 'SRV');
    await save();
    const fields = { hostname: 'sip.b.net', priority: 1, weight: 2, port: 5060 };
    expect(bodies()).toEqual([
      { records: [{ type: 'SRV', subdomain: '_sip._tcp', action: 'add', fields }], version: 'v1' },
    ]);
  });

  test('whose name is empty, @ or the whole name of the domain is the domain itself', async () => {
    const { save, bodies, user } = await add({ 'IPv4 address': '192.0.2.9' }, 'A', {
      [put]: refused(422, 'registrar_refused'),
    });
    await save();
    for (const name of ['@', 'a.com', 'www.a.com']) {
      await fill({ user }, 'Subdomain', name);
      await save();
    }
    const names = bodies().map(
      (body) => (body as { records: { subdomain: string }[] }).records[0]?.subdomain,
    );
    expect(names).toEqual(['', '', '', 'www']);
  });

  const required = 'This field is required';
  test.each([
    [null, {}, { Type: 'You must select a type' }],
    ['A', {}, { 'IPv4 address': required }],
    [
      'A',
      { Subdomain: '-x', 'IPv4 address': '1.2' },
      {
        Subdomain:
          'Only letters, digits, hyphens and underscores are allowed. No part may begin or end with a hyphen. An asterisk (*) is allowed only as the first part',
        'IPv4 address': 'Please enter an IPv4 address, such as 192.0.2.1',
      },
    ],
    [
      'AAAA',
      { 'IPv6 address': '192.0.2.1' },
      { 'IPv6 address': 'Please enter an IPv6 address, such as 2001:db8::1' },
    ],
    [
      'CNAME',
      { Subdomain: 'x', 'Host name': '192.0.2.1' },
      { 'Host name': 'Please enter a host name, not an address' },
    ],
    [
      'CNAME',
      { 'Host name': 'b.net' },
      { Subdomain: 'The domain itself cannot be an alias (CNAME), because it has other records' },
    ],
    ['MX', { Priority: '65536' }, { 'Mail server': required, Priority: 'From 0 to 65535' }],
    ['TXT', {}, { Text: required }],
    ['SRV', {}, { 'Target host': required, Priority: required, Weight: required, Port: required }],
  ])('of type %s with %j is not sent, and its fields say why', async (type, typed, problems) => {
    const { save, bodies } = await add(typed, type);
    expect(fieldErrors()).toEqual({});
    await save();
    expect(fieldErrors()).toEqual(problems);
    expect(bodies()).toEqual([]);
    // The first of them has the focus.
    const [first = ''] = Object.keys(problems);
    if (type) expect(document.activeElement).toBe(field(first));
  });

  test('that stands already, or cannot stand beside the others, is not sent', async () => {
    const { save, bodies, user } = await add({ Subdomain: 'www', 'IPv4 address': '192.0.2.2' }, 'A');
    await save();
    expect(screen.getByText('This record already exists.')).toBeDefined();
    await choose({ user }, 'CNAME');
    expect(screen.queryByText('This record already exists.')).toBeNull();
    await fill({ user }, 'Host name', 'b.net');
    await save();
    expect(screen.getByRole('alert').textContent).toBe(
      'An alias (CNAME) must be the only record of its name. www.a.com has other records.',
    );
    expect(bodies()).toEqual([]);
  });

  test('says what is wrong as soon as a filled form is left, and not while it is being filled', async () => {
    const { user, bodies } = await add({ Subdomain: 'x' }, 'A');
    await fill({ user }, 'IPv4 address', '1.2');
    expect(fieldErrors()).toEqual({});
    await user.tab();
    expect(fieldErrors()).toEqual({ 'IPv4 address': 'Please enter an IPv4 address, such as 192.0.2.1' });
    expect(bodies()).toEqual([]);
  });

  test('keeps what was typed when another type is chosen, and says what is saved instead of what was typed', async () => {
    const { user } = await add({ Subdomain: 'x', 'Mail server': 'MX.b.net/', Priority: '5' }, 'MX');
    await choose({ user }, 'TXT');
    await fill({ user }, 'Text', '"a" "b"');
    expect(screen.getByText('Saved without the quotation marks: ab')).toBeDefined();
    await choose({ user }, 'MX');
    expect([value('Subdomain'), value('Mail server'), value('Priority')]).toEqual(['x', 'MX.b.net/', '5']);
  });

  test('warns of a private address and is saved all the same', async () => {
    const { save, bodies } = await add({ Subdomain: 'x', 'IPv4 address': '10.0.0.1' }, 'A');
    expect(
      screen.getByText('This is a private address. It cannot be reached from the internet.'),
    ).toBeDefined();
    await save();
    expect(bodies()).toHaveLength(1);
  });

  test('is shown once it is saved, and can be undone', async () => {
    const { save, bodies, user, answer } = await add({ Subdomain: 'ftp', 'IPv4 address': '192.0.2.9' }, 'A', {
      [put]: savedAt('v2', [apex, web, mail, note, ftp]),
    });
    await save();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(rows()).toContain('A ftp 192.0.2.9');
    answer(put, savedAt('v3', [apex, web, mail, note]));
    await user.click(button('Undo'));
    const fields = { ip_address: '192.0.2.9' };
    expect(bodies().at(-1)).toEqual({
      records: [{ type: 'A', subdomain: 'ftp', action: 'remove', fields }],
      version: 'v2',
      reason: 'Undone',
    });
    expect(rows()).not.toContain('A ftp 192.0.2.9');
    noButton('Undo');
  });

  test.each([
    [
      'refused',
      refused(422, 'registrar_refused', { message: 'The registry is closed.' }),
      ['The registry is closed.'],
    ],
    [
      'refused for a change of it',
      refused(400, 'validation_failed', {
        message: 'Please check the records.',
        details: [{ path: 'records.0', message: 'Too many records.' }],
      }),
      ['Please check the records.', 'Too many records.'],
    ],
    ['without an answer', silence, ['Something went wrong']],
  ])(
    'that is %s says so, nothing typed is lost and it can be saved again',
    async (_what, given, messages) => {
      const { save, bodies, user } = await add({ Subdomain: 'ftp', 'IPv4 address': '192.0.2.9' }, 'A', {
        [put]: given,
      });
      await save();
      const said = screen.getByRole('alert').textContent;
      for (const message of messages) expect(said).toContain(message);
      expect([value('Subdomain'), value('IPv4 address')]).toEqual(['ftp', '192.0.2.9']);
      await save();
      expect(bodies()).toHaveLength(2);
      await user.click(dialog('Add record').getByRole('button', { name: 'Cancel' }));
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(bodies()).toHaveLength(2);
    },
  );

  test('says that it is being saved, and can be neither saved twice nor closed meanwhile', async () => {
    const held = new Held();
    const { save, bodies, user, settled } = await add(
      { Subdomain: 'ftp', 'IPv4 address': '192.0.2.9' },
      'A',
      { [put]: held },
    );
    await save();
    const form = dialog('Add record');
    expect(form.getByRole('button', { name: 'Saving record...' })).toHaveProperty('disabled', true);
    expect(form.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
    await user.type(field('IPv4 address'), '{Enter}');
    await user.keyboard('{Escape}');
    expect(screen.getByRole('dialog')).toBeDefined();
    held.give(savedAt('v2', [apex, web, mail, note, ftp]));
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toHaveLength(1);
  });
});

/** The form in the row of `www`, with another address typed. */
async function edit(answers: Answers = {}, typed = '192.0.2.3') {
  const opened = await openZone({
    answers: { [put]: savedAt('v2', [apex, moved, mail, note]), ...answers },
  });
  await opened.user.click(button('Edit A record for www.a.com'));
  await shown('form', 'Edit record');
  if (typed) await fill(opened, 'IPv4 address', typed);
  const form = within(screen.getByRole('form', { name: 'Edit record' }));
  return { ...opened, form, save: () => opened.user.click(form.getByRole('button', { name: 'Save' })) };
}
const change = (to: string, from: string) => ({
  ...{ type: 'A', subdomain: 'www', action: 'update' },
  ...{ fields: { ip_address: to }, old: { ip_address: from } },
});

describe('an edited record', () => {
  test('opens with its values, names what it becomes, and is sent with what it was', async () => {
    const { user, form, save, bodies } = await edit({}, '');
    expect(value('IPv4 address')).toBe('192.0.2.2');
    expect(document.activeElement).toBe(field('IPv4 address'));
    expect(form.queryByRole('combobox')).toBeNull();
    expect(form.getByText('A www.a.com')).toBeDefined();
    expect(form.getAllByRole('textbox')).toHaveLength(1);
    await user.type(field('IPv4 address'), '{Backspace}3');
    expect(form.getByText(/becomes/).textContent).toBe('192.0.2.2 becomes 192.0.2.3');
    await save();
    expect(bodies()).toEqual([{ records: [change('192.0.2.3', '192.0.2.2')], version: 'v1' }]);
    expect(screen.queryByRole('form')).toBeNull();
    expect(rows()).toContain('A www 192.0.2.3');
    // The keyboard goes on at the record.
    expect(document.activeElement).toBe(button('Edit A record for www.a.com'));
  });

  test('that is left goes on at its row', async () => {
    const { form, user } = await edit();
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    expect(document.activeElement).toBe(button('Edit A record for www.a.com'));
  });

  test.each([
    [mail, 'MX record for a.com', { 'Mail server': 'mx.b.net', Priority: '10' }],
    [note, 'TXT record for note.a.com', { Text: 'hello' }],
  ])('of another type opens with all of its values', async (_record, what, values) => {
    const { user } = await openZone();
    await user.click(button(`Edit ${what}`));
    for (const [label, text] of Object.entries(values)) expect(value(label)).toBe(text);
  });

  test('is undone by what it was, on the zone that the saving made', async () => {
    const { user, save, bodies } = await edit();
    await save();
    await user.click(button('Undo'));
    const back = (action: string, ip_address: string) => ({
      ...{ type: 'A', subdomain: 'www', action },
      fields: { ip_address },
    });
    expect(bodies()[1]).toEqual({
      records: [back('remove', '192.0.2.3'), back('add', '192.0.2.2')],
      version: 'v2',
      reason: 'Undone',
    });
  });

  test('is not undone once somebody else has changed the zone', async () => {
    const { user, save, answer } = await edit();
    await save();
    expect(button('Undo')).toBeDefined();
    answer(put, conflict(zoneAt('v9', [apex, moved, note]), 0));
    await user.click(button('Delete A record for a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    noButton('Undo');
  });

  test('an undo is sent once, and one that is refused says why', async () => {
    const { user, save, answer, settled, bodies } = await edit();
    await save();
    const held = new Held();
    answer(put, held);
    await user.click(button('Undo'));
    expect(button('Undoing...')).toHaveProperty('disabled', true);
    held.give(refused(422, 'registrar_refused', { message: 'The registry is closed.' }));
    await settled();
    expect(bodies()).toHaveLength(2);
    expect(screen.getByRole('alert').textContent).toBe('The registry is closed.');
  });

  test('asks before what was typed gives way to another record, and stays at the word', async () => {
    const { user, bodies } = await edit();
    await user.click(button('Edit A record for a.com'));
    expect(dialog().getByText('What you typed is lost when you edit another one.')).toBeDefined();
    await user.click(dialog().getByRole('button', { name: 'Stay' }));
    expect(value('IPv4 address')).toBe('192.0.2.3');
    await user.type(field('IPv4 address'), '{Escape}');
    expect(dialog().getByText('What you typed is lost when you close it.')).toBeDefined();
    await user.click(dialog().getByRole('button', { name: 'Stay' }));
    await user.click(button('Edit A record for a.com'));
    await user.click(dialog().getByRole('button', { name: 'Leave' }));
    expect(value('IPv4 address')).toBe('192.0.2.1');
    await user.type(field('IPv4 address'), '{Escape}');
    expect(screen.queryByRole('form')).toBeNull();
    expect(bodies()).toEqual([]);
  });

  test('gives way to none while it is being saved', async () => {
    const held = new Held();
    const { user, save, settled } = await edit({ [put]: held });
    await save();
    await user.click(button('Edit A record for a.com'));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(value('IPv4 address')).toBe('192.0.2.3');
    held.give(savedAt('v2', [apex, moved, mail, note]));
    await settled();
    expect(screen.queryByRole('form')).toBeNull();
    expect(button('Undo')).toBeDefined();
  });

  test('is of the zone that was shown when it was opened: what was saved since is a conflict', async () => {
    const { user, save, bodies, answer } = await edit();
    answer(put, savedAt('v2', [apex, web, mail]));
    await user.click(button('Delete TXT record for note.a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    expect(value('IPv4 address')).toBe('192.0.2.3');
    await save();
    expect(bodies()[1]).toMatchObject({ version: 'v1' });
  });

  test('that was not changed is not sent as a new one', async () => {
    const { save, bodies } = await edit({}, '');
    await save();
    expect(bodies()).toEqual([{ records: [change('192.0.2.2', '192.0.2.2')], version: 'v1' }]);
  });
});

describe('a record that somebody else changed meanwhile', () => {
  const changed = zoneAt('v9', [apex, theirs, mail, note]);

  test('shows theirs beside mine, and is not sent again before it is chosen', async () => {
    const { form, save, bodies } = await edit({ [put]: conflict(changed, 0) });
    const brought = vi.spyOn(Element.prototype, 'scrollIntoView');
    onTestFinished(() => brought.mockRestore());
    await save();
    const notice = screen.getByRole('alert');
    expect(brought.mock.contexts).toContain(notice);
    expect(notice.textContent).toContain('Someone changed the zone in the meantime');
    expect(notice.textContent).toContain('A www.a.comThis record was changed.');
    const [now, mine] = within(notice).getAllByRole('list');
    expect([now?.textContent, mine?.textContent]).toEqual(['192.0.2.4', '192.0.2.3']);
    expect(form.queryByRole('button', { name: 'Save' })).toBeNull();
    expect(value('IPv4 address')).toBe('192.0.2.3');
    expect(bodies()).toHaveLength(1);
  });

  test('is saved by "Save mine" in the place of theirs, on their zone', async () => {
    const { user, save, bodies, answer } = await edit({ [put]: conflict(changed, 0) });
    await save();
    answer(put, savedAt('v10', [apex, moved, mail, note]));
    await user.click(button('Save mine'));
    expect(bodies()[1]).toEqual({ records: [change('192.0.2.3', '192.0.2.4')], version: 'v9' });
    expect(screen.queryByRole('form')).toBeNull();
    expect(rows()).toContain('A www 192.0.2.3');
  });

  test('"Take theirs" sends nothing, and shows their record', async () => {
    const { user, save, bodies } = await edit({ [put]: conflict(changed, 0) });
    // Newer browsers answer with a promise, which React would take for what undoes the effect.
    const brought = vi.spyOn(Element.prototype, 'scrollIntoView').mockReturnValue(Promise.resolve() as never);
    onTestFinished(() => brought.mockRestore());
    await save();
    await user.click(button('Take theirs'));
    expect(screen.queryByRole('form')).toBeNull();
    expect(rows()).toContain('A www 192.0.2.4');
    expect(bodies()).toHaveLength(1);
    noButton('Undo');
  });

  test('"Save mine" sends nothing where theirs is the same', async () => {
    const { user, save, bodies } = await edit({
      [put]: conflict(zoneAt('v9', [apex, moved, mail, note]), 0),
    });
    await save();
    await user.click(button('Save mine'));
    expect(bodies()).toHaveLength(1);
    expect(screen.queryByRole('form')).toBeNull();
    expect(rows()).toContain('A www 192.0.2.3');
  });

  test('both ways wait while it is being saved, and a refusal after that is shown', async () => {
    const { user, save, bodies, answer, settled } = await edit({ [put]: conflict(changed, 0) });
    await save();
    const held = new Held();
    answer(put, held);
    await user.click(button('Save mine'));
    expect(screen.getByRole('form').textContent).toMatch(/Saving (changes|record)\.\.\./);
    for (const name of ['Save mine', 'Take theirs']) noButton(name);
    held.give(refused(422, 'registrar_refused', { message: 'The registry is closed.' }));
    await settled();
    expect(screen.getByRole('alert').textContent).toBe('The registry is closed.');
    expect(value('IPv4 address')).toBe('192.0.2.3');
    await save();
    expect(bodies()).toHaveLength(3);
  });
});
