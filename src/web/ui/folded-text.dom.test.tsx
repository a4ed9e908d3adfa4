import { expect, test } from 'vitest';
import { openScreen, screen } from '../../../tests/support/screen.tsx';
import { FoldedText } from './folded-text.tsx';

test('a long text of a list has all of it one step away, and a short one is as it is', async () => {
  const long = 'The registry refuses. '.repeat(20).trim();
  const { user } = await openScreen(() => (
    <>
      <FoldedText about="n1.com">{long}</FoldedText>
      <p>
        <FoldedText about="n2.com">{'x'.repeat(240)}</FoldedText>
      </p>
    </>
  ));
  const text = screen.getByText(long);
  const closed = text.className;
  const [button] = screen.getAllByRole('button');
  expect(screen.getAllByRole('button')).toEqual([button]);
  expect(button?.getAttribute('aria-expanded')).toBe('false');
  await user.click(screen.getByRole('button', { name: 'Show all: n1.com' }));
  expect(text.className).not.toBe(closed);
  expect(button?.getAttribute('aria-expanded')).toBe('true');
  await user.click(screen.getByRole('button', { name: 'Show less: n1.com' }));
  expect(text.className).toBe(closed);
});
