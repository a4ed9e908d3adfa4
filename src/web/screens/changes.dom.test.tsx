import { expect, test } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import type { Change } from '../../contracts/operations/changes.ts';
import ChangesScreen from './changes.tsx';

const list = 'GET /changes';
const counts = {
  ...{ total: 9, waiting: 0, ready: 0, warned: 0, leftOut: 0, same: 0, barred: 0 },
  ...{ queued: 2, applying: 0, done: 4, failed: 1, moved: 1, cancelled: 0 },
};
const change = (n: number, state: Change['state'], more: Partial<Change> = {}) => ({
  ...{ id: uuid(n), title: `Change ${n}`, reason: '', sentence: `Sentence ${n}`, state, note: '' },
  ...{
    request: { kind: 'lock', locked: true },
    author: 'bob@msp.example',
    createdAt: '2026-11-20T10:00:00Z',
  },
  ...{ startedAt: '2026-11-20T10:00:00Z', endedAt: null, undoes: null, undoneBy: null, leftByUndo: null },
  ...{ round: 1, counts, ...more },
});
const open = (answers: Answers) => openScreen(ChangesScreen, { route: '/changes', answers });
const rows = () =>
  within(screen.getByRole('list', { name: 'Changes' }))
    .getAllByRole('listitem')
    .map((row) => [
      row.querySelector('a')?.getAttribute('href'),
      ...[...(row.lastElementChild?.children ?? [])].map(({ textContent }) => textContent),
    ]);

test('each change says how far it is and in which state, and leads to itself', async () => {
  const states = ['draft', 'ready', 'running', 'paused', 'done', 'partly', 'cancelled', 'undone'] as const;
  const changes = states.map((state, index) =>
    change(index + 1, state, state === 'draft' || state === 'ready' ? { startedAt: null } : {}),
  );
  await open({ [list]: { changes, more: false } });
  const texts = [
    ...['Being prepared', 'Not applied yet', 'Being applied', 'Paused'],
    ...['Done', 'Partly done', 'Ended', 'Undone'],
  ];
  expect(rows()).toEqual(
    texts.map((text, index) => [
      `/changes/${uuid(index + 1)}`,
      // What failed is through, and was not changed.
      index < 2 ? '9 domains' : index < 4 ? '6 of 8 domains' : '4 of 8 domains',
      text,
    ]),
  );
  expect(screen.getByText('Sentence 1')).toBeDefined();
});

test('a change says who made it and why, and more follow the last one', async () => {
  const { user, sent, answer } = await open({
    [list]: { changes: [change(1, 'done', { reason: 'Ticket 5' })], more: true },
  });
  expect(screen.getByText(/by .*bob.* · Ticket 5$/)).toBeDefined();
  answer(list, { changes: [change(2, 'ready', { startedAt: null })], more: false });
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(sent(list).map(({ query }) => query)).toEqual([{ limit: '50' }, { limit: '50', after: uuid(1) }]);
  expect(rows()).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
});

test('none at all lead to a new one, and templates are a step away', async () => {
  await open({ [list]: { changes: [], more: false } });
  expect(screen.getByText('No changes yet')).toBeDefined();
  const links = screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['Templates', '/changes/templates'],
    ['New change', '/changes/new'],
    ['New change', '/changes/new'],
  ]);
});

test('changes that are being read, or cannot be, say so', async () => {
  const held = new Held();
  const { user, settled, answer } = await open({ [list]: held });
  expect(screen.getByRole('status', { name: 'Loading changes...' })).toBeDefined();
  held.give(refused(500, 'internal', { message: 'Broken.' }));
  await settled();
  expect(screen.getByRole('alert').textContent).toContain('Broken.');
  answer(list, { changes: [change(1, 'done')], more: false });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(rows()).toHaveLength(1);
});
