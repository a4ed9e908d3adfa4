import { expect, test } from 'vitest';
import { countedSince, isUsable, linkEndsAt, waitBeforeLinkMs } from './setup-links.rules.ts';

const now = new Date('2026-11-22T12:00:00Z');
const hourMs = 3_600_000;
const at = (ms: number) => new Date(now.getTime() + ms);

test('three letters an hour; the fourth waits until the first is an hour old', () => {
  const sent = [at(-hourMs + 5_000), at(-20), at(-10)];
  expect(countedSince(now)).toEqual(at(-hourMs));
  expect(waitBeforeLinkMs([], now)).toBe(0);
  expect(waitBeforeLinkMs(sent.slice(0, 2), now)).toBe(0);
  expect(waitBeforeLinkMs(sent, now)).toBe(5_000);
  expect(waitBeforeLinkMs([at(-hourMs), ...sent.slice(1)], now)).toBe(1);
});

test('a link opens for seven days, while there is somebody to bill', () => {
  const customer = { deleted: false, billDirectly: true };
  expect(linkEndsAt(now)).toEqual(at(7 * 24 * hourMs));
  expect(isUsable({ expires_at: at(1) }, customer, now)).toBe(true);
  expect(isUsable({ expires_at: now }, customer, now)).toBe(false);
  expect(isUsable({ expires_at: at(1) }, { ...customer, deleted: true }, now)).toBe(false);
  expect(isUsable({ expires_at: at(1) }, { ...customer, billDirectly: false }, now)).toBe(false);
});
