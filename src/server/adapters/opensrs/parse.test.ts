import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Garbage, maxReplyBytes, parseEnvelope, parsePlain, parseReply, parseXml } from './parse.ts';
import { replyXml } from './testing/scripted-server.ts';

const wrap = (block: string, preamble = '') =>
  Buffer.from(
    `${preamble}<OPS_envelope><header><version>0.9</version></header><body><data_block>${block}</data_block></body></OPS_envelope>`,
  );
const good = '<dt_assoc><item key="is_success">1</item><item key="response_code">200</item></dt_assoc>';

describe('shapes of real replies are read', () => {
  test.each([
    [
      'the full preamble',
      `<?xml version='1.0' encoding="UTF-8" standalone="no" ?>\n<!DOCTYPE OPS_envelope SYSTEM "ops.dtd">\n`,
    ],
    [
      'single quotes',
      `<?xml version='1.0' encoding='UTF-8' standalone='no' ?><!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'>`,
    ],
    ['no document type', `<?xml version='1.0'?>`],
    ['no preamble', ''],
  ])('%s', (_name, preamble) => {
    expect(parseReply(wrap(good, preamble))).toMatchObject({ code: '200', success: true, attributes: {} });
  });

  test('keys in any order, lists by their numbers', () => {
    const attributes = { b: ['zero', 'one', { name: 'two' }], a: '', c: {}, d: [] };
    for (let round = 0; round < 20; round++) {
      const reply = parseReply(Buffer.from(replyXml({ code: '200', success: '1', attributes })));
      expect(JSON.parse(JSON.stringify(reply.attributes))).toEqual(attributes);
    }
  });

  test('more than nine entries come in the order of numbers, not of letters', () => {
    const list = Array.from({ length: 25 }, (_, index) => `entry ${index}`);
    const reply = parseReply(Buffer.from(replyXml({ code: '200', success: '1', attributes: { list } })));
    expect(reply.attributes.list).toEqual(list);
  });

  test('texts of several lines, entities, both kinds of empty values', () => {
    const block =
      '<dt_assoc><item key="is_success"> 0 </item><item key="response_code">465</item>' +
      '<item key="response_text">one\n two &amp; &#x41;&lt;</item>' +
      '<item key="attributes"><dt_assoc><item key="x"/><item key="y"></item><item key="z"><dt_scalar>s</dt_scalar></item></dt_assoc></item></dt_assoc>';
    const reply = parseReply(wrap(block));
    expect(reply).toMatchObject({ code: '465', success: false, text: 'one\n two & A<' });
    expect({ ...reply.attributes }).toEqual({ x: '', y: '', z: 's' });
  });

  test('a key named like a property of objects is only a key', () => {
    const block = `<dt_assoc><item key="is_success">1</item><item key="response_code">200</item>
      <item key="attributes"><dt_assoc><item key="__proto__"><dt_assoc><item key="admin">1</item></dt_assoc></item></dt_assoc></item></dt_assoc>`;
    parseReply(wrap(block));
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});

describe('everything else is garbage', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<html><body>502</body></html>')],
    ['text', Buffer.from('Internal server error')],
    ['another root', Buffer.from('<x><dt_assoc/></x>')],
    ['bytes that are no UTF-8', Buffer.concat([wrap(good).subarray(0, 60), Buffer.from([0xff, 0xfe])])],
    ['no data block', Buffer.from('<OPS_envelope><body/></OPS_envelope>')],
    ['a list for a block', wrap('<dt_array/>')],
    ['no code', wrap('<dt_assoc><item key="is_success">1</item></dt_assoc>')],
    ['no success', wrap('<dt_assoc><item key="response_code">200</item></dt_assoc>')],
    ['a code of letters', wrap(good.replace('200', 'OK'))],
    ['a code twice', wrap(good.replace('</dt_assoc>', '<item key="response_code">485</item></dt_assoc>'))],
    ['an item without a key', wrap('<dt_assoc><item>x</item></dt_assoc>')],
    [
      'a list index of letters',
      wrap('<dt_assoc><item key="a"><dt_array><item key="x">1</item></dt_array></item></dt_assoc>'),
    ],
    ['two envelopes', Buffer.concat([wrap(good), wrap(good)])],
  ])('%s', (_name, body) => {
    expect(() => parseReply(body)).toThrow(Garbage);
  });

  test('a reply cut off anywhere', () => {
    const whole = Buffer.from(replyXml({ code: '200', success: '1', attributes: { id: '1' } }));
    const end = whole.toString().trimEnd().length;
    for (let length = 0; length < end; length++) {
      expect(() => parseReply(whole.subarray(0, length))).toThrow(Garbage);
    }
  });
});

describe('hostile documents are refused', () => {
  const bomb = '<!DOCTYPE OPS_envelope [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
  test.each([
    ['entities that grow', wrap(good.replace('200', '&b;'), bomb)],
    [
      'an entity of a file',
      wrap(good.replace('200', '&x;'), '<!DOCTYPE OPS_envelope [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    ],
    ['own declarations beside the external one', wrap(good, '<!DOCTYPE OPS_envelope SYSTEM "ops.dtd" [ ]>')],
    ['an entity nobody declared', wrap(good.replace('200', '&company;'))],
    [
      'depth',
      wrap(`<dt_assoc>${'<item key="a"><dt_assoc>'.repeat(40)}${'</dt_assoc></item>'.repeat(40)}</dt_assoc>`),
    ],
    ['size', Buffer.alloc(maxReplyBytes + 1, 0x20)],
  ])('%s', (_name, body) => {
    expect(() => parseEnvelope(body)).toThrow(Garbage);
  });
});

describe('the plain form is read as all XML is', () => {
  const preamble = `<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'>\n`;
  const block =
    '<dt_assoc>\n <item key="is_success">1</item>\n <item key="list"><dt_array><item key="1">b c</item><item key="0">ä</item>' +
    '</dt_array></item><item key="x"/><item key="y"></item><item key="z"><dt_scalar>s</dt_scalar></item><item key="m"><dt_assoc>' +
    '<item key="n">.</item></dt_assoc></item></dt_assoc>';
  const whole = wrap(block, preamble).toString();
  /** What each makes of it; that it is refused is what counts, not the words. */
  const outcome = (read: (xml: string) => unknown, xml: string) => {
    try {
      return JSON.stringify(read(xml));
    } catch (error) {
      expect(error).toBeInstanceOf(Garbage);
      return 'refused';
    }
  };

  test('without the parser of all XML', () => {
    expect(JSON.stringify(parsePlain(whole))).toBe(JSON.stringify(parseXml(whole)));
    expect(JSON.parse(JSON.stringify(parsePlain(whole)))).toEqual({
      ...{ is_success: '1', list: ['ä', 'b c'], x: '', y: '', z: 's', m: { n: '.' } },
    });
    expect(parsePlain(wrap(block).toString())).not.toBeNull();
    expect(
      parsePlain(replyXml({ code: '200', success: '1', attributes: { a: ['1'] } }).trimEnd()),
    ).not.toBeNull();
  });

  test.each([
    ['an entity', whole.replace('b c', 'b &amp; c')],
    ['a comment', whole.replace('b c', 'b <!-- c -->')],
    ['unread text', whole.replace('b c', '<![CDATA[b c]]>')],
    ['a carriage return', whole.replace('b c', 'b\r\nc')],
    ['the end of unread text', whole.replace('b c', 'b ]]> c')],
    ['a control character', whole.replace('b c', 'b\u0001c')],
    ['a key in other quotes', whole.replace('key="x"', "key='x'")],
    ['a key with a line end', whole.replace('key="x"', 'key="x\n"')],
    ['another attribute', whole.replace('key="x"', 'key="x" class="y"')],
    ['a character beyond the first plane', whole.replace('b c', '😀')],
    ['another version', whole.replace('0.9', '1.0')],
    ['tags that cross', whole.replace('</dt_scalar></item>', '</item></dt_scalar>')],
    ['a tag that nothing closes', whole.replace('</data_block>', '<dt_assoc></data_block>')],
    ['a closing tag with a key', whole.replace('</item>', '</item key="x">')],
    ['something behind', `${whole}<x/>`],
  ])('%s is left to the parser of all XML', (_name, xml) => {
    expect(parsePlain(xml)).toBeNull();
  });

  test('whatever is changed in an answer, both say the same of it', () => {
    const pieces = [
      ...[
        '<',
        '>',
        '/',
        '"',
        "'",
        '=',
        '&',
        ' ',
        '\n',
        '\r',
        '\t',
        ']]>',
        '0',
        'x',
        'ä',
        '😀',
        '\u0000',
        '\ufffe',
        '\u0085',
      ],
      ...[
        '<item key="a">',
        '<item>',
        '</item>',
        '<item key="1"/>',
        '<dt_assoc>',
        '</dt_assoc>',
        '<dt_array>',
        '</dt_array>',
      ],
      ...[
        '<dt_scalar>',
        '</dt_scalar>',
        '<dt_scalarref>',
        '<!-- -->',
        '<![CDATA[x]]>',
        '&amp;',
        '&#10;',
        '<?pi?>',
        'text',
      ],
      ...[
        '</data_block>',
        '<body>',
        '</OPS_envelope>',
        '<?xml version="1.0"?>',
        '<!DOCTYPE OPS_envelope [ ]>',
      ],
    ];
    const edit = fc.record({
      at: fc.nat(whole.length),
      taken: fc.oneof(fc.constant(0), fc.nat(12)),
      put: fc.oneof(fc.constant(''), fc.constantFrom(...pieces)),
    });
    let plain = 0;
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 3 }), fc.boolean(), (edits, isBare) => {
        const start = isBare ? wrap(block).toString() : whole;
        const xml = edits.reduce(
          (text, { at, taken, put }) => text.slice(0, at) + put + text.slice(at + taken),
          start,
        );
        const quick = outcome(parsePlain, xml);
        if (quick === 'null') return;
        plain += 1;
        expect(quick).toBe(outcome(parseXml, xml));
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(300);
  });
});
