import { describe, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
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
import TemplatesScreen from './templates.tsx';

const list = 'GET /dns/templates';
const create = 'POST /dns/templates';
const none = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };
const template = (n: number, uses: object = {}) => ({
  ...{ id: uuid(n), name: `Template ${n}`, version: n, records: none, variables: [] },
  uses: { total: 0, drifted: 0, outdated: 0, ...uses },
});

async function open(answers: Answers = {}) {
  const opened = await openScreen(TemplatesScreen, {
    ...{ route: '/changes/templates', answers: { [list]: [], [create]: template(1), ...answers } },
  });
  const { user } = opened;
  return {
    ...opened,
    fill: async (label: string, text: string) => {
      await user.clear(field(label));
      if (text) await user.paste(text);
    },
    save: () => user.click(screen.getByRole('button', { name: 'Save' })),
    bodies: () => opened.sent(create).map(({ body }) => body),
  };
}
const field = (name: string) => screen.getByRole('textbox', { name });

describe('a new template', () => {
  async function begin(answers: Answers = {}) {
    const opened = await open(answers);
    await opened.user.click(screen.getByRole('button', { name: 'New template' }));
    return opened;
  }

  test('is sent with its records and its variables by their names, and opened', async () => {
    const { fill, save, bodies, path } = await begin();
    await eventually(() => expect(document.activeElement).toBe(field('Name')));
    await fill('Name', 'Mail');
    await fill('Records', '@ MX 10 mx.{provider}\nwww A {address}');
    expect(screen.queryByRole('textbox', { name: 'What {domain} stands for' })).toBeNull();
    await fill('What {provider} stands for', 'Provider of mail');
    await save();
    expect(bodies()).toEqual([
      {
        name: 'Mail',
        records: {
          ...none,
          MX: [{ subdomain: '', hostname: 'mx.{provider}', priority: 10 }],
          A: [{ subdomain: 'www', ip_address: '{address}' }],
        },
        variables: expect.arrayContaining([
          { key: 'provider', label: 'Provider of mail' },
          { key: 'address', label: 'address' },
        ]),
      },
    ]);
    expect(path()).toBe(`/changes/templates/${uuid(1)}`);
  });

  test.each([
    ['', 'Please enter at least one record'],
    ['www A 192.0.2.1\nwww NONE x', /^Line 2: /],
  ])('of the lines %j is not sent, and the field says why until it is changed', async (text, message) => {
    const { fill, save, bodies } = await begin();
    await fill('Records', text);
    await save();
    expect(fieldErrors()).toEqual({ Records: expect.stringMatching(message) });
    expect(bodies()).toEqual([]);
    await fill('Records', 'www A 192.0.2.1');
    expect(fieldErrors()).toEqual({});
  });

  test('that was pasted as a public one becomes lines, with what is to be checked', async () => {
    const { fill, save, bodies } = await begin();
    const records = [
      { type: 'A', host: 'www', pointsTo: '%ip%', ttl: 600 },
      { type: 'CAA', host: '@', data: '0 issue "x"', ttl: 600 },
    ];
    const text = JSON.stringify({ ...{ providerId: 'p', serviceId: 's', serviceName: 'Shop' }, records });
    await fill('Records', text);
    expect((field('Records') as HTMLTextAreaElement).value).toMatch(/^www\s+A\s+\{ip\}$/);
    expect(field('Name')).toHaveProperty('value', 'Shop');
    expect(screen.getByText('Please check').closest('[role="status"]')?.textContent).toMatch(/CAA/);
    await save();
    expect(bodies()).toMatchObject([{ records: { A: [{ subdomain: 'www', ip_address: '{ip}' }] } }]);
  });

  test('shows what the portal says of a field at that field, and keeps what was typed', async () => {
    const details = [
      { path: 'name', message: 'Please enter a name for the template' },
      { path: 'records.A.0', message: 'Too many' },
    ];
    const { fill, save } = await begin({ [create]: refused(400, 'validation_failed', { details }) });
    await fill('Records', 'www A 192.0.2.1');
    await save();
    expect(fieldErrors()).toEqual({ Name: 'Please enter a name for the template', Records: 'Too many' });
    expect(screen.queryByRole('alert')).toBeNull();
    expect(field('Records')).toHaveProperty('value', 'www A 192.0.2.1');
  });

  test.each([
    [refused(409, 'already_exists', { message: 'There is one of that name.' }), 'There is one of that name.'],
    [silence, 'Something went wrong'],
  ])('that is not saved says why, keeps what was typed and can be sent again', async (answer, message) => {
    const { fill, save, bodies } = await begin({ [create]: answer });
    await fill('Name', 'Mail');
    await fill('Records', 'www A 192.0.2.1');
    await save();
    expect(screen.getByRole('alert').textContent).toContain(message);
    expect(field('Name')).toHaveProperty('value', 'Mail');
    await save();
    expect(bodies()).toHaveLength(2);
  });

  test('is sent once, and Cancel sends nothing', async () => {
    const held = new Held();
    const { fill, save, user, bodies, settled } = await begin({ [create]: held });
    await fill('Records', 'www A 192.0.2.1');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect([screen.queryByRole('dialog'), bodies()]).toEqual([null, []]);
    await user.click(screen.getByRole('button', { name: 'New template' }));
    await fill('Records', 'www A 192.0.2.1');
    await save();
    expect(screen.getByRole('button', { name: 'Saving...' })).toHaveProperty('disabled', true);
    held.give(template(1));
    await settled();
    expect(bodies()).toHaveLength(1);
  });
});

test('each template says its version, its use and what differs there, and leads to itself', async () => {
  await open({
    [list]: [template(1), template(2, { total: 1 }), template(3, { total: 1_200, drifted: 2, outdated: 3 })],
  });
  const rows = within(screen.getByRole('list', { name: 'Templates' })).getAllByRole('listitem');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Template 1Version 1 · not in use',
    'Template 2Version 2 · in use in 1 domain',
    'Template 3Version 3 · in use in 1,200 domains2 different3 with an earlier version',
  ]);
  expect(rows.map((row) => row.querySelector('a')?.getAttribute('href'))).toEqual(
    [1, 2, 3].map((n) => `/changes/templates/${uuid(n)}`),
  );
});

test('templates that are none, are being read, or cannot be read say so', async () => {
  const held = new Held();
  const { user, settled, answer } = await open({ [list]: held });
  expect(screen.getByRole('status', { name: 'Loading templates...' })).toBeDefined();
  held.give(refused(500, 'internal', { message: 'Broken.' }));
  await settled();
  expect(screen.getByRole('alert').textContent).toContain('Broken.');
  answer(list, []);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('No templates yet')).toBeDefined();
});
