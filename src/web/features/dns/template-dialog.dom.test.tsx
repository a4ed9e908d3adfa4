import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  refused,
  screen,
  silence,
  uuid,
} from '../../../../tests/support/screen.tsx';
import {
  apex,
  button,
  dialog,
  fill,
  mail,
  noButton,
  note,
  openZone,
  savedAt,
  shown,
  web,
  withRoom,
  zoneAt,
} from '../../../../tests/support/zone-tab.tsx';
import { recordOf } from '../../../../tests/support/zones.ts';
import { groupRecords } from '../../../contracts/values/zone-changes.ts';

const put = 'PUT /:domain/zone';
const list = 'GET /dns/templates';
const save = 'POST /dns/templates';
const remove = 'DELETE /dns/templates/:id';
const house = {
  ...{ id: uuid(41), name: 'House', version: 3, variables: [] },
  records: groupRecords([recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.50' }), apex]),
  uses: { total: 0, drifted: 0, outdated: 0 },
};
const other = { ...house, id: uuid(42), name: 'Other' };

beforeEach(() => {
  withRoom();
  return () => vi.restoreAllMocks();
});

async function open(answers: Answers = {}, opening: { mayTemplate?: boolean } = {}) {
  const opened = await openZone({
    answers: {
      [list]: [house, other],
      [put]: savedAt('v2', [apex, web, mail, note]),
      [remove]: {},
      [save]: house,
      ...answers,
    },
    ...opening,
  });
  await opened.user.click(button('Templates'));
  await shown('dialog', 'Templates');
  const press = (name: string) => opened.user.click(dialog().getByRole('button', { name }));
  const choose = async (name: string) => {
    await opened.user.click(screen.getByRole('combobox', { name: 'Template' }));
    await opened.user.click(screen.getByRole('option', { name }));
  };
  return { ...opened, press, choose };
}

describe('a template', () => {
  test('that is not chosen is not shown, and the field says why', async () => {
    const { press, choose } = await open();
    await press('Preview');
    expect(fieldErrors()).toEqual({ Template: 'Please choose a template' });
    await choose('House');
    expect(fieldErrors()).toEqual({});
  });

  test('is applied after a preview, in the place of what conflicts with it', async () => {
    const { press, choose, bodies } = await open();
    await choose('House');
    await press('Preview');
    expect(
      dialog('Apply House').getByText(
        'Records that conflict with the template are deleted. All others stay.',
      ),
    ).toBeDefined();
    expect(bodies()).toEqual([]);
    await press('Save 2 changes');
    const at = (action: string, ip_address: string) => ({
      ...{ type: 'A', subdomain: 'www', action, fields: { ip_address } },
    });
    expect(bodies()).toEqual([
      {
        records: [at('remove', '192.0.2.2'), at('add', '192.0.2.50')],
        version: 'v1',
        reason: 'Template House',
      },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('of a provider asks for what it needs, says what is wrong with that, and is filled with it', async () => {
    const opened = await open();
    const { press, choose, bodies } = opened;
    const address = 'IPv4 address of the server';
    await choose('Own web server');
    noButton(/^Delete template/);
    await press('Preview');
    expect(fieldErrors()).toEqual({ [address]: 'Please enter an IPv4 address, such as 192.0.2.1' });
    await fill(opened, address, '192.0.2.2');
    expect(fieldErrors()).toEqual({});
    await press('Preview');
    // `www` has that address already.
    expect(
      dialog('Apply Own web server')
        .getAllByRole('checkbox')
        .map((box) => box.getAttribute('aria-label')),
    ).toEqual(['Delete A a.com 192.0.2.1', 'Add A a.com 192.0.2.2']);
    expect(bodies()).toEqual([]);
  });

  test('of their own asks for its variables by their names, and is filled with them and the domain', async () => {
    const asking = {
      ...{ ...house, name: 'Asking', variables: [{ key: 'host', label: 'Mail host' }] },
      records: groupRecords([
        { type: 'MX', subdomain: 'in', hostname: '{host}', priority: 5 },
        { type: 'TXT', subdomain: 'own', text: '{domain} at {host}' },
      ]),
    };
    const opened = await open({ [list]: [asking] });
    const { press, choose, bodies } = opened;
    await choose('Asking');
    await press('Preview');
    expect(Object.keys(fieldErrors())).toEqual(['Mail host']);
    await fill(opened, 'Mail host', 'mx.c.net');
    await press('Preview');
    expect(
      dialog('Apply Asking')
        .getAllByRole('checkbox')
        .map((box) => box.getAttribute('aria-label')),
    ).toEqual(['Add MX in.a.com 5 mx.c.net', 'Add TXT own.a.com a.com at mx.c.net']);
    expect(bodies()).toEqual([]);
  });

  test('is collected where changes are collected, and a click beside the choice loses nothing', async () => {
    const { user, bodies } = await openZone({ answers: { [list]: [house] } });
    await user.click(screen.getByRole('switch'));
    await user.click(button('Templates'));
    await user.click(screen.getByRole('combobox', { name: 'Template' }));
    await user.click(screen.getByRole('option', { name: 'House' }));
    await user.click(document.querySelector('.mantine-Modal-overlay') as HTMLElement);
    await user.click(dialog().getByRole('button', { name: 'Preview' }));
    await user.click(dialog().getByRole('button', { name: 'Collect 2 changes' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('2 changes')).toBeDefined();
    expect(bodies()).toEqual([]);
  });

  test('that is given up leads back to the choice', async () => {
    const { press, choose, bodies } = await open();
    await choose('House');
    await press('Preview');
    await press('Cancel');
    expect(screen.getByRole('combobox', { name: 'Template' })).toHaveProperty('value', 'House');
    await press('Cancel');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bodies()).toEqual([]);
  });

  test('is deleted only after it was asked about, and it is the chosen one', async () => {
    const { user, press, choose, sent } = await open();
    noButton(/^Delete template/);
    await choose('Other');
    await press('Delete template Other');
    const question = dialog('Delete this template?');
    expect(question.getByText(/The template Other will be deleted/)).toBeDefined();
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    expect(sent(remove)).toEqual([]);
    await user.click(button('Delete template Other'));
    await user.click(dialog('Delete this template?').getByRole('button', { name: 'Delete' }));
    expect(sent(remove).map(({ params }) => params)).toEqual([{ id: uuid(42) }]);
    expect(screen.queryByRole('dialog', { name: 'Delete this template?' })).toBeNull();
    expect(sent(list)).toHaveLength(2);
  });

  test('whose deletion is refused says why', async () => {
    const { user, press, choose } = await open({
      [remove]: refused(422, 'unprocessable', { message: 'A change needs it.' }),
    });
    await choose('Other');
    await press('Delete template Other');
    await user.click(dialog('Delete this template?').getByRole('button', { name: 'Delete' }));
    const question = dialog('Delete this template?');
    expect(question.getByRole('alert').textContent).toBe('A change needs it.');
    expect(question.getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', false);
  });

  test('of their own that cannot be read does not hide the others', async () => {
    const { choose } = await open({ [list]: refused(500, 'internal', { message: 'Broken.' }) });
    expect(screen.getByText('Your own templates could not be loaded: Broken.')).toBeDefined();
    await choose('Vercel');
  });
});

describe('the way to a change of many domains', () => {
  const lead = 'Apply it as a change';
  const leave = ({ user }: Awaited<ReturnType<typeof open>>) =>
    user.click(dialog('Templates').getByRole('link', { name: lead }));
  const above = `/changes/templates/${house.id}`;

  test('is left for at once where nothing is typed or collected', async () => {
    const opened = await open();
    await opened.choose('House');
    await leave(opened);
    expect(opened.path()).toBe(above);
  });

  test('loses no collected changes, and no record that is being typed, without a word', async () => {
    const opened = await open();
    const { user, choose, press, path } = opened;
    await choose('House');
    await press('Cancel');
    await user.click(button('Edit A record for a.com'));
    await shown('form', 'Edit record');
    await fill(opened, 'IPv4 address', '192.0.2.7');
    const asked = async (question: string, word: 'Stay' | 'Leave') => {
      await user.click(button('Templates'));
      await choose('House');
      await leave(opened);
      await user.click(dialog(question).getByRole('button', { name: word }));
      if (word === 'Stay') await press('Cancel');
    };
    await asked('Leave without saving the record?', 'Stay');
    expect([path(), screen.getByRole('textbox', { name: 'IPv4 address' })]).toMatchObject([
      ...['/dns', { value: '192.0.2.7' }],
    ]);
    await user.click(button('Cancel'));
    await user.click(screen.getByRole('switch'));
    await user.click(button('Delete A record for www.a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    await asked('Leave without saving the collected changes?', 'Stay');
    expect([path(), screen.getByText('1 change')]).toHaveLength(2);
    await asked('Leave without saving the collected changes?', 'Leave');
    expect([path(), opened.bodies()]).toEqual([above, []]);
  });
});

describe('saving the records as a template', () => {
  const name = 'Save these records as a template';

  test('needs a name', async () => {
    const { press, sent } = await open();
    await press('Save template');
    expect(fieldErrors()).toEqual({ [name]: 'Please enter a name for the template' });
    expect(sent(save)).toEqual([]);
  });

  test('sends all records, says so, and the name of the domain gives way', async () => {
    const own = recordOf({ type: 'MX', subdomain: '', hostname: 'mx.a.com', priority: 10 });
    const opened = await open({ 'GET /:domain/zone': zoneAt('v1', [apex, own]) });
    await fill(opened, name, 'Mine');
    await opened.press('Save template');
    const body = opened.sent(save)[0]?.body as { name: string; records: { A: object[]; MX: object[] } };
    expect(body.name).toBe('Mine');
    expect(body.records.A).toEqual([{ subdomain: '', ip_address: '192.0.2.1' }]);
    expect(body.records.MX).toEqual([{ subdomain: '', hostname: 'mx.{domain}', priority: 10 }]);
    expect(dialog().getByText('Saved.')).toBeDefined();
    expect(screen.getByRole('textbox', { name })).toHaveProperty('value', '');
    expect(opened.sent(list)).toHaveLength(2);
  });

  test.each([
    [refused(409, 'already_exists', { message: 'There is one of that name.' }), 'There is one of that name.'],
    [silence, 'Something went wrong'],
  ])('that fails says why at the name, which stays', async (answer, message) => {
    const opened = await open({ [save]: answer });
    await fill(opened, name, 'Mine');
    await opened.press('Save template');
    expect(fieldErrors()[name]).toContain(message);
    expect(screen.getByRole('textbox', { name })).toHaveProperty('value', 'Mine');
    await opened.press('Save template');
    expect(opened.sent(save)).toHaveLength(2);
  });

  test('says that it is under way', async () => {
    const held = new Held();
    const opened = await open({ [save]: held });
    await fill(opened, name, 'Mine');
    await opened.press('Save template');
    expect(button('Saving template...')).toHaveProperty('disabled', true);
    held.give(house);
    await opened.settled();
    expect(opened.sent(save)).toHaveLength(1);
  });

  test('is not offered to who has no templates of their own, nor are those read', async () => {
    const { sent } = await open({}, { mayTemplate: false });
    expect(screen.queryByRole('textbox', { name })).toBeNull();
    expect(sent(list)).toEqual([]);
  });
});
