import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { type Answers, openScreen, refused, screen, uuid } from '../../../../tests/support/screen.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { Toasts } from '../../ui/toasts.tsx';
import { SavedViews } from './saved-views.tsx';

const [list, save, change, drop] = ['GET /view', 'POST /view', 'PATCH /view/:id', 'DELETE /view/:id'];
const of = (n: number, name: string, more: object = {}) => ({
  ...{ id: uuid(n), screen: 'domains', name, query: 'kind=manual&sort=expireDate', shared: false, own: true },
  ...more,
});
const mine = of(1, 'By hand', { shared: true });
const theirs = of(2, 'Theirs', { shared: true, own: false, query: 'kind=unlocked' });

const Using = () => (
  <>
    <SavedViews screen="domains" mayManage={false} />
    <Toasts />
  </>
);
const Managing = () => <SavedViews screen="domains" mayManage />;

async function open(answers: Answers = {}, search = '', mayManage = false) {
  onTestFinished(() => showToast(null));
  const opened = await openScreen(mayManage ? Managing : Using, {
    ...{ route: '/domain/list', path: `/domain/list${search}` },
    answers: { [list]: [mine, theirs], ...answers },
  });
  await opened.user.click(screen.getByRole('button', { name: 'Saved views' }));
  return opened;
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const removals = () =>
  screen.queryAllByRole('button', { name: /^Remove the view/ }).map((one) => one.getAttribute('aria-label'));
const field = () => screen.getByLabelText('Save this list as');

describe('a view of a list', () => {
  test('is saved under a name with what the address filters and orders by, for oneself or for colleagues', async () => {
    const { user, sent, answer } = await open(
      { [list]: [], [save]: mine },
      '?page=3&kind=manual&sort=expireDate',
    );
    expect(screen.getByText('No saved views yet.')).toBeDefined();
    expect(button('Save view').disabled).toBe(true);
    await user.type(field(), 'By hand');
    await user.click(screen.getByLabelText('Share with my colleagues'));
    answer(list, [mine]);
    await user.click(button('Save view'));
    expect(sent(save).map(({ body }) => body)).toEqual([
      { screen: 'domains', name: 'By hand', query: 'kind=manual&sort=expireDate', shared: true },
    ]);
    // It is the view that is shown now, and not saved again.
    expect(button('Saved views').textContent).toContain('By hand');
    expect(screen.queryByLabelText('Save this list as')).toBeNull();
    // The form is gone, and the focus is where its name is.
    expect(button('Saved views').getAttribute('aria-expanded')).toBe('false');
    expect(document.activeElement).toBe(button('Saved views'));
    await user.keyboard('{Enter}');
    expect(screen.getByRole('link', { name: /^By hand/ })).toBeDefined();
  });

  test('whose name is taken says so at its field, and keeps it', async () => {
    const { user } = await open({ [save]: refused(409, 'conflict', { message: 'There is one already.' }) });
    await user.type(field(), 'By hand');
    await user.click(button('Save view'));
    expect(screen.getByText('There is one already.')).toBeDefined();
    expect(field()).toHaveProperty('value', 'By hand');
  });

  test('opens by its address, a colleague’s too', async () => {
    const { user, path } = await open();
    expect(screen.getByRole('link', { name: /^Theirs/ }).textContent).toBe('Theirsshared with you');
    await user.click(screen.getByRole('link', { name: /^By hand/ }));
    expect(path()).toBe('/domain/list?kind=manual&sort=expireDate');
  });

  test.each([
    [false, ['Remove the view By hand']],
    [true, ['Remove the view By hand', 'Remove the view Theirs']],
  ])('is removed by whose it is, and by those who manage people: %s', async (mayManage, names) => {
    const { user, sent, answer } = await open({ [drop]: {} }, '', mayManage);
    expect(removals()).toEqual(names);
    answer(list, []);
    await user.click(button('Remove the view By hand'));
    expect(sent(drop).map(({ params }) => params)).toEqual([{ id: mine.id }]);
    expect(screen.getByText('No saved views yet.')).toBeDefined();
  });

  const named = (name = 'By hand') => screen.getByLabelText<HTMLInputElement>(`New name of the view ${name}`);

  test('is renamed in its place, and the keyboard stays there', async () => {
    const { user, sent, answer } = await open({ [change]: { ...mine, name: 'Renewed by hand' } });
    expect(screen.queryByRole('button', { name: 'Rename the view Theirs' })).toBeNull();
    button('Rename the view By hand').focus();
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(named());
    answer(list, [{ ...mine, name: 'Renewed by hand' }, theirs]);
    // What it was called is selected: typing takes its place.
    await user.keyboard('Renewed by hand{Enter}');
    expect(sent(change)).toMatchObject([
      { params: { id: mine.id }, body: { name: 'Renewed by hand', shown: 'By hand' } },
    ]);
    expect(screen.getByRole('link', { name: /^Renewed by hand/ })).toBeDefined();
    await eventually(() => expect(document.activeElement?.textContent).toMatch(/^Renewed by hand/));
  });

  test('keeps its name where the new one is given up or is the same', async () => {
    const { user, sent } = await open();
    await user.click(button('Rename the view By hand'));
    await user.keyboard('Else');
    await user.click(button('Cancel'));
    await user.click(button('Rename the view By hand'));
    await user.keyboard('{Enter}');
    expect(screen.getByRole('link', { name: /^By hand/ })).toBeDefined();
    expect(sent(change)).toEqual([]);
  });

  test('whose new name is taken says so at its field, and keeps it', async () => {
    const { user } = await open({
      [change]: refused(409, 'already_exists', { message: 'There is one already.' }),
    });
    await user.click(button('Rename the view By hand'));
    await user.keyboard('Taken{Enter}');
    expect(screen.getByText('There is one already.')).toBeDefined();
    expect(named().value).toBe('Taken');
    expect(document.activeElement).toBe(named());
  });

  test('that a colleague has renamed meanwhile says how it is called now, and the next try replaces that', async () => {
    const data = { ...mine, name: 'Of theirs' };
    const { user, sent, answer } = await open({ [change]: refused(409, 'conflict', { data }) });
    await user.click(button('Rename the view By hand'));
    await user.keyboard('Ours{Enter}');
    expect(screen.getByText('Someone else named it Of theirs in the meantime.')).toBeDefined();
    answer(change, { ...mine, name: 'Ours' });
    await user.keyboard('{Enter}');
    expect(sent(change).map(({ body }) => body)).toEqual([
      { name: 'Ours', shown: 'By hand' },
      { name: 'Ours', shown: 'Of theirs' },
    ]);
  });

  test('that was removed by mistake comes back, with what it was and for whom', async () => {
    const { user, sent, answer } = await open({ [drop]: {}, [save]: mine });
    answer(list, [theirs]);
    button('Remove the view By hand').focus();
    await user.keyboard('{Enter}');
    // At the next one, where the next key is heard: Escape closes the panel.
    await eventually(() => expect(document.activeElement?.textContent).toMatch(/^Theirs/));
    expect(screen.getByText('The view By hand was removed.')).toBeDefined();
    answer(list, [mine, theirs]);
    await user.click(button('Undo'));
    expect(sent(save).map(({ body }) => body)).toEqual([
      { screen: 'domains', name: 'By hand', query: 'kind=manual&sort=expireDate', shared: true },
    ]);
    expect(screen.queryByText('The view By hand was removed.')).toBeNull();
  });

  test('that does not come back says why', async () => {
    const message = 'A view with this name already exists.';
    const { user } = await open({ [drop]: {}, [save]: refused(409, 'already_exists', { message }) });
    await user.click(button('Remove the view By hand'));
    await user.click(button('Undo'));
    expect(screen.getByText(message)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });
});
