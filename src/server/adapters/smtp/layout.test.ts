import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Letter } from '#kernel/letters.ts';
import { darkColours, htmlOf, lightColours, logoId, textOf } from './layout.ts';

const letter: Letter = {
  subject: 'Two domains & <one> more',
  parts: ['Hello <A & "B">,', { rows: [['one.com', 'expires 2026-12-01', ''], ["o'two.com"]] }],
  button: { text: 'Open "it"', address: 'https://portal.example/x?a=1&b="2"' },
  note: 'Small <print>.',
};
const acme = { name: 'Acme <IT>', logo: null };

test('the text part says all that the HTML part says, with the address of the button in full', () => {
  expect(textOf({ letter, brand: acme }, 'Nameward')).toBe(
    [
      'Hello <A & "B">,',
      "  one.com  expires 2026-12-01\n  o'two.com",
      'Open "it":\nhttps://portal.example/x?a=1&b="2"',
      'Small <print>.',
      'Sent by Nameward for Acme <IT>.',
    ].join('\n\n'),
  );
});

test('nothing of a letter becomes markup, and nothing is loaded from outside', () => {
  const html = htmlOf({ letter, brand: { ...acme, logo: Buffer.from('png') } }, 'Nameward');
  expect(html).toContain('Hello &#60;A &#38; &#34;B&#34;&#62;,');
  expect(html).toContain('href="https://portal.example/x?a=1&#38;b=&#34;2&#34;"');
  expect(html).toContain('Acme &#60;IT&#62;');
  expect([...html.matchAll(/src="([^"]*)"/g)].map(([, source]) => source)).toEqual([`cid:${logoId}`]);
  expect(html).not.toMatch(/url\(|@import|<script|<link/);
});

test('an organization that writes in its own name does not name the portal', () => {
  const message = { letter, brand: acme, inItsName: true };
  expect(textOf(message, 'Nameward')).not.toContain('Nameward');
  expect(htmlOf(message, 'Nameward')).not.toContain('Nameward');
});

test('without a button there is none, in either part', () => {
  const { button: _, ...without } = letter;
  expect(htmlOf({ letter: without }, 'Nameward')).not.toContain('<a ');
  expect(textOf({ letter: without }, 'Nameward')).not.toContain('https://');
});

test('mails have the colours of the product, light and dark', () => {
  const css = readFileSync(join(import.meta.dirname, '../../../web/ui/tokens.css'), 'utf8');
  const [light = '', dark = ''] = css.split(':root[data-mantine-color-scheme="dark"]');
  for (const [colours, sheet] of [
    [lightColours, light],
    [darkColours, dark],
  ] as const) {
    for (const [name, value] of Object.entries(colours)) expect(sheet).toContain(`--${name}: ${value};`);
  }
});
