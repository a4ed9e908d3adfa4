import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterPaint } from './after-paint.ts';

const does = vi.fn();
let frames: (() => void)[];
/** Paints, and lets what waits for that go on. */
const paint = () => {
  for (const frame of frames.splice(0)) frame();
  vi.advanceTimersByTime(0);
};

beforeEach(() => {
  frames = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  does.mockReset();
});

test('it is done behind the frame, and once', () => {
  afterPaint(does);
  for (const frame of frames.splice(0)) frame();
  expect(does).not.toHaveBeenCalled();
  vi.advanceTimersByTime(0);
  expect(does).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2_000);
  expect(does).toHaveBeenCalledTimes(1);
});

test('or behind as many as are named', () => {
  afterPaint(does, 2);
  paint();
  expect(does).not.toHaveBeenCalled();
  paint();
  expect(does).toHaveBeenCalledTimes(1);
});

test('a paint that does not come is waited for a second', () => {
  afterPaint(does);
  vi.advanceTimersByTime(999);
  expect(does).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(does).toHaveBeenCalledTimes(1);
});

test('a window that nobody looks at does not wait', () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  afterPaint(does);
  expect(does).toHaveBeenCalledTimes(1);
  expect(frames).toEqual([]);
});

test('what is called off is not done', () => {
  afterPaint(does)();
  paint();
  vi.advanceTimersByTime(1_000);
  expect(does).not.toHaveBeenCalled();
});
