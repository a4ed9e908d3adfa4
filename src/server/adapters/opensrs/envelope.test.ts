import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IllegalText, serialise } from './envelope.ts';
import { parseEnvelope } from './parse.ts';
import type { XcpInput } from './xcp.ts';

test('a request has the full preamble and its keys in the given order', () => {
  const xml = serialise('LOOKUP', 'DOMAIN', { domain: 'example.com', no_cache: '1', absent: undefined });
  expect(xml.toString()).toBe(
    `<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'>\n` +
      '<OPS_envelope><header><version>0.9</version></header><body><data_block><dt_assoc>' +
      '<item key="protocol">XCP</item><item key="action">LOOKUP</item><item key="object">DOMAIN</item>' +
      '<item key="attributes"><dt_assoc><item key="domain">example.com</item><item key="no_cache">1</item>' +
      '</dt_assoc></item></dt_assoc></data_block></body></OPS_envelope>',
  );
});

test('empty attributes are an empty map, an empty list is an empty list', () => {
  expect(serialise('A', 'B', {}).toString()).toContain('<item key="attributes"><dt_assoc></dt_assoc></item>');
  expect(serialise('A', 'B', { x: [] }).toString()).toContain('<item key="x"><dt_array></dt_array></item>');
});

test('markup in a value stays text', () => {
  const xml = serialise('A', 'B', { x: `</item><item key="y">&"'` }).toString();
  expect(xml).toContain('&lt;/item&gt;&lt;item key=&quot;y&quot;&gt;&amp;&quot;&apos;');
});

test.each(['a\u0000', 'a\u0008b', '\ud800', 'x\ufffe', '\u001b[2J'])(
  'text that no XML can hold is refused before signing: %j',
  (value) => {
    expect(() => serialise('A', 'B', { x: value })).toThrow(IllegalText);
  },
);

test('whatever is sent is what the other side reads', () => {
  const word = fc
    .string({ unit: 'binary' })
    .filter((value) => /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(value));
  const key = fc.string({ minLength: 1 }).filter((value) => /^[\u0020-\u007e]+$/.test(value));
  const { tree } = fc.letrec<{ tree: XcpInput }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 5, noNullPrototype: true }), (attributes) => {
      const read = parseEnvelope(serialise('A', 'B', attributes)).attributes;
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(attributes)));
    }),
    { numRuns: 300 },
  );
});
