import { describe, expect, test } from 'vitest';
import {
  type Answers,
  fieldErrors,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { AdvancedDnsTab } from './advanced-dns-tab.tsx';

const list = 'GET /:domain/nameserver';
const create = 'POST /:domain/nameserver';
const update = 'PUT /:domain/nameserver';
const remove = 'DELETE /:domain/nameserver';
const ns1 = { name: 'ns1.a.com', ipaddress: '192.0.2.1', ipv6: null, can_delete: 0 };
const ns2 = { name: 'ns2.a.com', ipaddress: '192.0.2.2', ipv6: '2001:db8::2', can_delete: 1 };
const done = (notice: string | null) => ({ domain: 'a.com', notice });
const ok = done(null);

const open = (answers: Answers = {}, mayEdit = true) =>
  openScreen(() => <AdvancedDnsTab address="a.com" mayEdit={mayEdit} />, {
    answers: { [list]: [ns1, ns2], ...answers },
  });
const button = (name: string) => screen.getByRole('button', { name });
const dialog = () => within(screen.getByRole('dialog'));
const field = (name: string) => screen.getByRole('textbox', { name });
const value = (name: string) => (field(name) as HTMLInputElement).value;
type Typed = Partial<Record<'Subdomain' | 'IP V4' | 'IP V6', string>>;

async function form(opener: string, typed: Typed, answers: Answers) {
  const opened = await open(answers);
  const { user } = opened;
  await user.click(button(opener));
  await screen.findByRole('dialog', {}, { timeout: 60_000 });
  for (const [label, text] of Object.entries(typed)) {
    await user.clear(field(label));
    if (text) await user.paste(text);
  }
  return { ...opened, save: () => user.click(dialog().getByRole('button', { name: 'Save' })) };
}
const add = (typed: Typed, answers: Answers = {}) =>
  form('Add nameserver', typed, { [create]: ok, ...answers });
const edit = (typed: Typed, answers: Answers = {}) =>
  form('Edit ns2.a.com', typed, { [update]: ok, ...answers });

describe('a new nameserver', () => {
  test.each<[Typed, Record<string, string>]>([
    [{}, { Subdomain: 'This field is required', 'IP V4': 'A nameserver needs an IP address' }],
    [
      { Subdomain: 'ns 3', 'IP V4': '1.2', 'IP V6': '1.2' },
      {
        Subdomain: expect.any(String),
        'IP V4': 'Please enter an IPv4 address, such as 192.0.2.1',
        'IP V6': 'Please enter an IPv6 address, such as 2001:db8::1',
      },
    ],
    [
      { Subdomain: 'ns3', 'IP V4': '10.0.0.1' },
      { 'IP V4': 'This is a private address. It cannot be reached from the internet' },
    ],
  ])('of %j is not sent, and its fields say why', async (typed, problems) => {
    const { save, sent } = await add(typed);
    expect(fieldErrors()).toEqual({});
    await save();
    expect(fieldErrors()).toEqual(problems);
    expect(document.activeElement).toBe(field(Object.keys(problems)[0] ?? ''));
    expect(sent(create)).toEqual([]);
  });

  test.each<[Typed, object]>([
    [
      { Subdomain: ' NS3 ', 'IP V4': ' 192.0.2.3 ' },
      { name: 'ns3.a.com', ipaddress: '192.0.2.3', ipv6: '' },
    ],
    [
      { Subdomain: 'ns3.a.com.', 'IP V6': '2001:db8::3' },
      { name: 'ns3.a.com', ipaddress: '', ipv6: '2001:db8::3' },
    ],
  ])('of %j is sent with its full name, and the hosts are read again', async (typed, body) => {
    const { save, sent } = await add(typed);
    await save();
    expect(sent(create)).toMatchObject([{ params: { domain: 'a.com' }, body }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(list)).toHaveLength(2);
  });

  const good = { Subdomain: 'ns3', 'IP V4': '192.0.2.3' };

  test('shows what the portal says of a field at that field, and keeps what was typed', async () => {
    const details = [{ path: 'ipaddress', message: 'The registry knows no such address' }];
    const { save, user } = await add(good, { [create]: refused(400, 'validation_failed', { details }) });
    await save();
    expect(fieldErrors()).toEqual({ 'IP V4': 'The registry knows no such address' });
    expect(screen.queryByRole('alert')).toBeNull();
    expect([value('Subdomain'), value('IP V4')]).toEqual(['ns3', '192.0.2.3']);
    await user.type(field('IP V4'), '4');
    expect(fieldErrors()).toEqual({});
  });

  test.each([
    [refused(409, 'already_exists', { message: 'This host is there.' }), 'This host is there.'],
    [silence, 'Something went wrong'],
  ])('that fails says why, keeps what was typed and can be sent again', async (answer, message) => {
    const { save, sent } = await add(good, { [create]: answer });
    await save();
    expect(screen.getByRole('alert').textContent).toContain(message);
    expect([value('Subdomain'), value('IP V4')]).toEqual(['ns3', '192.0.2.3']);
    await save();
    expect(sent(create)).toHaveLength(2);
  });

  test('says that it is being saved, and tells what the registry adds to it', async () => {
    const held = new Held();
    const { save, settled, sent } = await add(good, { [create]: held });
    await save();
    for (const name of ['Saving nameserver...', 'Cancel']) {
      expect(dialog().getByRole('button', { name })).toHaveProperty('disabled', true);
    }
    held.give(done('It takes an hour.'));
    await settled();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('It takes an hour.')).toBeDefined();
    expect(sent(create)).toHaveLength(1);
  });

  test('that is given up sends nothing', async () => {
    const { user, sent } = await add(good);
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sent(create)).toEqual([]);
  });
});

describe('a change of a nameserver', () => {
  test.each<[Typed, object]>([
    [{ 'IP V4': '192.0.2.9' }, { name: 'ns2.a.com', ipaddress: '192.0.2.9' }],
    [{ 'IP V6': '2001:db8::9' }, { name: 'ns2.a.com', ipv6: '2001:db8::9' }],
    [{ 'IP V6': '' }, { name: 'ns2.a.com', ipv6: '' }],
    [{ 'IP V4': '' }, { name: 'ns2.a.com', ipaddress: '' }],
    [{ Subdomain: 'ns9' }, { name: 'ns2.a.com', new_name: 'ns9.a.com' }],
  ])('to %j sends that and nothing else', async (typed, body) => {
    const { save, sent } = await edit(typed);
    await save();
    expect(sent(update).map((call) => call.body)).toEqual([body]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('begins with what is there, and what is said of a new name stands at the name', async () => {
    const details = [{ path: 'new_name', message: 'That name is taken' }];
    const { save } = await edit({}, { [update]: refused(400, 'validation_failed', { details }) });
    expect(['Subdomain', 'IP V4', 'IP V6'].map(value)).toEqual(['ns2', '192.0.2.2', '2001:db8::2']);
    await save();
    expect(fieldErrors()).toEqual({ Subdomain: 'That name is taken' });
  });
});

describe('deleting a nameserver', () => {
  test('asks first, and deletes the one that was asked about', async () => {
    const { user, sent } = await open({ [remove]: done('It takes an hour.') });
    await user.click(button('Delete ns2.a.com'));
    expect(dialog().getByText(/You are about to delete ns2\.a\.com from the registry/)).toBeDefined();
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    expect(sent(remove)).toEqual([]);
    await user.click(button('Delete ns2.a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    expect(sent(remove)).toMatchObject([{ params: { domain: 'a.com' }, body: { name: 'ns2.a.com' } }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText('It takes an hour.')).toBeDefined();
  });

  test('what the registry added to one act is told until another is through', async () => {
    const { user, answer } = await open({ [remove]: done('It takes an hour.') });
    const confirmed = async (label: string) => {
      await user.click(button('Delete ns2.a.com'));
      await user.click(dialog().getByRole('button', { name: label }));
    };
    await confirmed('Delete');
    await confirmed('Cancel');
    expect(screen.getByText('It takes an hour.')).toBeDefined();
    answer(remove, ok);
    await confirmed('Delete');
    expect(screen.queryByText('It takes an hour.')).toBeNull();
  });

  test('that is refused stays open and says why', async () => {
    const { user } = await open({
      [remove]: refused(422, 'registrar_refused', { message: 'A domain uses it.' }),
    });
    await user.click(button('Delete ns2.a.com'));
    await user.click(dialog().getByRole('button', { name: 'Delete' }));
    expect(dialog().getByRole('alert').textContent).toBe('A domain uses it.');
    expect(dialog().getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', false);
  });

  test('of one that a domain uses is not possible', async () => {
    const { user } = await open();
    expect(button('Delete ns1.a.com').getAttribute('aria-disabled')).toBe('true');
    expect(button('Delete ns2.a.com').getAttribute('aria-disabled')).toBe('false');
    await user.click(button('Delete ns1.a.com'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('the nameservers', () => {
  const cells = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        within(row)
          .getAllByRole('cell')
          .slice(0, 3)
          .map(({ textContent }) => textContent),
      );

  test('are shown with their addresses, and to who may not change them without more', async () => {
    await open({}, false);
    expect(cells()).toEqual([
      ['ns1', '192.0.2.1', '—'],
      ['ns2', '192.0.2.2', '2001:db8::2'],
    ]);
    expect(screen.queryByRole('button')).toBeNull();
  });

  test('that are none, or cannot be read, say so', async () => {
    const { user, answer } = await open({
      [list]: refused(502, 'upstream_unavailable', { message: 'Silent.' }),
    });
    expect(screen.getByRole('alert').textContent).toContain('Silent.');
    answer(list, []);
    await user.click(button('Try again'));
    expect(screen.getByText('No nameservers below this domain')).toBeDefined();
  });
});
