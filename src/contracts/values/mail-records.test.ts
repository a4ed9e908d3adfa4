import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { mailTextWarnings, unquotedText } from './mail-records.ts';

const keyOf = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');
const [short, good, long] = [512, 1_024, 2_048].map(keyOf);
const ed25519 = Buffer.alloc(32, 7).toString('base64');

describe('records that are as they should be', () => {
  test.each([
    ['', 'v=spf1 -all'],
    ['', 'v=spf1 include:_spf.google.com ~all'],
    ['', 'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:mail.example.com/28 mx -all'],
    ['', 'v=spf1 a mx//64 exists:%{i}.spf.example.com redirect=example.net'],
    ['mail', 'V=SPF1 MX -ALL'],
    ['_dmarc', 'v=DMARC1; p=none'],
    [
      '_dmarc',
      'v=DMARC1;p=Reject;sp=quarantine;pct=50;rua=mailto:a@example.com,mailto:b@example.net;fo=1:d;adkim=s',
    ],
    ['_dmarc.shop', 'v=DMARC1; p=reject;'],
    ['key._domainkey', `v=DKIM1; k=rsa; p=${good}`],
    ['key._domainkey', `p=${long}`],
    ['key._domainkey', `v=DKIM1; h=sha256; p=${long?.slice(0, 100)} ${long?.slice(100)};`],
    ['key._domainkey.shop', `v=DKIM1; k=ed25519; p=${ed25519}`],
    ['', 'google-site-verification=abc'],
    ['', 'a text with "quotes" inside'],
  ])('%s %s: nothing is said', (subdomain, text) => {
    expect(mailTextWarnings(subdomain, text)).toEqual([]);
  });
});

describe('what is wrong is said in words', () => {
  test.each([
    ['', '"v=spf1 -all"', 'The quotation marks would be published as part of the text. Please remove them.'],
    ['key._domainkey', `"v=DKIM1; p=${good}"`, 'The quotation marks would be published'],
    ['', 'v=spf1-all', 'An SPF record begins with "v=spf1 "'],
    ['', 'v=spf2.0/pra -all', 'An SPF record begins with "v=spf1 "'],
    ['', 'v=spf1 ipv4:192.0.2.1 -all', 'Did you mean "ip4"?'],
    ['', 'v=spf1 ip4:192.0.2.256 -all', 'is not an IPv4 address or network'],
    ['', 'v=spf1 ip4:192.0.2.1/33 -all', 'is not an IPv4 address or network'],
    ['', 'v=spf1 ip6:192.0.2.1 -all', 'is not an IPv6 address or network'],
    ['', 'v=spf1 include=example.com -all', 'please write "include:" with a colon'],
    ['', 'v=spf1 include: -all', '"include:" needs a domain'],
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
    ['_dmarc', 'p=none; v=DMARC1', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'v=DMARC1 p=none', 'begins with "v=DMARC1;"'],
    ['_dmarc', 'v=DMARC1; p=none; pct=101', 'pct is a number from 0 to 100'],
    ['_dmarc', 'v=DMARC1; p=none; rua=me@example.com', 'rua is addresses such as mailto:'],
    ['_dmarc', 'v=DMARC1; p=none; policy=x', 'the tag "policy" is not known'],
    ['_dmarc', 'v=DMARC1; p=none; p=reject', 'p appears twice'],
    ['', 'v=DMARC1; p=none', 'only at _dmarc'],
    ['key._domainkey', 'v=DKIM1; k=rsa', 'the key is missing'],
    ['key._domainkey', 'v=DKIM1; p=', 'the key was withdrawn'],
    ['key._domainkey', `v=DKIM1; p=${good?.slice(0, -40)}`, 'cannot be read'],
    ['key._domainkey', 'v=DKIM1; p=not base64!', 'cannot be read'],
    ['key._domainkey', `v=DKIM1; p=${short}`, 'keys below 1024 bits'],
    ['key._domainkey', `k=rsa; v=DKIM1; p=${good}`, '"v=DKIM1" must come first'],
    ['key._domainkey', `v=DKIM1; k=dsa; p=${good}`, 'k must be rsa or ed25519'],
    ['', `v=DKIM1; p=${good}`, 'only at {selector}._domainkey'],
  ])('%s %s', (subdomain, text, warning) => {
    expect(mailTextWarnings(subdomain, text)).toEqual([expect.stringContaining(warning)]);
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
])('%s without its quotation marks is %j', (text, bare) => {
  expect(unquotedText(text)).toBe(bare);
});
