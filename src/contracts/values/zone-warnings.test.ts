import { expect, test } from 'vitest';
import type { DnsRecord } from './dns-records.ts';
import { applyChanges, type ZoneChange } from './zone-changes.ts';
import { changeWarnings } from './zone-warnings.ts';

const domain = 'example.com';
const txt = (text: string, subdomain = ''): DnsRecord => ({ type: 'TXT', subdomain, text });
const add = (record: DnsRecord): ZoneChange => ({ action: 'add', record });
const said = (present: DnsRecord[], changes: ZoneChange[]) =>
  changeWarnings(domain, changes, applyChanges(domain, present, changes)).map(
    ({ index, message }) => `${index}: ${message}`,
  );

const spf = txt('v=spf1 -all');
const dmarc = txt('v=DMARC1; p=none', '_dmarc');

test('a second SPF or DMARC record is told, and a change of the only one is not', () => {
  expect(said([spf, dmarc], [add(txt('v=spf1 mx -all')), add(txt('v=DMARC1; p=reject', '_dmarc'))])).toEqual([
    '0: example.com has more than one SPF record. Receivers ignore all of them. Please keep one.',
    '1: _dmarc.example.com has more than one DMARC record. Receivers ignore all of them. Please keep one.',
  ]);
  expect(said([spf], [{ action: 'update', record: txt('v=spf1 mx -all'), old: spf }])).toEqual([]);
  expect(said([spf], [add(txt('v=spf1 mx -all', 'shop'))])).toEqual([]);
});

test('a record that is there already is told as such', () => {
  expect(said([spf], [add(spf)])).toEqual(['0: This record already exists. Nothing changes.']);
});

test('a record that is removed is told only when it is gone already', () => {
  const inner: DnsRecord = { type: 'A', subdomain: 'a', ip_address: '192.168.1.2' };
  const remove: ZoneChange = { action: 'remove', record: inner };
  expect(said([inner], [remove])).toEqual([]);
  expect(said([], [remove])).toEqual(['0: This record is already gone. Nothing changes.']);
});

test('an address that nobody outside reaches is told, and nothing about others', () => {
  const changes = [
    add({ type: 'A', subdomain: 'a', ip_address: '192.168.1.2' }),
    add({ type: 'AAAA', subdomain: 'a', ipv6_address: 'fe80::1' }),
    add({ type: 'A', subdomain: 'b', ip_address: '8.8.8.8' }),
    add({ type: 'AAAA', subdomain: 'b', ipv6_address: '2606:4700::1' }),
    add({ type: 'CNAME', subdomain: 'c', hostname: 'b.example.com' }),
  ];
  const inner = 'This is a private address. It cannot be reached from the internet.';
  expect(said([], changes)).toEqual([`0: ${inner}`, `1: ${inner}`]);
});
