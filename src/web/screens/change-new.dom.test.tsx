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
import { keepChosenNames, keepChosenTemplate } from '../features/changes/chosen-names.ts';
import { followNothing } from '../lib/followed-work.ts';
import ChangeNewScreen from './change-new.tsx';

const create = 'POST /changes';
const made = {
  ...{ id: uuid(51), title: 'New mail', reason: '', sentence: 'x', state: 'draft', note: '' },
  ...{ request: { kind: 'lock', locked: true }, author: 'Ann', createdAt: '2026-11-20T10:00:00Z' },
  ...{ startedAt: null, endedAt: null, undoes: null, undoneBy: null, leftByUndo: null, round: 1 },
  counts: {
    ...{ total: 1, waiting: 1, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0 },
    ...{ queued: 0, applying: 0, done: 0, failed: 0, moved: 0, cancelled: 0 },
  },
};
const template = (n: number, name: string) => ({
  ...{ id: uuid(n), name, version: n, records: { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] } },
  ...{ variables: [{ key: 'host', label: 'Mail host' }], uses: { total: 0, drifted: 0, outdated: 0 } },
});
const lists: Answers = {
  'GET /view': [
    {
      ...{ id: uuid(71), screen: 'domains', name: 'Acme', shared: false, own: true },
      query: `customer=${uuid(21)}&search=shop`,
    },
  ],
  'GET /customer/choices': [
    { customerId: uuid(21), organization: 'Acme', markups: null },
    { customerId: uuid(22), organization: 'Zeta', markups: null },
  ],
  'GET /dns/templates': [template(41, 'House'), template(42, 'Mail')],
};

async function open(answers: Answers = {}, chosen: { names?: string[]; template?: string } = {}) {
  followNothing();
  keepChosenNames(chosen.names ?? []);
  keepChosenTemplate(chosen.template ?? '');
  onTestFinished(() => {
    keepChosenNames([]);
    keepChosenTemplate('');
    followNothing();
  });
  const opened = await openScreen(ChangeNewScreen, {
    ...{ route: '/changes/new', answers: { ...lists, [create]: made, ...answers } },
  });
  const { user } = opened;
  return {
    ...opened,
    fill: async (label: string | RegExp, text: string) => {
      await user.clear(field(label));
      if (text) await user.paste(text);
    },
    choose: async (label: string, option: string) => {
      await user.click(screen.getByRole('combobox', { name: label }));
      const list = screen.getByRole('listbox', { name: label });
      await user.click(within(list).getByRole('option', { name: option }));
    },
    save: () => user.click(screen.getByRole('button', { name: 'Review the differences' })),
    bodies: () => opened.sent(create).map(({ body }) => body),
  };
}
type Opened = Awaited<ReturnType<typeof open>>;
const field = (name: string | RegExp) => screen.getByRole('textbox', { name });
const tick = ({ user }: Opened, name: string | RegExp) => user.click(screen.getByRole('checkbox', { name }));
const pick = ({ user }: Opened, name: string) => user.click(screen.getByRole('radio', { name }));

describe('what is sent', () => {
  const record = { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' };
  const contact = {
    ...{ organization: 'Acme', firstName: 'Ann', lastName: 'Smith', email: 'a@b.example' },
    ...{ phone: '+1.2125550100', address1: '1 Main St', address2: 'Floor 2', address3: '' },
    ...{ city: 'Troy', state: 'NY', postalCode: '12180', country: '' },
  };
  test.each<[string, (opened: Opened) => Promise<unknown>, object]>([
    [
      'Replace a value',
      async (opened) => {
        await opened.fill('Find', 'a.example');
        await opened.fill('Replace with', 'b.example');
        await tick(opened, /^Also within longer values/);
      },
      { kind: 'replace-value', find: 'a.example', replacement: 'b.example', part: false },
    ],
    [
      'Add a record',
      async ({ choose, fill }) => {
        await choose('Type', 'MX');
        await fill('Mail server', 'mx.b.net');
        await fill('Priority', '10');
      },
      { kind: 'add-record', record: { type: 'MX', subdomain: '', hostname: 'mx.b.net', priority: '10' } },
    ],
    [
      'Change a record',
      async ({ fill }) => {
        await fill('Subdomain', 'www');
        await fill('IPv4 address', '192.0.2.1');
        await fill('Only the record with this value', ' 192.0.2.9 ');
      },
      { kind: 'change-record', record, value: '192.0.2.9' },
    ],
    [
      'Remove records',
      async ({ choose, fill }) => {
        await choose('Type', 'TXT');
        await fill('Subdomain', 'old');
      },
      { kind: 'remove-record', type: 'TXT', subdomain: 'old', value: null },
    ],
    [
      'Set SPF',
      async ({ fill }) => fill('SPF record', 'v=spf1 mx -all'),
      { kind: 'set-spf', text: 'v=spf1 mx -all', where: 'missing' },
    ],
    [
      'Set DMARC',
      async (opened) => {
        await pick(opened, 'Everywhere');
        expect(screen.getByText('Existing records are replaced in every zone.')).toBeDefined();
      },
      { kind: 'set-dmarc', text: 'v=DMARC1; p=quarantine', where: 'everywhere' },
    ],
    ['Keep one DMARC record', async () => undefined, { kind: 'keep-dmarc' }],
    [
      'Delete a host',
      async (opened) => {
        await opened.fill('Host', 'old');
        await tick(opened, 'With everything below it');
      },
      { kind: 'delete-host', subdomain: 'old', below: true },
    ],
    [
      'Remove aliases',
      async ({ fill }) => fill('Hosts', 'a.example\nb.example'),
      { kind: 'remove-aliases', hosts: ['a.example', 'b.example'] },
    ],
    [
      'Apply a template',
      async ({ choose, fill }) => {
        await choose('Template', 'Mail, version 42');
        await fill('Mail host', 'mx.b.net');
      },
      { kind: 'apply-template', templateId: uuid(42), version: 42, values: { host: 'mx.b.net' } },
    ],
    ['Lock or unlock', (opened) => pick(opened, 'Unlocked'), { kind: 'lock', locked: false }],
    ['Auto renew', async () => undefined, { kind: 'auto-renew', enabled: true }],
    ['WHOIS privacy', (opened) => pick(opened, 'Off'), { kind: 'privacy', enabled: false }],
    [
      'Nameservers',
      ({ fill }) => fill('Nameservers', 'ns1.b.net\nns2.b.net'),
      { kind: 'nameservers', nameservers: ['ns1.b.net', 'ns2.b.net'] },
    ],
    [
      'Contacts',
      async (opened) => {
        await tick(opened, 'Billing');
        await tick(opened, 'Owner');
      },
      { kind: 'contacts', roles: ['billing', 'owner'], contact: null },
    ],
    [
      'Contacts',
      async (opened) => {
        await tick(opened, 'Tech');
        await pick(opened, 'One for all');
        const typed: [RegExp, string][] = [
          [/^Company/, contact.organization],
          [/^First name/, contact.firstName],
          [/^Last name/, contact.lastName],
          [/^Email/, contact.email],
          [/^Phone/, contact.phone],
          [/^Address line 1/, contact.address1],
          [/^Address line 2/, contact.address2],
          [/^City/, contact.city],
          [/^State/, contact.state],
          [/^Postal code/, contact.postalCode],
        ];
        for (const [label, text] of typed) await opened.fill(label, text);
        await opened.user.click(screen.getByRole('combobox', { name: /^Country/ }));
        await opened.user.click(screen.getByRole('option', { name: 'Canada' }));
      },
      { kind: 'contacts', roles: ['tech'], contact: { ...contact, country: 'CA' } },
    ],
    ['Customer', ({ choose }) => choose('Customer', 'Zeta'), { kind: 'customer', customerId: uuid(22) }],
    ['Customer', async () => undefined, { kind: 'customer', customerId: null }],
  ])('to %s', async (kind, type, request) => {
    const opened = await open({}, { names: ['a.com', 'b.com'] });
    if (kind !== 'Replace a value') await opened.choose('What to do', kind);
    await type(opened);
    const inSettings = ['lock', 'auto-renew', 'privacy', 'nameservers', 'contacts', 'customer'].includes(
      (request as { kind: string }).kind,
    );
    const kept = inSettings ? 'in the audit log' : 'in the history of each zone that it changes';
    expect(screen.getByText(`Optional. Kept with the change and ${kept}.`)).toBeDefined();
    await opened.fill(/^Name of the change/, 'New mail');
    await opened.fill('Ticket', 'T 5');
    await opened.save();
    expect(opened.bodies()).toEqual([
      { title: 'New mail', reason: 'T 5', request, targets: { kind: 'names', names: ['a.com', 'b.com'] } },
    ]);
    // Nothing is applied: the differences come first.
    expect(opened.path()).toBe(`/changes/${uuid(51)}`);
  });

  test('the names as they are pasted, counted, each once', async () => {
    const opened = await open();
    expect(screen.getByText('One per line, or pasted from a table.')).toBeDefined();
    await opened.fill('Names', 'a.com, b.com\na.com');
    expect(screen.getByText('2 domains')).toBeDefined();
    await opened.save();
    expect(opened.bodies()).toMatchObject([{ targets: { kind: 'names', names: ['a.com', 'b.com'] } }]);
  });

  test.each([
    ['Acme', { kind: 'filter', filter: { search: 'shop', customerId: uuid(21) } }],
    ['All domains', { kind: 'all' }],
  ])('the domains of the view %s', async (view, targets) => {
    const opened = await open({}, { names: ['a.com'] });
    await pick(opened, 'A saved view');
    if (view !== 'All domains') await opened.choose('View', view);
    expect(screen.getByRole('combobox', { name: 'View' })).toHaveProperty('value', view);
    await opened.save();
    expect(opened.bodies()).toMatchObject([{ targets }]);
  });

  test('what was chosen on another screen comes along, once', async () => {
    const { save, bodies } = await open({}, { names: ['c.com'], template: uuid(41) });
    expect(field('Names')).toHaveProperty('value', 'c.com');
    expect(screen.getByRole('combobox', { name: 'Template' })).toHaveProperty('value', 'House, version 41');
    await save();
    expect(bodies()).toMatchObject([
      { request: { templateId: uuid(41), version: 41, values: {} }, targets: { names: ['c.com'] } },
    ]);
    expect(window.sessionStorage.getItem('changes.chosen') || '').toBe('');
    expect(window.sessionStorage.getItem('changes.template') || '').toBe('');
  });
});

describe('what is refused', () => {
  test('stands at its field until that is changed, and nothing typed is lost', async () => {
    const details = [
      { path: 'title', message: 'Please name the change' },
      { path: 'targets.names', message: 'Please choose at least one domain' },
      { path: 'request.nameservers.1', message: 'This is no host name' },
    ];
    const opened = await open({ [create]: refused(400, 'validation_failed', { details }) });
    await opened.choose('What to do', 'Nameservers');
    await opened.fill('Nameservers', 'ns1.b.net x');
    await opened.save();
    expect(fieldErrors()).toEqual({
      'Name of the change': 'Please name the change',
      Names: 'Please choose at least one domain',
      Nameservers: 'This is no host name',
    });
    expect(screen.queryByRole('alert')).toBeNull();
    await opened.fill('Names', 'a.com');
    expect(Object.keys(fieldErrors())).toEqual(['Nameservers', 'Name of the change']);
    expect(field('Nameservers')).toHaveProperty('value', 'ns1.b.net x');
    // Another kind has other fields.
    await opened.choose('What to do', 'Lock or unlock');
    expect(Object.keys(fieldErrors())).toEqual(['Name of the change']);
  });

  test('gets the focus at the first field of it, also where the browser paints before the answer is drawn', async () => {
    vi.stubGlobal('requestAnimationFrame', (paint: FrameRequestCallback) => Number(void paint(0)));
    onTestFinished(() => void vi.unstubAllGlobals());
    const details = [{ path: 'request.text', message: 'Not so' }];
    const opened = await open({ [create]: refused(400, 'validation_failed', { details }) });
    await opened.choose('What to do', 'Set DMARC');
    await opened.fill(/^Name of the change/, 'DMARC everywhere');
    await opened.save();
    expect(document.activeElement).toBe(field('DMARC record'));
  });

  test.each<[string, string, string, string?]>([
    ['Add a record', 'request.record.ip_address', 'IPv4 address'],
    ['Add a record', 'request.record.subdomain', 'Subdomain'],
    ['Remove records', 'request.subdomain', 'Subdomain'],
    ['Remove records', 'request.value', 'Only the record with this value'],
    ['Replace a value', 'request.replacement', 'Replace with'],
    ['Set SPF', 'request.text', 'SPF record'],
    ['Set DMARC', 'request.text', 'DMARC record'],
    ['Delete a host', 'request.subdomain', 'Host'],
    ['Remove aliases', 'request.hosts', 'Hosts'],
    ['Apply a template', 'request.templateId', 'Template'],
    ['Customer', 'request.customerId', 'Customer'],
    ['Customer', 'reason', 'Ticket'],
  ])('to %s: %s stands at %s', async (kind, path, label) => {
    const details = [{ path, message: 'Not so' }];
    const opened = await open({ [create]: refused(400, 'validation_failed', { details }) });
    if (kind !== 'Replace a value') await opened.choose('What to do', kind);
    await opened.save();
    expect(fieldErrors()).toEqual({ [label]: 'Not so' });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('of contacts stands at the choice of them, and at the fields of the one for all', async () => {
    const said = 'A customer has no tech contact';
    const details = [{ path: 'request.roles', message: said }];
    const opened = await open({ [create]: refused(400, 'validation_failed', { details }) });
    await opened.choose('What to do', 'Contacts');
    await tick(opened, 'Tech');
    await opened.save();
    expect(screen.getByText(said)).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
    await pick(opened, 'One for all');
    expect(screen.queryByText(said)).toBeNull();
    const missing = [{ path: 'request.contact.email', message: 'This field is required' }];
    opened.answer(create, refused(400, 'validation_failed', { details: missing }));
    await opened.save();
    expect(fieldErrors()).toEqual({ Email: 'This field is required' });
  });

  test('as a whole is told below the fields, and the button works again', async () => {
    const opened = await open({ [create]: refused(422, 'unprocessable', { message: 'Too many changes.' }) });
    await opened.fill('Names', 'a.com');
    await opened.save();
    expect(screen.getByRole('alert').textContent).toBe('Too many changes.');
    expect(field('Names')).toHaveProperty('value', 'a.com');
    await opened.save();
    const keys = opened.sent(create).map(({ key }) => key);
    expect(keys).toEqual([expect.any(String), expect.any(String)]);
    // It was refused: the next one is another.
    expect(keys[0]).not.toBe(keys[1]);
  });

  test('nobody knows whether it was made: the next try is the same one', async () => {
    const opened = await open({ [create]: silence });
    await opened.fill('Names', 'a.com');
    await opened.save();
    expect(screen.getByRole('alert').textContent).toContain('Something went wrong');
    opened.answer(create, made);
    await opened.save();
    const [first, second] = opened.sent(create);
    expect(second?.key).toBe(first?.key);
    expect(second?.body).toEqual(first?.body);
    expect(opened.path()).toBe(`/changes/${uuid(51)}`);
  });
});

test('a change is made once, and says that it is being prepared', async () => {
  const held = new Held();
  const { save, user, sent, settled } = await open({ [create]: held }, { names: ['a.com'] });
  await save();
  expect(screen.getByRole('button', { name: 'Preparing...' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Preparing...' }));
  held.give(made);
  await settled();
  expect(sent(create)).toHaveLength(1);
});

test('what was typed is not left without a word', async () => {
  const opened = await open();
  const { user, path, fill } = opened;
  await fill('Find', 'x');
  await user.click(screen.getByRole('link', { name: 'Changes' }));
  expect(path()).toBe('/changes/new');
  const dialog = within(screen.getByRole('dialog', { name: 'Leave without making this change?' }));
  await user.click(dialog.getByRole('button', { name: 'Stay' }));
  expect(field('Find')).toHaveProperty('value', 'x');
  await fill('Find', '');
  await user.click(screen.getByRole('link', { name: 'Changes' }));
  expect(path()).toBe('/changes');
  expect(opened.bodies()).toEqual([]);
});

test('choices that cannot be read say so, and are asked for again', async () => {
  const { user, answer, sent } = await open({
    'GET /customer/choices': refused(500, 'internal', { message: 'Broken.' }),
  });
  expect(screen.getByRole('alert').textContent).toContain('Broken.');
  answer('GET /customer/choices', []);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.queryByRole('alert')).toBeNull();
  expect([sent('GET /customer/choices').length, sent('GET /view').length]).toEqual([2, 1]);
});
