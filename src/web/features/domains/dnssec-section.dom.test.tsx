import { expect, test } from 'vitest';
import {
  type Answers,
  Held,
  openScreen,
  refused,
  screen,
  silence,
  within,
} from '../../../../tests/support/screen.tsx';
import { DnssecSection } from './dnssec-section.tsx';

const Changing = () => <DnssecSection domain="acme.com" mayChange />;
const Reading = () => <DnssecSection domain="acme.com" mayChange={false} />;

const reading = 'GET /:domain/dnssec';
const removal = 'DELETE /:domain/dnssec';
const signed = {
  records: [
    { keyTag: '2371', algorithm: '13', digestType: '2', digest: 'AB12CD' },
    { keyTag: '2371', algorithm: '13', digestType: '4', digest: 'EF34' },
  ],
};
const open = (answers: Answers = {}, component = Changing) =>
  openScreen(component, { answers: { [reading]: signed, ...answers } });
const removeButton = () => screen.queryByRole('button', { name: 'Remove DNSSEC' });
const dialog = () => screen.queryByRole('dialog', { name: 'Remove DNSSEC from acme.com?' });
const press = (name: string) => within(dialog() ?? document.body).getByRole('button', { name });

test('the records at the registry are shown, each with its whole digest', async () => {
  const { sent } = await open();
  expect(sent(reading).map(({ params }) => params)).toEqual([{ domain: 'acme.com' }]);
  expect(screen.getByText('2371 13 2 AB12CD')).toBeDefined();
  expect(screen.getByText('2371 13 4 EF34')).toBeDefined();
  expect(removeButton()).not.toBeNull();
});

test.each([
  ['unsigned', { records: [] }, Changing, 'The registry has no DS records'],
  ['of others', signed, Reading, 'This domain is signed.'],
])('a removal is not offered where it is none of theirs: %s', async (_what, state, component, text) => {
  await open({ [reading]: state }, component);
  expect(screen.getByText(new RegExp(`^${text}`))).toBeDefined();
  expect(removeButton()).toBeNull();
});

test('what could not be read says so, offers no removal, and is read again on request', async () => {
  const { user, answer } = await open({
    [reading]: refused(502, 'upstream_unavailable', { message: 'No answer from there.' }),
  });
  expect(screen.getByRole('alert').textContent).toContain('No answer from there.');
  expect(screen.queryByText(/no DS records/)).toBeNull();
  expect(removeButton()).toBeNull();
  answer(reading, signed);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('2371 13 2 AB12CD')).toBeDefined();
});

test('a removal asks first; a yes removes them of this domain, and what the registry has then is shown', async () => {
  const { user, sent, answer } = await open({ [removal]: { domain: 'acme.com', notice: null } });
  await user.click(press('Remove DNSSEC'));
  expect(dialog()?.textContent).toContain('Wait a day before you move its DNS');
  await user.click(press('Cancel'));
  expect(dialog()).toBeNull();
  expect(sent(removal)).toEqual([]);
  await user.click(press('Remove DNSSEC'));
  answer(reading, { records: [] });
  await user.click(press('Remove DNSSEC'));
  expect(sent(removal).map(({ params }) => params)).toEqual([{ domain: 'acme.com' }]);
  expect(dialog()).toBeNull();
  expect(screen.getByText(/^The registry has no DS records/)).toBeDefined();
  expect(removeButton()).toBeNull();
});

test.each([
  [
    'refused',
    refused(422, 'registrar_refused', { message: 'The registry holds it.' }),
    'The registry holds it.',
  ],
  ['not confirmed', refused(502, 'outcome_unknown', { message: 'Not confirmed.' }), 'Not confirmed.'],
  ['not answered', silence, 'Something went wrong'],
])('a removal that is %s stays open and says why, and also afterwards', async (_what, answer, text) => {
  const { user, sent } = await open({ [removal]: answer });
  await user.click(press('Remove DNSSEC'));
  await user.click(press('Remove DNSSEC'));
  expect(within(dialog() as HTMLElement).getByRole('alert').textContent).toBe(text);
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  // It may have been done: the registry is asked how it stands.
  expect(sent(reading)).toHaveLength(2);
  await user.click(press('Remove DNSSEC'));
  expect(sent(removal)).toHaveLength(2);
  await user.click(press('Cancel'));
  expect(dialog()).toBeNull();
  expect(screen.getByRole('alert').textContent).toBe(text);
});

test('a removal that the registry takes up later says when', async () => {
  const notice = 'The registrar takes it up within the hour.';
  const { user } = await open({ [removal]: { domain: 'acme.com', notice } });
  await user.click(press('Remove DNSSEC'));
  await user.click(press('Remove DNSSEC'));
  expect(dialog()).toBeNull();
  expect(screen.getByRole('status').textContent).toBe(notice);
});

test('a removal cannot be pressed twice or left while it runs', async () => {
  const answer = new Held();
  const { user, sent, settled } = await open({ [removal]: answer });
  await user.click(press('Remove DNSSEC'));
  await user.click(press('Remove DNSSEC'));
  for (const name of ['Removing...', 'Cancel']) {
    expect(press(name)).toHaveProperty('disabled', true);
    await user.click(press(name));
  }
  await user.keyboard('{Escape}');
  expect(dialog()).not.toBeNull();
  answer.give({ domain: 'acme.com', notice: null });
  await settled();
  expect(sent(removal)).toHaveLength(1);
  expect(dialog()).toBeNull();
});
