import { expect, test } from 'vitest';
import { readTemplateText, templateText } from './template-text.ts';

const text = [
  '@ A {ipv4}',
  'www CNAME {domain}',
  '@ MX 10 mx.{host}',
  '@ TXT v=spf1  include:{host} -all',
  '_sip._tcp SRV 1 2 5060 sip.{host}',
].join('\n');

test('records are written and read as lines, with blanks of a text as they are', () => {
  const reading = readTemplateText(text);
  expect(reading).toMatchObject({
    ok: true,
    records: [
      { type: 'A', subdomain: '', ip_address: '{ipv4}' },
      { type: 'CNAME', subdomain: 'www', hostname: '{domain}' },
      { type: 'MX', subdomain: '', hostname: 'mx.{host}', priority: 10 },
      { type: 'TXT', subdomain: '', text: 'v=spf1  include:{host} -all' },
      { type: 'SRV', subdomain: '_sip._tcp', priority: 1, weight: 2, port: 5060, hostname: 'sip.{host}' },
    ],
  });
  expect(reading.ok && templateText(reading.records)).toBe(text);
  expect(readTemplateText(' \n\nWWW a 192.0.2.1 \n')).toMatchObject({
    ok: true,
    records: [{ type: 'A', subdomain: 'www', ip_address: '192.0.2.1' }],
  });
});

test('a line that is none says which and why', () => {
  expect(readTemplateText('@ A 192.0.2.1\n@ NS ns1.example')).toMatchObject({ ok: false, line: 2 });
  expect(readTemplateText('@ MX mx.example')).toEqual({
    ...{ ok: false, line: 1, message: 'MX needs priority, hostname' },
  });
  expect(readTemplateText('@ MX {p} mx.example')).toMatchObject({ message: 'priority must be a number' });
  expect(readTemplateText('@ A')).toMatchObject({ message: 'A needs a value' });
});
