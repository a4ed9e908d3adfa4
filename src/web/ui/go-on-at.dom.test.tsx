import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { goOnAt, placesFrom } from './go-on-at.ts';

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = '<main tabindex="-1"><button>Delete</button></main>';
});
afterEach(() => {
  vi.useRealTimers();
  document.body.innerHTML = '';
});

const button = () => document.querySelector('button') as HTMLButtonElement;
const change = () => vi.advanceTimersByTimeAsync(10);

test('the focus follows to what is left, until the person presses something', async () => {
  goOnAt(placesFrom(button()));
  await change();
  expect(document.activeElement).toBe(button());
  button().remove();
  await change();
  expect(document.activeElement?.tagName).toBe('MAIN');
});

test.each(['keydown', 'pointerdown'])('a person who goes on by themselves is left alone: %s', async (act) => {
  goOnAt(placesFrom(button()));
  await change();
  document.body.dispatchEvent(new Event(act, { bubbles: true }));
  button().remove();
  await change();
  expect(document.activeElement).toBe(document.body);
});
