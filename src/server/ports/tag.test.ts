import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestTag, readTag, writeTag } from './tag.ts';

const id = '019aaaaa-0000-7000-8000-000000000001';
const [organisationId, customerId] = [id.replace(/1$/, '2'), id.replace(/1$/, '3')];

test('what is written comes back, and fits', () => {
  const parts = [fc.uuid(), fc.uuid(), fc.option(fc.uuid()), fc.nat(100_000_000), fc.boolean()] as const;
  fc.assert(
    fc.property(...parts, (tag, organisationId, customerId, priceCents, autoRenew) => {
      const origin = { organisationId, customerId, priceCents, autoRenew };
      const text = writeTag(tag, origin);
      expect(readTag(text)).toEqual({ tag, origin });
      expect(text.length).toBeLessThanOrEqual(longestTag);
      // Nothing that a field of the protocol, or a note in words, could change.
      expect(text).toMatch(/^[\w.-]+$/);
    }),
  );
});

test('a tag of before, and one of somebody else, has no origin', () => {
  for (const text of [id, 'item-1', 'a.b.c.d', `${id}.short..1`, '']) {
    expect(readTag(text)).toEqual({ tag: text, origin: null });
  }
  expect(readTag(null)).toEqual({ tag: null, origin: null });
  expect(writeTag(id)).toBe(id);
});

test('a price that is cut off does not count', () => {
  const origin = { organisationId, customerId, priceCents: 1299, autoRenew: false };
  expect(readTag(writeTag(id, origin).replace(/\.\w+$/, '.')).origin).toBeNull();
});

test('what is no id of ours is not sent as one', () => {
  const origin = { organisationId: 'ours', customerId: null, priceCents: 1, autoRenew: false };
  expect(() => writeTag(id, origin)).toThrow('no id');
});
