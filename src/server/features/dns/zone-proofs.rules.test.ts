import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { type ProofRecord, proofChange } from './zone-proofs.rules.ts';

const text = (value: string, subdomain = '_proof'): DnsRecord => ({ type: 'TXT', subdomain, text: value });
const proof: ProofRecord = { name: '_proof.example.com', type: 'TXT', value: 'new', instead: null };
const change = (zone: readonly DnsRecord[], wanted: Partial<ProofRecord> = {}) =>
  proofChange('example.com', zone, { ...proof, ...wanted });

test('a proof goes under its name beside what is there', () => {
  expect(change([text('other')])).toEqual({ kind: 'write', records: [text('other'), text('new')] });
});

test('a proof takes the place of the one before, and of that alone', () => {
  const zone = [text('old'), text('other'), text('old', '_elsewhere')];
  const records = [text('other'), text('old', '_elsewhere'), text('new')];
  expect(change(zone, { instead: 'old' })).toEqual({ kind: 'write', records });
});

test('one that somebody has removed already is no obstacle', () => {
  expect(change([], { instead: 'old' })).toEqual({ kind: 'write', records: [text('new')] });
});

test('a proof that is there already is not written again', () => {
  expect(change([text('new')])).toEqual({ kind: 'there already' });
  expect(change([text('new')], { instead: 'old' })).toEqual({ kind: 'there already' });
});

test('where the new one is there already, the one before it still goes', () => {
  expect(change([text('old'), text('new')], { instead: 'old' })).toEqual({
    kind: 'write',
    records: [text('new')],
  });
});

test('beside a CNAME there can be no proof: nothing is written', () => {
  const alias: DnsRecord = { type: 'CNAME', subdomain: '_proof', hostname: 'elsewhere.test' };
  expect(change([alias])).toEqual({ kind: 'clash' });
});

test('a CNAME takes the place of a CNAME', () => {
  const alias = (hostname: string): DnsRecord => ({ type: 'CNAME', subdomain: '_proof', hostname });
  const wanted = { type: 'CNAME', value: 'new.test', instead: 'old.test' } as const;
  expect(change([alias('old.test')], wanted)).toEqual({ kind: 'write', records: [alias('new.test')] });
});
