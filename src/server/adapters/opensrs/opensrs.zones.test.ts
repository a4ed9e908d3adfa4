import { afterEach, expect, test } from 'vitest';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { ZoneRecords } from '../../ports/registrar.ts';
import { ok, type ScriptedServer, startScripted } from './testing/scripted-server.ts';
import type { XcpMap } from './xcp.ts';

/** Zones: how each shape of an answer is read. */

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function answering(attributes: XcpMap) {
  server = await startScripted(() => ok(attributes));
  return server.registrar;
}

const none: ZoneRecords = { A: [], AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] };
const mx = { subdomain: '', hostname: 'mx.example.net' };
const srv = { subdomain: '_sip._tcp', hostname: 'sip.example.net', priority: '0', weight: '0', port: '5060' };

test.each<[string, XcpMap, ZoneRecords | null]>([
  ['no records at all', {}, null],
  ['something else in their place', { records: '' }, null],
  ['an empty block of records', { records: {} }, none],
  [
    'a priority of 0',
    { records: { MX: [{ ...mx, priority: '0' }] } },
    { ...none, MX: [{ ...mx, priority: 0 }] },
  ],
  [
    'a service with numbers of 0',
    { records: { SRV: [srv] } },
    { ...none, SRV: [{ ...srv, priority: 0, weight: 0, port: 5060 }] },
  ],
])('a zone is read: %s', async (_what, attributes, records) => {
  const registrar = await answering({ ...attributes, nameservers_ok: '1' });
  expect(await registrar.zone('example.com')).toEqual({ records, delegated: true });
});

test.each<[string, XcpMap]>([
  ['no MX priority', { MX: [mx] }],
  ['an empty MX priority', { MX: [{ ...mx, priority: '' }] }],
  ['an MX priority that is no number', { MX: [{ ...mx, priority: 'high' }] }],
  ['an empty SRV priority', { SRV: [{ ...srv, priority: '' }] }],
  ['no SRV weight', { SRV: [{ subdomain: '', hostname: 'a.example.net', priority: '1', port: '443' }] }],
  ['an SRV port that is no number', { SRV: [{ ...srv, port: 'https' }] }],
])('a zone with %s cannot be read', async (_what, records) => {
  const registrar = await answering({ records, nameservers_ok: '1' });
  await expect(registrar.zone('example.com')).rejects.toThrow(UpstreamUnavailable);
});

test('of a write that is done the answer may leave the records out; where it cannot be read nobody knows', async () => {
  const records = { ...none, MX: [{ ...mx, priority: 10 }] };
  const silent = await answering({ nameservers_ok: '1' });
  expect(await silent.replaceZone('example.com', records)).toEqual({
    kind: 'done',
    value: { records, delegated: true },
  });
  await server?.close();
  const unreadable = await answering({ records: { MX: [mx] }, nameservers_ok: '1' });
  expect(await unreadable.replaceZone('example.com', records)).toMatchObject({ kind: 'unknown' });
  expect(await unreadable.createZone('example.com')).toMatchObject({ kind: 'unknown' });
});
