import { createHash, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { Pool } from 'undici';
import { z } from 'zod';

/**
 * The floor of one DNS record: the two calls that the registrar needs for it (its protocol can only replace a whole zone), and one row
 * that keeps what the zone is now. No authentication, no tenancy, no validation, no lease, no intent, no log; the answer is the zone.
 */
const settings = z
  .object({
    DATABASE_URL: z.string(),
    DATABASE_CONNECTIONS: z.coerce.number(),
    REGISTRAR_URL: z.url(),
    REGISTRAR_USERNAME: z.string(),
    REGISTRAR_KEY: z.string(),
    ORGANISATION: z.uuid(),
  })
  .parse(process.env);
const pool = new pg.Pool({
  connectionString: settings.DATABASE_URL,
  max: settings.DATABASE_CONNECTIONS,
});
const { origin, pathname } = new URL(settings.REGISTRAR_URL);
const registrar = new Pool(origin, { connections: 10, maxRequestsPerClient: 90 });
const app = Fastify();
const statement = `INSERT INTO zone_versions
    (id, organisation_id, domain_id, records, record_count, hash, state, author, reason, created_at)
  SELECT $1, d.organisation_id, d.id, $4, $5, $6, 'applied', 'floor', '', now()
  FROM domains d WHERE d.organisation_id = $2 AND d.address = $3`;

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const item = (key: string | number, value: string) => `<item key="${key}">${value}</item>`;

async function ask(action: string, attributes: string): Promise<string> {
  const block = [
    ...[item('protocol', 'XCP'), item('action', action), item('object', 'DOMAIN')],
    item('attributes', `<dt_assoc>${attributes}</dt_assoc>`),
  ].join('');
  const body =
    "<?xml version='1.0' encoding='UTF-8' standalone='no' ?>\n<!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'>\n" +
    '<OPS_envelope><header><version>0.9</version></header><body><data_block>' +
    `<dt_assoc>${block}</dt_assoc></data_block></body></OPS_envelope>`;
  const signature = md5(md5(body + settings.REGISTRAR_KEY) + settings.REGISTRAR_KEY);
  const reply = await registrar.request({
    path: pathname,
    method: 'POST',
    headers: {
      'content-type': 'text/xml',
      'x-username': settings.REGISTRAR_USERNAME,
      'x-signature': signature,
    },
    body,
  });
  const text = await reply.body.text();
  if (!/<item key="is_success">1</.test(text)) throw new Error(`${action}: ${text}`);
  return text;
}

type Address = { subdomain: string; ip_address: string };
const field = (row: string, key: string) => new RegExp(`<item key="${key}">([^<]*)<`).exec(row)?.[1] ?? '';

/** A zone of addresses alone, as the measurement's is. */
function addressesOf(reply: string): Address[] {
  const rows = reply.match(
    /<dt_assoc>\s*(?:<item key="(?:subdomain|ip_address)">[^<]*<\/item>\s*)+<\/dt_assoc>/g,
  );
  return (rows ?? []).map((row) => ({
    subdomain: field(row, 'subdomain'),
    ip_address: field(row, 'ip_address'),
  }));
}

interface Change {
  domain: string;
  action: 'add' | 'remove';
  record: Address;
}

app.post('/record', async (request) => {
  const { domain, action, record } = request.body as Change;
  const named = item('domain', domain);
  const before = addressesOf(await ask('GET_DNS_ZONE', named));
  const others = before.filter(({ subdomain }) => subdomain !== record.subdomain);
  const records = action === 'add' ? [...others, record] : others;
  const rows = records.map((row, index) =>
    item(
      index,
      `<dt_assoc>${item('subdomain', row.subdomain)}${item('ip_address', row.ip_address)}</dt_assoc>`,
    ),
  );
  const wanted = `<dt_assoc>${item('A', `<dt_array>${rows.join('')}</dt_array>`)}</dt_assoc>`;
  await ask('SET_DNS_ZONE', named + item('records', wanted));
  const kept = JSON.stringify({ A: records, AAAA: [], CNAME: [], MX: [], TXT: [], SRV: [] });
  const { rowCount } = await pool.query({
    name: 'keep',
    text: statement,
    values: [randomUUID(), settings.ORGANISATION, domain, kept, records.length, md5(kept)],
  });
  if (rowCount !== 1) throw new Error(`${domain} is not there`);
  return { data: { records: { A: records } } };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
