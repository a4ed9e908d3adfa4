import { expect, test } from 'vitest';
import { csrFile, csrText } from './csr-text.ts';

/** So many bytes that begin as a request does. */
const request = (length: number) =>
  Buffer.from([0x30, 0x82, 1, 0, 0x30, 0x81, 200, 0x02, 1, 0, ...Array(length - 10).fill(7)]);
const base64 = request(144).toString('base64');
const pem = [
  '-----BEGIN CERTIFICATE REQUEST-----',
  ...[base64.slice(0, 64), base64.slice(64, 128), base64.slice(128)],
  ...['-----END CERTIFICATE REQUEST-----', ''],
].join('\n');
const block = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

test.each([
  ['as tools write it', pem],
  ['with text around it', `Here it is:\r\n${pem}Thank you`],
  ['as old tools name it, in one line', block('NEW CERTIFICATE REQUEST', base64)],
  ['without its first and last line', ` ${base64.slice(0, 76)}\n${base64.slice(76)}\n`],
])('a request is taken in lines of 64 characters: %s', (_how, text) => {
  expect(csrText(text)).toEqual({ kind: 'csr', pem });
});

test.each([
  ['certificate', 'a certificate', block('CERTIFICATE', 'MIIB')],
  ['certificate', 'a trusted certificate', block('TRUSTED CERTIFICATE', 'MIIB')],
  ['private-key', 'a private key in front of a request', `-----BEGIN PRIVATE KEY-----\n${pem}`],
  ['other', 'words', 'Please send me one'],
  ['other', 'what is no base64', block('CERTIFICATE REQUEST', 'MAAAA')],
  ['other', 'the beginning of a request without its first line', request(75).toString('base64')],
])('%s is the kind of %s', (kind, _what, text) => {
  expect(csrText(text)).toEqual({ kind });
});

test('a request without its first line is known from 101 characters on', () => {
  expect(csrText(request(78).toString('base64'))).toMatchObject({ kind: 'csr' });
});

test.each<[string, Uint8Array]>([
  ['DER', request(144)],
  ['UTF-16, big end first, without a mark', Buffer.from(pem, 'utf16le').swap16()],
  // The two bytes of a mark mean nothing alone.
  ['another character set, from 255, 32', Buffer.from([0xff, 0x20, ...Buffer.from(`\n${pem}`)])],
  ['another character set, from 32, 254', Buffer.from([0x20, 0xfe, ...Buffer.from(`\n${pem}`)])],
  ['another character set, from 254, 32', Buffer.from([0xfe, 0x20, ...Buffer.from(`\n${pem}`)])],
  ['another character set, from 32, 255', Buffer.from([0x20, 0xff, ...Buffer.from(`\n${pem}`)])],
])('a file is read in %s', (_how, bytes) => {
  expect(csrFile(bytes)).toEqual({ kind: 'csr', pem });
});
