import { expect, test } from 'vitest';
import { pastedName } from './pasted-name.ts';

test.each([
  [' Example.COM ', 'example.com'],
  ['example.com.', 'example.com'],
  ['https://www.example.com/shop?a=b#c', 'www.example.com'],
  ['http://example.com:8080', 'example.com'],
  ['example.com/', 'example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['https://Bücher.example/', 'xn--bcher-kva.example'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['_dmarc.bücher.example.', '_dmarc.xn--bcher-kva.example'],
  ['.', '.'],
  ['', ''],
])('%j is the name %j', (typed, name) => {
  expect(pastedName(typed)).toBe(name);
});

test.each(['info@example.com', '2001:db8::1', 'two words', 'a\u0000ü', 'ü%zz', '\ud800.com'])(
  '%j stays for the rules to refuse',
  (typed) => {
    expect(pastedName(typed)).toBe(typed);
  },
);
