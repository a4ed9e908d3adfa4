import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashOf, idOf, newId } from './ids.ts';
import { createSeal } from './seal.ts';

describe('seal', () => {
  const seal = createSeal([
    { number: 2, secret: 'new' },
    { number: 1, secret: 'old' },
  ]);

  test('what was sealed opens again in its own place only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (text, place, other) => {
        const sealed = seal.seal(text, place);
        expect(seal.open(sealed, place)).toBe(text);
        if (place !== other) expect(() => seal.open(sealed, other)).toThrow();
      }),
    );
  });

  test('a flipped bit anywhere is noticed', () => {
    const sealed = seal.seal('auth code', 'row');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open(changed, 'row')).toThrow();
    }
  });

  test('after a rotation old values open and new ones are sealed under the new key', () => {
    const before = createSeal([{ number: 1, secret: 'old' }]).seal('x', 'row');
    expect(seal.open(before, 'row')).toBe('x');
    expect(seal.seal('x', 'row')[1]).toBe(2);
    expect(() => createSeal([{ number: 2, secret: 'new' }]).open(before, 'row')).toThrow(/not configured/);
  });
});

describe('ids', () => {
  test('sort by time and carry version 7', () => {
    const ids = [1_000, 2_000, 1_800_000_000_000].map((ms) => newId(ms));
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('of one millisecond sort in the order in which they were made, and differ in more than that', () => {
    for (let ms = 5_000; ms < 5_020; ms += 1) {
      const ids = Array.from({ length: 3_840 }, () => newId(ms));
      expect([...ids].sort()).toEqual(ids);
      expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
    }
  });

  test('of one millisecond keep their order where others are made of an earlier or a later moment in between', () => {
    const [ids, others]: [string[], string[]] = [[], []];
    for (let count = 0; count < 50; count += 1) {
      ids.push(newId(6_000));
      others.push(newId(5_999));
      newId(6_001 + count);
    }
    expect([...ids].sort()).toEqual(ids);
    expect([...others].sort()).toEqual(others);
  });

  test('of acts that go on keep their order, however many other moments come in between', () => {
    const acts = Array.from({ length: 20 }, (_, at) => ({ ms: 8_000 + at, ids: [] as string[] }));
    for (let other = 0; other < 3_000; other += 1) {
      newId(9_000 + other);
      if (other % 100 === 0) for (const { ms, ids } of acts) ids.push(newId(ms));
    }
    for (const { ids } of acts) expect([...ids].sort()).toEqual(ids);
  });

  test('past what one millisecond counts, and back in an earlier one, are of their own time and never equal', () => {
    const ids = [...Array.from({ length: 9_000 }, () => newId(7_000)), newId(6_999), newId(7_000)];
    expect(new Set(ids).size).toBe(ids.length);
    const times = ids.map((id) => Number.parseInt(id.slice(0, 13).replace('-', ''), 16));
    expect(new Set(times.slice(0, 9_000))).toEqual(new Set([7_000]));
    expect(times.slice(9_000)).toEqual([6_999, 7_000]);
    for (const id of ids) expect(id[14]).toBe('7');
  });

  test('equal contents hash equally whatever the order of their keys', () => {
    expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }));
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: 2 }));
    expect(idOf({ a: 1, b: 2 })).toBe(idOf({ b: 2, a: 1 }));
    expect(idOf({ a: 1 })).not.toBe(idOf({ a: 2 }));
    expect(idOf({ a: 1 })).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
