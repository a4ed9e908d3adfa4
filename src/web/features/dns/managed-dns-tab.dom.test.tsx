import { beforeEach, describe, expect, test, vi } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { type Answers, Held, refused, screen, silence, within } from '../../../../tests/support/screen.tsx';
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
  withRoom,
  zoneAt,
} from '../../../../tests/support/zone-tab.tsx';
import { recordOf } from '../../../../tests/support/zones.ts';

const put = 'PUT /:domain/zone';
const wire = (action: string, name: string, ip_address: string) => ({
  ...{ type: 'A', subdomain: name, action },
  fields: { ip_address },
});

beforeEach(() => {
  withRoom();
  return () => vi.restoreAllMocks();
});

describe('deleting a record', () => {
  const left = [apex, mail, note];
  async function ask(answers: Answers = {}) {
    const opened = await openZone({ answers: { [put]: savedAt('v2', left), ...answers } });
    await opened.user.click(button('Delete A record for www.a.com'));
    const confirm = (name = 'Delete') => opened.user.click(dialog().getByRole('button', { name }));
    return { ...opened, confirm };
  }

  test('asks first, and deletes the one that was asked about', async () => {
    const { confirm, bodies, user } = await ask();
    expect(
      dialog('Are you sure you want to delete this record?').getByText(
        'You are about to delete A record for www.a.com',
      ),
    ).toBeDefined();
    await confirm('Cancel');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toEqual([]);
    await user.click(button('Delete A record for www.a.com'));
    await confirm();
    expect(bodies()).toEqual([{ records: [wire('remove', 'www', '192.0.2.2')], version: 'v1' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(rows()).toEqual(['A @ 192.0.2.1', 'MX @ 10 mx.b.net', 'TXT note hello']);
    // The row is gone: the keyboard goes on at one beside it.
    await eventually(() => expect(document.activeElement?.closest('tr')?.textContent).toContain('192.0.2.1'));
    await user.click(button('Undo'));
    expect(bodies()[1]).toEqual({
      records: [wire('add', 'www', '192.0.2.2')],
      version: 'v2',
      reason: 'Undone',
    });
  });

  test.each([
    [refused(422, 'registrar_refused', { message: 'The registry is closed.' }), 'The registry is closed.'],
    [silence, 'Something went wrong'],
  ])('that fails stays open and says why', async (answer, message) => {
    const { confirm, bodies } = await ask({ [put]: answer });
    await confirm();
    expect(screen.getByRole('alert').textContent).toContain(message);
    await confirm();
    expect(bodies()).toHaveLength(2);
  });

  test('says that it is being done, and neither does it twice nor closes meanwhile', async () => {
    const held = new Held();
    const { confirm, bodies, user, settled } = await ask({ [put]: held });
    await confirm();
    for (const name of ['Deleting...', 'Cancel']) {
      expect(dialog().getByRole('button', { name })).toHaveProperty('disabled', true);
    }
    await user.keyboard('{Escape}');
    expect(screen.getByRole('dialog')).toBeDefined();
    held.give(savedAt('v2', left));
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toHaveLength(1);
  });

  test('after somebody else changed the zone is asked again, and is about the zone as it is then', async () => {
    const theirs = zoneAt('v9', [web, mail, note]);
    const { confirm, bodies, answer } = await ask({ [put]: conflict(theirs, 0) });
    await confirm();
    expect(screen.getByRole('alert').textContent).toBe('Someone changed these records in the meantime.');
    expect(bodies()).toHaveLength(1);
    answer(put, savedAt('v10', [mail, note]));
    await confirm('Delete anyway');
    expect(bodies()[1]).toEqual({ records: [wire('remove', 'www', '192.0.2.2')], version: 'v9' });
    expect(rows()).toEqual(['MX @ 10 mx.b.net', 'TXT note hello']);
  });

  test('that somebody else has deleted sends nothing more', async () => {
    const { confirm, bodies } = await ask({ [put]: conflict(zoneAt('v9', left), 0) });
    await confirm();
    await confirm('Delete anyway');
    expect(bodies()).toHaveLength(1);
    expect(screen.queryByRole('dialog')).toBeNull();
    noButton('Undo');
  });
});

describe('collected changes', () => {
  const collect = ({ user }: OpenedZone) =>
    user.click(screen.getByRole('switch', { name: 'Collect changes and save them together' }));
  const gone = async ({ user }: OpenedZone, what: string) => {
    await user.click(button(`Delete ${what}`));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
  };
  /** `www` is to go, and the address of the domain to be another. */
  async function collected(answers: Answers = {}) {
    const opened = await openZone({ answers });
    await collect(opened);
    await gone(opened, 'A record for www.a.com');
    await opened.user.click(button('Edit A record for a.com'));
    await shown('form', 'Edit record');
    await fill(opened, 'IPv4 address', '192.0.2.7');
    await opened.user.click(button('Collect'));
    return opened;
  }
  const update = (old = '192.0.2.1') => ({ ...wire('update', '', '192.0.2.7'), old: { ip_address: old } });
  const away = wire('remove', 'www', '192.0.2.2');
  const apexMoved = recordOf({ type: 'A', subdomain: '', ip_address: '192.0.2.7' });

  test('are marked, not sent before they are saved, and then sent as one with their reason', async () => {
    const opened = await collected({ [put]: savedAt('v2', [apexMoved, mail, note]) });
    const { user, bodies } = opened;
    expect(bodies()).toEqual([]);
    expect(rows()).toEqual([
      'A @ 192.0.2.1192.0.2.7 Changed',
      'A www 192.0.2.2 Deleted',
      'MX @ 10 mx.b.net',
      'TXT note hello',
    ]);
    expect(screen.getByRole('switch')).toHaveProperty('disabled', true);
    expect(screen.getByText('2 changes')).toBeDefined();
    await fill(opened, 'Reason', 'Ticket 7');
    await user.click(button('Save 2 changes'));
    expect(bodies()).toEqual([{ records: [away, update()], version: 'v1', reason: 'Ticket 7' }]);
    expect(screen.queryByText('2 changes')).toBeNull();
    expect(rows()).toEqual(['A @ 192.0.2.7', 'MX @ 10 mx.b.net', 'TXT note hello']);
    expect(button('Undo')).toBeDefined();
    // What comes next is collected, too, until somebody says otherwise.
    expect(screen.getByRole('switch')).toMatchObject({ checked: true, disabled: false });
  });

  test('are part of what an earlier version is compared with, and what is chosen there comes to them', async () => {
    const version = {
      ...{ id: '00000000-0000-4000-8000-000000000001', at: '2026-11-20T10:00:00Z', state: 'applied' },
      ...{ author: 'bob@msp.example', reason: '', records: 4, version: 'old', changes: null },
    };
    const { records } = zoneAt('old', [apex, mail]);
    const opened = await openZone({
      answers: {
        'GET /:domain/zone/versions': [version],
        'GET /:domain/zone/versions/:id': { ...version, content: records },
      },
    });
    const { user } = opened;
    await collect(opened);
    await gone(opened, 'A record for www.a.com');
    await user.click(button('History'));
    await shown('list', 'Versions');
    await user.click(dialog().getByRole('button', { name: 'Compare' }));
    const preview = dialog(/^Restore the version of/);
    // `www` is to go already.
    expect(preview.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'))).toEqual([
      'Delete TXT note.a.com hello',
    ]);
    await user.click(preview.getByRole('button', { name: 'Collect 1 change' }));
    expect(rows()).toEqual([
      'A @ 192.0.2.1',
      'A www 192.0.2.2 Deleted',
      'MX @ 10 mx.b.net',
      'TXT note hello Deleted',
    ]);
    expect(opened.bodies()).toEqual([]);
  });

  test('that are left out are not sent, and stay collected', async () => {
    const { user, bodies } = await collected({ [put]: savedAt('v2', [apexMoved, web, mail, note]) });
    await user.click(screen.getByRole('checkbox', { name: 'Delete A www.a.com 192.0.2.2' }));
    await user.click(button('Save 1 change'));
    expect(bodies()).toEqual([{ records: [update()], version: 'v1' }]);
    expect(screen.getByText('1 change')).toBeDefined();
    expect(rows()).toContain('A www 192.0.2.2 Deleted');
    await user.click(screen.getByRole('checkbox', { name: 'Delete A www.a.com 192.0.2.2' }));
    await user.click(button('Save 1 change'));
    // What comes later is about the zone that the first made.
    expect(bodies()[1]).toEqual({ records: [away], version: 'v2' });
  });

  test('are taken back one by one or discarded, and nothing is sent', async () => {
    const { user, bodies } = await collected();
    await user.click(button('Undo the change to the A record for www.a.com'));
    expect(rows()).toContain('A www 192.0.2.2');
    expect(rows()).toContain('A @ 192.0.2.1192.0.2.7 Changed');
    await user.click(button('Discard'));
    expect(rows()).toContain('A @ 192.0.2.1');
    expect(bodies()).toEqual([]);
    noButton('Discard');
  });

  test('none chosen cannot be saved, and a form that clashes with them is refused', async () => {
    const opened = await openZone();
    await collect(opened);
    await gone(opened, 'A record for www.a.com');
    const { user } = opened;
    await user.click(screen.getByRole('checkbox', { name: 'Delete A www.a.com 192.0.2.2' }));
    expect(button('Save 0 changes')).toHaveProperty('disabled', true);
    // Beside what is collected a name is free for an alias.
    await user.click(button('Add'));
    await shown('dialog', 'Add record');
    await user.click(screen.getByRole('combobox', { name: 'Type' }));
    await user.click(
      within(screen.getByRole('listbox', { name: 'Type' })).getByRole('option', { name: 'CNAME' }),
    );
    await fill(opened, 'Subdomain', 'www');
    await fill(opened, 'Host name', 'b.net');
    await user.click(dialog('Add record').getByRole('button', { name: 'Collect' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(rows()).toContain('CNAME www b.net New');
    // Without the deletion it is not: it cannot be saved so.
    expect(screen.getByText('Changes with a problem cannot be saved. Please deselect them.')).toBeDefined();
    expect(button('Save 1 change')).toHaveProperty('disabled', true);
  });

  test.each([
    [refused(422, 'registrar_refused', { message: 'The registry is closed.' }), 'The registry is closed.'],
    [silence, 'Something went wrong'],
  ])('that are not saved stay collected, with the reason and what was said', async (answer, message) => {
    const opened = await collected({ [put]: answer });
    await fill(opened, 'Reason', 'Ticket 7');
    await opened.user.click(button('Save 2 changes'));
    expect(screen.getByRole('alert').textContent).toContain(message);
    expect(screen.getByRole('textbox', { name: 'Reason' })).toHaveProperty('value', 'Ticket 7');
    await opened.user.click(button('Save 2 changes'));
    expect(opened.bodies()).toHaveLength(2);
    expect(opened.bodies()[1]).toEqual(opened.bodies()[0]);
  });

  test('can be neither saved twice nor discarded while they are being saved', async () => {
    const held = new Held();
    const { user, bodies, settled } = await collected({ [put]: held });
    await user.click(button('Save 2 changes'));
    expect(button('Saving changes...')).toHaveProperty('disabled', true);
    expect(button('Discard')).toHaveProperty('disabled', true);
    held.give(savedAt('v2', [apexMoved, mail, note]));
    await settled();
    expect(bodies()).toHaveLength(1);
  });

  const theirApex = recordOf({ type: 'A', subdomain: '', ip_address: '192.0.2.8' });
  const theirs = zoneAt('v9', [theirApex, web, mail, note]);

  test('"Save mine" sends all of them once more over the zone of somebody else', async () => {
    const { user, bodies, answer } = await collected({ [put]: conflict(theirs, 1) });
    await user.click(button('Save 2 changes'));
    const notice = screen.getByRole('alert');
    expect(notice.textContent).toContain('A a.comThis record was changed.');
    expect(
      within(notice)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['192.0.2.8', '192.0.2.7']);
    noButton(/^Save \d/);
    answer(put, savedAt('v10', [apexMoved, mail, note]));
    await user.click(button('Save mine'));
    expect(bodies()[1]).toEqual({ records: [away, update('192.0.2.8')], version: 'v9' });
    noButton('Discard');
    expect(rows()).toEqual(['A @ 192.0.2.7', 'MX @ 10 mx.b.net', 'TXT note hello']);
  });

  test('what is left out while the conflict is shown is not saved, and stays collected', async () => {
    const { user, bodies, answer } = await collected({ [put]: conflict(theirs, 1) });
    await user.click(button('Save 2 changes'));
    await user.click(screen.getByRole('checkbox', { name: /^Change A a\.com/ }));
    answer(put, savedAt('v10', [theirApex, mail, note]));
    await user.click(button('Save mine'));
    expect(bodies()[1]).toEqual({ records: [away], version: 'v9' });
    expect(screen.getByText('1 change')).toBeDefined();
    expect(screen.getByRole('checkbox', { name: /^Change A a\.com/ })).toHaveProperty('checked', false);
  });

  test('a conflict about a deletion shows what is there now, and that mine is to delete', async () => {
    const there = zoneAt('v9', [apex, recordOf({ ...web, ip_address: '192.0.2.5' }), mail, note]);
    const { user, answer } = await collected({ [put]: conflict(there, 0) });
    await user.click(button('Save 2 changes'));
    const sides = () =>
      within(screen.getByRole('alert'))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent);
    expect(sides()).toEqual(['192.0.2.5', 'Delete 192.0.2.2']);
    answer(put, conflict(zoneAt('v10', [mail, note]), 0));
    await user.click(button('Save mine'));
    expect(sides()).toEqual(['No such record', '192.0.2.7']);
  });

  test('"Take theirs" gives up what the conflict is about; the others stay, over their zone', async () => {
    const { user, bodies, answer } = await collected({ [put]: conflict(theirs, 1) });
    await user.click(button('Save 2 changes'));
    await user.click(button('Take theirs'));
    expect(bodies()).toHaveLength(1);
    expect(rows()).toEqual([
      'A @ 192.0.2.8',
      'A www 192.0.2.2 Deleted',
      'MX @ 10 mx.b.net',
      'TXT note hello',
    ]);
    answer(put, savedAt('v10', [theirApex, mail, note]));
    await user.click(button('Save 1 change'));
    expect(bodies()[1]).toEqual({ records: [away], version: 'v9' });
  });
});

describe('the records', () => {
  test('are shown to who may not change them without anything that changes them', async () => {
    const { user } = await openZone({ mayEdit: false });
    expect(rows()).toEqual(['A @ 192.0.2.1', 'A www 192.0.2.2', 'MX @ 10 mx.b.net', 'TXT note hello']);
    for (const name of ['Add', 'Import', 'Templates', /^Edit/, /^Delete/, /^Put back/]) noButton(name);
    expect(screen.queryByRole('switch')).toBeNull();
    expect([button('History'), button('Export')]).toHaveLength(2);
    await user.click(document.body);
    await user.paste('x A 192.0.2.1');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('are found by type and text, in the address', async () => {
    const { user, path } = await openZone({ search: '?kind=A' });
    expect(rows()).toEqual(['A @ 192.0.2.1', 'A www 192.0.2.2']);
    expect(screen.getByText('2 of 4 records')).toBeDefined();
    await user.click(screen.getByRole('textbox', { name: 'Search the records' }));
    await user.paste('WWW.a');
    expect(rows()).toEqual(['A www 192.0.2.2']);
    expect(path()).toBe('/dns?kind=A&search=WWW.a');
    await user.paste('?');
    expect(screen.getByText('No records found')).toBeDefined();
    await user.click(button('Show all records'));
    expect(rows()).toHaveLength(4);
    expect(path()).toBe('/dns');
    expect(screen.getByText('4 records')).toBeDefined();
    await user.click(screen.getByRole('combobox', { name: 'Record type' }));
    await user.click(screen.getByRole('option', { name: 'TXT' }));
    expect(rows()).toEqual(['TXT note hello']);
    expect(path()).toBe('/dns?kind=TXT');
  });

  test('one that is being edited stays, whatever is searched for', async () => {
    const { user } = await openZone();
    await user.click(button('Edit A record for www.a.com'));
    await shown('form', 'Edit record');
    await fill({ user }, 'IPv4 address', '192.0.2.7');
    await user.click(screen.getByRole('textbox', { name: 'Search the records' }));
    await user.paste('hello');
    expect(rows()).toEqual(['TXT note hello']);
    expect(screen.getByRole('textbox', { name: 'IPv4 address' })).toHaveProperty('value', '192.0.2.7');
    expect(screen.getByText('1 of 4 records')).toBeDefined();
  });

  test('that is the only one is counted as one', async () => {
    await openZone({ answers: { 'GET /:domain/zone': zoneAt('v1', [web]) } });
    expect(screen.getByText('1 record')).toBeDefined();
  });

  test('that are none say what to do', async () => {
    await openZone({ answers: { 'GET /:domain/zone': zoneAt('v1', []) } });
    expect(screen.getByText('No records yet')).toBeDefined();
    expect(button('Add')).toBeDefined();
  });

  test('that cannot be read say why, and can be asked for again', async () => {
    const { user, answer } = await openZone({
      answers: {
        'GET /:domain/zone': refused(502, 'upstream_unavailable', { message: 'The registry is silent.' }),
      },
    });
    expect(screen.getByRole('alert').textContent).toContain('The registry is silent.');
    noButton('Add');
    answer('GET /:domain/zone', zoneAt('v1', [web]));
    await user.click(button('Try again'));
    expect(rows()).toEqual(['A www 192.0.2.2']);
  });

  test('that are being read say so', async () => {
    const held = new Held();
    const { settled } = await openZone({ answers: { 'GET /:domain/zone': held } });
    expect(screen.getByRole('status', { name: 'Loading records...' })).toBeDefined();
    held.give(zoneAt('v1', [web]));
    await settled();
    expect(rows()).toEqual(['A www 192.0.2.2']);
  });

  test('that are being read have around them what will be there, and nothing of it acts on records that nobody sees', async () => {
    const held = new Held();
    const { settled } = await openZone({ answers: { 'GET /:domain/zone': held } });
    const acts = () => ['History', 'Export', 'Import', 'Templates', 'Add'].map(button);
    const ahead = acts();
    const closed = () => [...ahead, screen.getByRole('switch')].map((act) => act.matches(':disabled'));
    expect(screen.getByText(/^Paste records anywhere on this page/)).toBeDefined();
    expect(closed()).toEqual(Array(6).fill(true));
    held.give(zoneAt('v1', [web]));
    await settled();
    expect(acts()).toEqual(ahead);
    expect(closed()).toEqual(Array(6).fill(false));
  });

  const last = {
    ...{ record: web, old: { ...web, ip_address: '192.0.2.99' }, at: '2026-11-20T10:00:00Z' },
    ...{ author: 'bob@msp.example', reason: 'Ticket 5', versionId: '00000000-0000-4000-8000-000000000001' },
  };

  test('say who changed them last, and that is put back after a preview', async () => {
    const { user, bodies } = await openZone({
      answers: {
        'GET /:domain/zone/last-changes': [last, { ...last, record: apex, old: null }],
        [put]: savedAt('v2', [apex, mail, note]),
      },
    });
    const row = document.querySelector('[data-record^="A www"]');
    expect(row?.textContent).toContain('bob');
    expect(row?.textContent).toContain('Ticket 5');
    expect(row?.querySelector('td:nth-child(5) span')?.getAttribute('title')).toBe(
      'bob@msp.example\nTicket 5\nBefore: 192.0.2.99',
    );
    noButton('Put back the A record for a.com');
    await user.click(button('Put back the A record for www.a.com'));
    await shown('dialog', 'Put back the A record for www.a.com');
    expect(bodies()).toEqual([]);
    await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
    expect(bodies()).toEqual([
      {
        records: [{ ...wire('update', 'www', '192.0.2.99'), old: { ip_address: '192.0.2.2' } }],
        version: 'v1',
        reason: expect.stringMatching(/^Restored to the state before .*2026/),
      },
    ]);
  });

  test('are saved as a file by the name that the portal gives it', async () => {
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file');
    const made = vi.spyOn(document, 'createElement');
    const names = () =>
      made.mock.results.flatMap(({ value }) => (value as HTMLElement).getAttribute('download') ?? []);
    const headers = { 'content-disposition': 'attachment; filename="a.com.zone"' };
    const get = 'GET /:domain/zone/export';
    const { user, sent, answer, settled } = await openZone({
      answers: { [get]: () => new Response('zone', { headers }) },
    });
    await user.click(button('Export'));
    await eventually(() => expect(names()).toEqual(['a.com.zone']));
    expect(sent(get).map(({ params, query }) => [params, query])).toEqual([[{ domain: 'a.com' }, {}]]);
    const held = new Held();
    answer(get, held);
    await user.click(button('Export'));
    expect(button('Exporting...')).toHaveProperty('disabled', true);
    held.give(refused(502, 'upstream_unavailable', { message: 'The registry is silent.' }));
    await settled();
    expect(button('Export')).toHaveProperty('disabled', false);
    expect(screen.getByRole('alert').textContent).toBe('The registry is silent.');
    expect(names()).toHaveLength(1);
  });
});

describe('the latest changes beside the records', () => {
  const version = (n: number, state: string, changes: object | null) => ({
    ...{ id: `00000000-0000-4000-8000-00000000000${n}`, at: '2026-11-20T10:00:00Z', state, changes },
    ...{ author: 'bob@msp.example', reason: n === 1 ? 'Ticket 5' : '', records: 4, version: `v${n}` },
  });
  test('say what, whether it is in force, by whom and why', async () => {
    const first: unknown[] = [];
    const { user } = await openZone({
      answers: {
        'GET /:domain/zone/versions': [
          version(1, 'applied', { added: 2, changed: 0, removed: 1, first }),
          version(2, 'refused', { added: 0, changed: 1, removed: 0, first }),
          version(3, 'unknown', { added: 0, changed: 0, removed: 0, first }),
          version(4, 'writing', null),
          version(5, 'found', { added: 1, changed: 2, removed: 0, first }),
          version(6, 'staged', { added: 0, changed: 0, removed: 1, first }),
          version(7, 'applied', null),
        ],
      },
    });
    const card = screen.getByText('Latest changes').closest('section') ?? document.body;
    expect([...card.querySelectorAll('li b')].map(({ textContent }) => textContent)).toEqual([
      '2 records added, 1 deleted',
      'Not made: 1 record changed',
      'Not confirmed: Nothing changed',
      'Being saved: Kept as it was',
      '1 record added, 2 changed',
      '1 record deleted',
      // The others are in the history.
    ]);
    expect(card.querySelector('li')?.textContent).toContain('Ticket 5');
    await user.click(within(card).getByRole('button', { name: 'View all' }));
    await shown('dialog', 'History');
  });

  test('that cannot be read are asked for again', async () => {
    const { user, answer } = await openZone({
      answers: { 'GET /:domain/zone/versions': refused(500, 'internal') },
    });
    answer('GET /:domain/zone/versions', []);
    await user.click(button('Try again'));
    expect(screen.getByText('Every change of the records is kept here.')).toBeDefined();
  });
});
