import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenIdle } from './when-idle.ts';

/** What nobody waits for. */

const does = vi.fn();
/** The document's own, or what tests of screens put in its place. */
const { requestIdleCallback, cancelIdleCallback } = window;
beforeEach(() => {
  Object.assign(window, { requestIdleCallback: undefined, cancelIdleCallback: undefined });
  // All of them would bring an idle callback of their own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  Object.assign(window, { requestIdleCallback, cancelIdleCallback });
  vi.useRealTimers();
  does.mockReset();
});

test('is done when the browser is idle, or has not been for two seconds', () => {
  const request = vi.fn((_does: () => void, _options: object) => 7);
  const cancel = vi.fn();
  Object.assign(window, { requestIdleCallback: request, cancelIdleCallback: cancel });
  const callOff = whenIdle(does);
  expect(request).toHaveBeenCalledWith(does, { timeout: 2_000 });
  callOff();
  expect(cancel).toHaveBeenCalledWith(7);
});

test('is done a moment later where the browser does not say', () => {
  whenIdle(does);
  vi.advanceTimersByTime(199);
  expect(does).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(does).toHaveBeenCalledTimes(1);
});

test('is not done once it is called off', () => {
  whenIdle(does)();
  vi.advanceTimersByTime(1_000);
  expect(does).not.toHaveBeenCalled();
});
