import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { dmarcStrictness, mailTextWarnings, unquotedText } from './mail-records.ts';

const keyOf = (modulusLength: number, type: 'spki' | 'pkcs1' = 'spki') =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type, format: 'der' });
const good = keyOf(1_024);
const long = keyOf(2_048).toString('base64');
/** Keys differ each time: a title has their names, not what they are. */
const keys: Readonly<Record<string, string>> = {
  ...{ short: keyOf(512).toString('base64'), good: good.toString('base64'), long },
  ...{ bare: keyOf(1_024, 'pkcs1').toString('base64'), two: `${long.slice(0, 100)} ${long.slice(100)}` },
  ...{
    cut: good.subarray(0, -30).toString('base64'),
    odd: Buffer.from(good.with(0, 0x31)).toString('base64'),
  },
  ed25519: Buffer.alloc(32, 7).toString('base64'),
};
const warningsOf = (subdomain: string, text: string) =>
  mailTextWarnings(
    subdomain,
    text.replace(/\{(\w+)\}/g, (whole, name: string) => keys[name] ?? whole),
  );

describe('records that are as they should be', () => {
  test.each([
    ['', 'v=spf1 -all'],
    ['', 'v=spf1 include:_spf.google.com ~all'],
    ['', 'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:mail.example.com/28 mx -all'],
    ['', 'v=spf1 a mx//64 exists:%{i}.spf.example.com redirect=example.net'],
    ['', 'v=spf1 ip4:192.0.2.1 ip4:192.0.2.2/32 ip6:2001:db8::/64 ip6:2001:db8::1/128 -all '],
    ['', `v=spf1 ${'mx '.repeat(10)}-all`],
    ['mail', 'V=SPF1 MX -ALL'],
    ['_dmarc', 'v=DMARC1; p=none'],
    [
      '_dmarc',
      'v=DMARC1;p=Reject;sp=quarantine;pct=50;rua=mailto:a@example.com,mailto:b@example.net;fo=1:d;adkim=s',
    ],
    ['_dmarc.shop', 'v=DMARC1; p=reject; '],
    ['_dmarc', 'v = DMARC1; p = none; pct=100; rua=mailto:a@example.com, mailto:b@example.net'],
    ['key._domainkey', 'v=DKIM1; k=rsa; p={good}'],
    ['key._domainkey', 'p={long}'],
    ['key._domainkey', 'p={bare}'],
    ['key._domainkey', 'v=DKIM1; h=sha256; p={two};'],
    ['key._domainkey.shop', 'v=DKIM1; k=ed25519; p={ed25519}'],
    ['', 'google-site-verification=abc'],
    ['', 'a text with "quotes" inside'],
  ])('%s %s: nothing is said', (subdomain, text) => {
    expect(warningsOf(subdomain, text)).toEqual([]);
  });
});

describe('what is wrong is said in words', () => {
  test.each([
    ['', '"v=spf1 -all"', 'The quotation marks would be published as part of the text. Please remove them.'],
    ['key._domainkey', '"v=DKIM1; p={good}"', 'The quotation marks would be published'],
    ['', 'v=spf1-all', 'An SPF record begins with "v=spf1 "'],
    ['', 'v=spf2.0/pra -all', 'An SPF record begins with "v=spf1 "'],
    ['', 'v=spf1 ipv4:192.0.2.1 -all', 'Did you mean "ip4"?'],
    ['', 'v=spf1 ip4:192.0.2.256 -all', 'is not an IPv4 address or network'],
    ['', 'v=spf1 ip4:192.0.2.1/33 -all', 'is not an IPv4 address or network'],
    ['', 'v=spf1 ip6:192.0.2.1 -all', 'is not an IPv6 address or network'],
    ['', 'v=spf1 include=example.com -all', 'please write "include:" with a colon'],
    ['', 'v=spf1 include: -all', '"include:" needs a domain'],
    ['', 'v=spf1 exists: -all', '"exists:" needs a domain'],
    ['', 'v=spf1 192.0.2.1 -all', '"192.0.2.1" is not known'],
    ['', 'v=spf1 -all:x', '"-all:x" is not known'],
    ['', 'v=spf1 ip6:2001:db8::/129 -all', 'is not an IPv6 address or network'],
    ['', 'v=spf1 ip4:192.0.2.0/24/8 -all', 'is not an IPv4 address or network'],
    ['', `v=spf1 ${'x'.repeat(40)} -all`, `"${'x'.repeat(40)}" is not known`],
    ['', `v=spf1 ${'x'.repeat(41)} -all`, `"${'x'.repeat(40)}…" is not known`],
    ['', 'v=spf1 mx +all', '"+all" lets anyone send mail'],
    ['', 'v=spf1 all', '"+all" lets anyone send mail'],
    ['', 'v=spf1 -all mx', 'ignore everything after "all"'],
    ['', 'v=spf1 mx', 'says nothing about other senders'],
    [
      '',
      `v=spf1 ${Array.from({ length: 11 }, (_, index) => `include:s${index}.example.com`).join(' ')} -all`,
      'this needs 11 look-ups',
    ],
    ['_dmarc', 'v=DMARC1; p=banana', 'p is none, quarantine or reject, not "banana"'],
    ['_dmarc', 'v=DMARC1', 'the policy is missing'],
    ['_dmarc', 'v=DMARC1; sp=none', 'the policy is missing'],
    ['_dmarc', 'v=DMARC1; reject', 'DMARC: please write tags as "name=value"'],
    ['_dmarc', 'v=DMARC1; =reject', 'DMARC: please write tags as "name=value"'],
    ['_dmarc', '', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'x=DMARC1; p=none', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'p=none; v=DMARC1', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'v=DMARC1 p=none', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'v=DMARC1; p=none; pct=101', 'pct is a number from 0 to 100'],
    ['_dmarc', 'v=DMARC1; p=none; rua=me@example.com', 'rua is addresses such as mailto:'],
    ['_dmarc', 'v=DMARC1; p=none; rua=mailto:a@example.com,me@example.com', 'rua is addresses'],
    ['_dmarc', 'v=DMARC1; p=none; policy=x', 'the tag "policy" is not known'],
    ['_dmarc', 'v=DMARC1; p=none; p=reject', 'p appears twice'],
    ['', 'v=DMARC1; p=none', 'only at _dmarc'],
    ['key._domainkey', 'v=DKIM1; k', 'DKIM: please write tags as "name=value"'],
    ['key._domainkey', 'v=DKIM2; p={good}', '"v=DKIM1" must come first'],
    ['key._domainkey', 'k=ed25519; p=AAAA', 'cannot be read'],
    ['key._domainkey', 'p={odd}', 'cannot be read'],
    ['key._domainkey', 'v=DKIM1; k=rsa', 'the key is missing'],
    ['key._domainkey', 'v=DKIM1; p=', 'the key was withdrawn'],
    ['key._domainkey', 'v=DKIM1; p={cut}', 'cannot be read'],
    ['key._domainkey', 'v=DKIM1; p=not base64!', 'cannot be read'],
    ['key._domainkey', 'v=DKIM1; p={short}', 'keys below 1024 bits'],
    ['key._domainkey', 'k=rsa; v=DKIM1; p={good}', '"v=DKIM1" must come first'],
    ['key._domainkey', 'v=DKIM1; k=dsa; p=AAAA', 'k must be rsa or ed25519'],
    ['', 'v=DKIM1; p={good}', 'only at {selector}._domainkey'],
  ])('%s %s', (subdomain, text, warning) => {
    expect(warningsOf(subdomain, text)).toEqual([expect.stringContaining(warning)]);
  });
});

test.each([
  ['"v=spf1 -all"', 'v=spf1 -all'],
  [' "v=DKIM1; p=MIG" "fMA0" ', 'v=DKIM1; p=MIGfMA0'],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['v=spf1 -all', null],
  ['"open', null],
  ['"a" b "c"', null],
  ['""', ''],
  ['', null],
])('%s without its quotation marks is %j', (text, bare) => {
  expect(unquotedText(text)).toBe(bare);
});

test.each([
  ['v=DMARC1; p=none', 0],
  ['v=DMARC1; sp=reject; p=Quarantine', 1],
  ['v=DMARC1; p=reject', 2],
  ['v=DMARC1; p=banana', null],
  ['v=DMARC1; sp=none', null],
  ['v=DMARC1; none', null],
])('%s is strict to the degree of %s', (text, strictness) => {
  expect(dmarcStrictness(text)).toBe(strictness);
});
