import { afterEach, describe, expect, test } from 'vitest';
import type { DomainHealth } from '#contracts/operations/health.ts';
import type { Role } from '#contracts/permissions.ts';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  uuid,
  within,
} from '../../../tests/support/screen.tsx';
import { namesToMove } from '../features/moves/names-to-move.ts';
import { forgetTab } from '../lib/storage.ts';
import { WatchedDomain } from './watched-domain.tsx';

const watched = {
  registrar: 'Other Inc.',
  expiresAt: '2027-01-02T12:00:00Z',
  customerId: uuid(21),
  customer: 'Acme',
};
const health: DomainHealth = {
  ...{ watched, checkedAt: '2026-11-01T12:00:00Z', nextAt: '2099-01-01T00:00:00Z', findings: [] },
};
const read = 'GET /domain/health/:domain';
const check = 'POST /domain/health/:domain';
const remove = 'POST /health/watched/remove';

const open = (
  answers: Answers = {},
  { role = 'MSP_OWNER', domain = 'acme.com' }: { role?: Role; domain?: string } = {},
) =>
  openScreen(() => <WatchedDomain domain={domain} otherwise="Not watched" />, {
    ...{ route: '/domain/$domain/{-$tab}', path: `/domain/${domain}`, role },
    answers: { [read]: health, ...answers },
  });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const has = (name: string) => screen.queryByRole('button', { name }) !== null;

afterEach(forgetTab);

describe('a watched domain', () => {
  test('says where it is held, for whom and until when', async () => {
    await open();
    expect(screen.getAllByRole('alert')[0]?.textContent).toMatch(
      /held at Other Inc.Acme · Expires Jan 2, 2027/,
    );
  });

  test.each<[string, Answers]>([
    ['is unknown', { [read]: refused(404, 'not_found') }],
    ['is held here', { [read]: { ...health, watched: null } }],
  ])('that %s is none', async (_what, answers) => {
    await open(answers);
    expect(screen.getByText('Not watched')).toBeDefined();
  });

  test('that cannot be read is not called unwatched, and is read again', async () => {
    const opened = await open({ [read]: refused(500, 'internal', { message: 'Out of order' }) });
    expect(screen.queryByText('Not watched')).toBeNull();
    opened.answer(read, health);
    await opened.user.click(button('Try again'));
    expect(screen.getByText('Nothing is wrong with this domain')).toBeDefined();
  });

  test('is watched no more once somebody has said so, and the list follows', async () => {
    const { user, sent, path } = await open({ [remove]: { removed: 1 } });
    await user.click(button('Stop watching'));
    const dialog = within(screen.getByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(sent(remove)).toEqual([]);
    await user.click(button('Stop watching'));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Stop watching' }));
    expect(sent(remove).map(({ body }) => body)).toEqual([{ domains: ['acme.com'] }]);
    expect(path()).toBe('/health/watched');
  });

  test('goes along to the transfer with its customer', async () => {
    const { user, path } = await open();
    await user.click(button('Transfer here'));
    expect([path(), namesToMove()]).toEqual([`/domain/moves?customer=${uuid(21)}`, 'acme.com, ']);
  });

  test.each<[string, { role?: Role; domain?: string }, boolean, boolean]>([
    ['an owner', {}, true, true],
    ['a name that cannot come here', { domain: 'acme.org' }, false, true],
    ["a customer's own user", { role: 'MSP_CUSTOMER' }, false, false],
  ])('offers %s the transfer and the end: %s', async (_who, who, transfer, stop) => {
    await open({}, who);
    expect([has('Transfer here'), has('Stop watching')]).toEqual([transfer, stop]);
  });

  test('is checked on request, once; why it was not is shown', async () => {
    const answer = new Held();
    const opened = await open({ [check]: answer });
    await opened.user.click(button('Check now'));
    expect(button('Check now').disabled).toBe(true);
    answer.give(refused(429, 'rate_limited', { message: 'Too many.' }));
    await opened.settled();
    expect(screen.getByText('Too many.')).toBeDefined();
    opened.answer(check, {});
    opened.answer(read, { ...health, nextAt: '2026-01-01T00:00:00Z' });
    await opened.user.click(button('Try again'));
    expect(opened.sent(check).map(({ params }) => params)).toEqual([
      { domain: 'acme.com' },
      { domain: 'acme.com' },
    ]);
    expect(screen.getByText('Checking. This takes a minute or two.')).toBeDefined();
    expect(button('Check now').disabled).toBe(true);
  });
});
