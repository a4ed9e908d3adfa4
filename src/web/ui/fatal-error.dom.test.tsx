import { describe, expect, test, vi } from 'vitest';
import { openScreen, screen } from '../../../tests/support/screen.tsx';
import { FatalError } from './fatal-error.tsx';

const button = (name: string) => screen.getByRole('button', { name });

describe('the global error screen', () => {
  test('says what happened and whom to ask, with the number of the request', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockReturnValue();
    const error = Object.assign(new Error('Out of order'), { requestId: 'r-1' });
    const { user } = await openScreen(() => <FatalError error={error} />);
    expect(screen.getByRole('heading', { name: 'Something went wrong.' })).toBeDefined();
    expect(screen.getByText(/contact support/)).toBeDefined();
    expect(screen.getByText('Request r-1')).toBeDefined();
    await user.click(button('Reload Page'));
    expect(reload).toHaveBeenCalledOnce();
  });

  test.each([
    ['/', ['/'], 0],
    [undefined, [], 1],
  ])('leads back to the given path, or back in history without one: %s', async (backTo, paths, steps) => {
    const assign = vi.spyOn(window.location, 'assign').mockReturnValue();
    const back = vi.spyOn(window.history, 'back').mockReturnValue();
    const { user } = await openScreen(() => (
      <FatalError error={new Error('x')} {...(backTo ? { backTo } : {})} />
    ));
    expect(screen.queryByText(/^Request/)).toBeNull();
    await user.click(button('Back'));
    expect(assign.mock.calls.map(([to]) => to)).toEqual(paths);
    expect(back).toHaveBeenCalledTimes(steps);
    vi.restoreAllMocks();
  });
});
