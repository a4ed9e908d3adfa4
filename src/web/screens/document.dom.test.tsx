import { expect, test } from 'vitest';
import { openScreen, refused, screen } from '../../../tests/support/screen.tsx';
import DocumentScreen from './document.tsx';

const read = 'GET /content/:name';
const text = { markdown: '# Terms\n\nOf *use*.' };

test.each([
  ['/privacy-policy', 'privacy-policy'],
  ['/terms-and-conditions', 'terms-and-conditions'],
])('at %s the text of that name is read, without its title, which is in the header', async (path, name) => {
  const { sent } = await openScreen(DocumentScreen, {
    route: path,
    status: 'signed-out',
    answers: { [read]: text },
  });
  expect(sent(read).map(({ params }) => params)).toEqual([{ name }]);
  expect(screen.getByText('use').parentElement?.textContent).toBe('Of use.');
  expect(screen.queryByRole('heading')).toBeNull();
});

test('a text that cannot be read says so, and is read again', async () => {
  const opened = await openScreen(DocumentScreen, {
    ...{ route: '/privacy-policy', status: 'signed-out' },
    answers: { [read]: refused(500, 'internal', { message: 'Out of order' }) },
  });
  expect(screen.getByRole('alert').textContent).toContain('Out of order');
  opened.answer(read, text);
  await opened.user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('use')).toBeDefined();
});
