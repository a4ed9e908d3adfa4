import { expect, test } from 'vitest';
import type { DnsRecord } from '#contracts/values/dns-records.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import type { SeenRecord } from '../../ports/zone-source.ts';
import { answersOf } from './comparison.ts';
import type { LineZone } from './line.ts';

const mx = (hostname: string): SeenRecord => ({
  ...{ name: 'acme.com', type: 'MX', fields: { hostname, priority: 5 } },
});
const www: DnsRecord = { type: 'A', subdomain: 'www', ip_address: '192.0.2.1' };
const out = (name: string, type: string, data: string) => ({ name, type, data, reason: '' });

/** Servers that say this, by "type name"; null: nothing at all. */
function servers(said: Record<string, SeenRecord[] | null>) {
  const asked: string[] = [];
  const askServers = async (_servers: readonly string[], name: string, type: string) => {
    asked.push(`${type} ${name}`);
    const records = said[`${type} ${name}`];
    if (records === null) throw new UpstreamUnavailable('nobody answers');
    return { exists: true, records: records ?? [] };
  };
  const answers = (zone: LineZone) => answersOf({ askServers }, 'acme.com', zone, ['ns1.old.net']);
  return { asked, answers };
}

test('what our zones cannot hold is asked for as well, where hosts or mail need it and servers answer for it', async () => {
  const { asked, answers } = servers({
    'A www.acme.com': [{ name: 'www.acme.com', type: 'A', fields: { ip_address: '192.0.2.1' } }],
    'MX acme.com': [mx('mail.acme.com'), mx('mx.host.net')],
    'CNAME acme.com': [{ name: 'acme.com', type: 'CNAME', fields: { hostname: 'x.host.net' } }],
  });
  const zone: LineZone = {
    how: 'whole',
    records: [www, { type: 'MX', subdomain: '', hostname: 'mx.host.net', priority: 5 }],
    leftOut: [
      ...[out('acme.com', 'MX', '5 mail.acme.com'), out('acme.com', 'CNAME', 'x.host.net')],
      ...[out('acme.com', 'CAA', '0 issue "ca.net"'), out('dev.acme.com', 'NS', 'ns1.dev.net')],
      out(`${'x'.repeat(64)}.acme.com`, 'CNAME', 'x.host.net'),
    ],
  };
  expect(await answers(zone)).toEqual([
    { name: 'acme.com', type: 'CNAME', before: ['x.host.net'], now: ['x.host.net'] },
    {
      ...{ name: 'acme.com', type: 'MX', before: ['5 mx.host.net', '5 mail.acme.com'] },
      now: ['5 mail.acme.com', '5 mx.host.net'],
    },
    { name: 'www.acme.com', type: 'A', before: ['192.0.2.1'], now: ['192.0.2.1'] },
  ]);
  expect(asked).toHaveLength(3);
});

const many = (count: number): LineZone => ({
  ...{ how: 'whole', leftOut: [] },
  records: Array.from({ length: count }, (_, n) => ({ ...www, subdomain: `h${n}` })),
});

test('servers of which none answers are not asked for everything', async () => {
  const silence = Object.fromEntries(
    many(40).records.map(({ subdomain }) => [`A ${subdomain}.acme.com`, null]),
  );
  const dead = servers(silence);
  const answers = await dead.answers(many(40));
  expect(answers).toHaveLength(40);
  expect(answers.every(({ now }) => now === null)).toBe(true);
  expect(dead.asked.length).toBeLessThan(16);
  // One that answers now and then is.
  const lame = servers({ ...silence, 'A h3.acme.com': [] });
  await lame.answers(many(40));
  expect(lame.asked).toHaveLength(40);
});
