import { beforeEach, expect, test, vi } from 'vitest';
import { type Answers, Held, refused, screen, uuid, within } from '../../../../tests/support/screen.tsx';
import {
  apex,
  button,
  conflict,
  dialog,
  mail,
  noButton,
  note,
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
const moved = recordOf({ type: 'A', subdomain: 'www', ip_address: '192.0.2.3' });
const ftp = recordOf({ type: 'A', subdomain: 'ftp', ip_address: '192.0.2.9' });
const version = (n: number, more: object = {}) => ({
  ...{ id: uuid(n), at: `2026-11-2${n}T10:00:00Z`, author: 'bob@msp.example', reason: '', state: 'applied' },
  ...{ records: 4, version: `old${n}`, changes: null, ...more },
});
const versions = [
  version(4, { version: 'v1', reason: 'Ticket 5' }),
  version(3, {
    changes: {
      ...{ added: 0, changed: 1, removed: 24 },
      first: [
        { action: 'update', record: web, old: moved },
        { action: 'remove', record: ftp, old: null },
      ],
    },
  }),
  version(2, {
    ...{ state: 'refused', records: 1 },
    changes: { added: 0, changed: 1, removed: 0, first: [{ action: 'update', record: web, old: moved }] },
  }),
  version(1, { state: 'unknown' }),
];
const content = {
  A: [
    { subdomain: '', ip_address: '192.0.2.1' },
    { subdomain: 'www', ip_address: '192.0.2.3' },
  ],
  ...{ AAAA: [], CNAME: [], TXT: [{ subdomain: 'note', text: 'hello' }], SRV: [] },
  MX: [{ subdomain: '', hostname: 'mx.b.net', priority: 10 }],
};
const get = 'GET /:domain/zone/versions/:id';
const wire = (action: string, record: object) => {
  const { type, subdomain, ...fields } = record as { type: string; subdomain: string };
  return { type, subdomain, action, fields };
};

beforeEach(() => {
  withRoom();
  return () => vi.restoreAllMocks();
});

async function open(answers: Answers = {}, mayEdit = true) {
  const opened = await openZone({
    answers: {
      'GET /:domain/zone/versions': versions,
      [get]: { ...versions[1], content },
      [put]: savedAt('v2', [apex, moved, mail, note]),
      ...answers,
    },
    mayEdit,
  });
  await opened.user.click(button('History'));
  await shown('list', 'Versions');
  const of = (n: number) => {
    const row = within(screen.getByRole('list', { name: 'Versions' }))
      .getAllByRole('listitem')
      .filter((item) => item.parentElement?.getAttribute('aria-label') === 'Versions')
      .at(n);
    if (!row) throw new Error(`No version ${n}`);
    return within(row);
  };
  return { ...opened, of };
}

test('each version says what, when, by whom, why and whether it was made', async () => {
  const { of } = await open();
  expect(of(0).getByText('As it is now')).toBeDefined();
  expect(of(0).getByText(/Ticket 5/)).toBeDefined();
  expect(of(0).queryByRole('button')).toBeNull();
  expect(of(1).getByText('1 record changed, 24 deleted')).toBeDefined();
  expect(of(1).getByText('4 records afterwards')).toBeDefined();
  expect(
    within(of(1).getByRole('list', { name: 'Changed records' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['Changed A www 192.0.2.3 192.0.2.2Put back', 'Deleted A ftp 192.0.2.9Put back', 'and 23 more']);
  expect([of(2).getByText('Not made'), of(2).getByText('1 record afterwards')]).toHaveLength(2);
  // What was not made is not taken back.
  expect(of(2).queryByRole('button', { name: /Put back/ })).toBeNull();
  expect([of(3).getByText('Not confirmed'), of(3).getByText('Kept as it was')]).toHaveLength(2);
});

test.each([
  ['found', 'Found', true],
  ['staged', 'Prepared', true],
  ['writing', 'Being saved', false],
  ['unknown', 'Not confirmed', false],
  ['applied', '', true],
])(
  'what a version that is %s changed is said to be “%s”, and can be put back: %s',
  async (state, said, may) => {
    const changes = {
      added: 0,
      changed: 0,
      removed: 1,
      first: [{ action: 'remove', record: ftp, old: null }],
    };
    const { of } = await open({ 'GET /:domain/zone/versions': [version(1, { state, changes })] });
    const badges = ['Found', 'Prepared', 'Being saved', 'Not confirmed', 'Not made', 'Saved'];
    expect(badges.filter((text) => of(0).queryByText(text))).toEqual(said === '' ? [] : [said]);
    expect(of(0).queryAllByRole('button', { name: /^Put back/ })).toHaveLength(may ? 1 : 0);
  },
);

test('a version is saved as a file of its own', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:file');
  const name = 'GET /:domain/zone/export';
  const { user, of, sent } = await open({ [name]: () => new Response('zone') });
  await user.click(of(1).getByRole('button', { name: 'Export' }));
  expect(sent(name).map(({ params, query }) => [params, query])).toEqual([
    [{ domain: 'a.com' }, { id: uuid(3) }],
  ]);
});

test('a version is restored after a preview of what that changes', async () => {
  const { user, of, sent, bodies } = await open();
  await user.click(of(1).getByRole('button', { name: 'Compare' }));
  expect(sent(get).map(({ params }) => params)).toEqual([{ domain: 'a.com', id: uuid(3) }]);
  const preview = dialog(/^Restore the version of .*2026/);
  expect(preview.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'))).toEqual([
    'Delete A www.a.com 192.0.2.2',
    'Add A www.a.com 192.0.2.3',
  ]);
  expect(bodies()).toEqual([]);
  await user.click(preview.getByRole('button', { name: 'Save 2 changes' }));
  expect(bodies()).toEqual([
    {
      ...{ records: [wire('remove', web), wire('add', moved)], version: 'v1' },
      reason: expect.stringMatching(/^Restored the version of .*2026/),
    },
  ]);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(rows()).toContain('A www 192.0.2.3');
});

test('a version that cannot be read says why, and Cancel leads back to the versions', async () => {
  const { user, of, answer, bodies } = await open({
    [get]: refused(502, 'upstream_unavailable', { message: 'The registry is silent.' }),
  });
  await user.click(of(1).getByRole('button', { name: 'Compare' }));
  expect(dialog().getByRole('alert').textContent).toContain('The registry is silent.');
  answer(get, { ...versions[1], content });
  await user.click(dialog().getByRole('button', { name: 'Try again' }));
  await user.click(dialog(/^Restore/).getByRole('button', { name: 'Cancel' }));
  expect(screen.getByRole('list', { name: 'Versions' })).toBeDefined();
  expect(bodies()).toEqual([]);
});

test('one record is put back as it was, after a preview', async () => {
  const { user, of, bodies } = await open();
  await user.click(of(1).getByRole('button', { name: 'Put back the A record for www.a.com' }));
  expect(dialog('Put back the A record for www.a.com').getAllByRole('checkbox')).toHaveLength(1);
  await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
  expect(bodies()).toEqual([
    {
      records: [{ ...wire('update', moved), old: { ip_address: '192.0.2.2' } }],
      version: 'v1',
      reason: expect.stringMatching(/^Restored to the state before .*2026/),
    },
  ]);
});

test('a record that was deleted comes back', async () => {
  const { user, of, bodies } = await open();
  await user.click(of(1).getByRole('button', { name: 'Put back the A record for ftp.a.com' }));
  await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
  expect(bodies()).toMatchObject([{ records: [wire('add', ftp)], version: 'v1' }]);
});

test('"Take theirs" closes a preview of which nothing is left, and "Save mine" sends it over their zone', async () => {
  const theirs = zoneAt('v9', [apex, recordOf({ ...moved, ip_address: '192.0.2.4' }), mail, note]);
  const { user, of, bodies, answer } = await open({ [put]: conflict(theirs, 0) });
  const putBack = () =>
    user.click(of(1).getByRole('button', { name: 'Put back the A record for www.a.com' }));
  await putBack();
  await user.click(dialog().getByRole('button', { name: 'Save 1 change' }));
  await user.click(button('Save mine'));
  expect(bodies()[1]).toMatchObject({
    records: [{ ...wire('update', moved), old: { ip_address: '192.0.2.4' } }],
    version: 'v9',
  });
  answer(put, conflict(theirs, 0));
  await user.click(button('Take theirs'));
  expect(screen.getByRole('list', { name: 'Versions' })).toBeDefined();
  expect(bodies()).toHaveLength(2);
});

test('who may not change records compares, and puts nothing back', async () => {
  const { of } = await open({}, false);
  noButton(/^Put back/);
  expect(of(1).getByRole('button', { name: 'Compare' })).toBeDefined();
});

test('versions that are being read, cannot be read or are none say so', async () => {
  const held = new Held();
  const list = 'GET /:domain/zone/versions';
  const { user, settled, answer } = await openZone({ answers: { [list]: held } });
  await user.click(button('History'));
  await shown('dialog', 'History');
  expect(dialog().getByRole('status', { name: 'Loading records...' })).toBeDefined();
  held.give(refused(500, 'internal', { message: 'Broken.' }));
  await settled();
  expect(dialog().getByRole('alert').textContent).toContain('Broken.');
  answer(list, []);
  await user.click(dialog().getByRole('button', { name: 'Try again' }));
  expect(dialog().getByText('No changes yet')).toBeDefined();
});
