import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heldHeader } from '#contracts/values/held.ts';

/** Whether the portal answers. */
let answers: boolean;
/** Whether it compares its records. */
let held: boolean;
const reply = () => new Response('', { status: 500, headers: held ? { [heldHeader]: '1' } : {} });
let asked: number;
const heard: boolean[] = [];

beforeEach(() => {
  [answers, held, asked] = [true, false, 0];
  heard.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    if (!answers) throw new TypeError('fetch failed');
    return reply();
  });
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', { onLine: true });
  // What it knows of the portal stays with the page.
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function open() {
  const { connection } = await import('./connection.ts');
  connection.subscribe(() => heard.push(connection.isOffline()));
  return connection;
}
const turns = () => vi.advanceTimersByTimeAsync(0);

test('a call without an answer is no proof: the portal is out of reach once it does not answer a small question either', async () => {
  const connection = await open();
  connection.unanswered();
  await turns();
  expect([connection.isOffline(), heard, asked]).toEqual([false, [], 1]);
  answers = false;
  connection.unanswered();
  await turns();
  expect([connection.isOffline(), heard, asked]).toEqual([true, [true], 2]);
});

test('a portal out of reach is asked every five seconds until it answers, with whatever, and then no more', async () => {
  const connection = await open();
  answers = false;
  connection.unanswered();
  await turns();
  // Calls that fail meanwhile ask no sooner.
  connection.unanswered();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, heard]).toEqual([2, [true]]);
  answers = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([asked, heard]).toEqual([3, [true, false]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(3);
});

test('any answer to a call says that the portal is there again, and who stopped listening hears nothing', async () => {
  const connection = await open();
  const other = vi.fn();
  const stop = connection.subscribe(other);
  answers = false;
  connection.unanswered();
  await turns();
  stop();
  connection.answered(reply());
  connection.answered(reply());
  expect([connection.isOffline(), heard]).toEqual([false, [true, false]]);
  expect(other).toHaveBeenCalledOnce();
});

test('what the browser says of its network is said at once, and the portal on this machine has the last word', async () => {
  const connection = await open();
  connection.watch();
  window.dispatchEvent(new Event('offline'));
  expect([connection.isOffline(), asked]).toEqual([true, 1]);
  await turns();
  expect(connection.isOffline()).toBe(false);
  answers = false;
  window.dispatchEvent(new Event('offline'));
  await turns();
  expect(connection.isOffline()).toBe(true);
  answers = true;
  window.dispatchEvent(new Event('online'));
  await turns();
  expect([connection.isOffline(), heard]).toEqual([false, [true, false, true, false]]);
});

test('a page that is opened without a network asks at once', async () => {
  vi.stubGlobal('navigator', { onLine: false });
  answers = false;
  const connection = await open();
  connection.watch();
  await turns();
  expect(connection.isOffline()).toBe(true);
});

test('a portal that compares its records is asked every half minute, until an answer says that it takes changes again', async () => {
  const connection = await open();
  const told = vi.fn();
  connection.subscribe(told);
  held = true;
  connection.answered(reply());
  expect([connection.isHeld(), connection.isOffline(), told.mock.calls.length]).toEqual([true, false, 1]);
  connection.answered(reply());
  expect(told).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(30_000);
  expect([asked, connection.isHeld()]).toEqual([1, true]);
  // A portal that is away besides is asked sooner, and is not taken for one that has finished.
  answers = false;
  connection.unanswered();
  await turns();
  expect([connection.isOffline(), connection.isHeld()]).toEqual([true, true]);
  [answers, held] = [true, false];
  await vi.advanceTimersByTimeAsync(5_000);
  expect([connection.isOffline(), connection.isHeld()]).toEqual([false, false]);
  const before = asked;
  await vi.advanceTimersByTimeAsync(90_000);
  expect(asked).toBe(before);
});
