import { createServer } from 'node:http';
import { z } from 'zod';
import type { ListenOptions, SandboxPart } from '../part.ts';
import { openReader, type PublicRegistration } from '../registrar/read.ts';
import type { SandboxStore } from '../store.ts';
import { closeServer, listen, sendJson } from '../web.ts';

export interface RdapOptions extends ListenOptions {
  store: SandboxStore;
}

const moment = z.iso.datetime().transform((text) => Date.parse(text));
const registration = z.strictObject({
  domain: z.string().toLowerCase(),
  registrar: z.string().default('Another Registrar, Inc.'),
  createdAt: moment.prefault('2020-01-01T00:00:00Z'),
  expiresAt: moment.prefault('2030-01-01T00:00:00Z'),
  nameservers: z.array(z.string()).default([]),
  statuses: z.array(z.string()).default([]),
});
const body = z.strictObject({ registrations: z.array(registration).max(10_000) });

const modes = ['normal', 'busy', 'garbage'] as const;
type Mode = (typeof modes)[number];

const suffixes = [
  'com',
  'net',
  'org',
  'info',
  'biz',
  'io',
  'co',
  'dev',
  'app',
  'shop',
  'example',
  'eu',
  'de',
];
const conformance = ['rdap_level_0', 'icann_rdap_response_profile_1'];

/** Starts an RDAP server (RFC 9083) over what is registered here and elsewhere, with the list of servers (RFC 9224) beside it. */
export async function startRdap(options: RdapOptions): Promise<SandboxPart> {
  const reader = openReader(options.store);
  let added = new Map<string, PublicRegistration>();
  let questions = 0;
  let mode: Mode = 'normal';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://rdap');
    if (pathname === '/dns.json') {
      const services = [[suffixes, [`${url}/rdap/`]]];
      return sendJson(response, 200, { version: '1.0', publication: new Date().toISOString(), services });
    }
    questions += 1;
    if (mode === 'busy') return sendJson(response, 429, { errorCode: 429, title: 'Too Many Requests' });
    if (mode === 'garbage') return sendJson(response, 200, { objectClassName: 'nonsense' });
    const [, name] = /^\/rdap\/domain\/([^/]+)$/.exec(pathname) ?? [];
    const found = name && (added.get(name) ?? reader.registration(name));
    if (!found) {
      return sendJson(response, 404, { rdapConformance: conformance, errorCode: 404, title: 'Not Found' });
    }
    return sendJson(response, 200, domainObject(found));
  });
  const url = await listen(server, options);
  return {
    name: 'rdap',
    url,
    control: {
      /** Names as registries have them, beside those of the registrar's world and in place of those set before. */
      registrations: (input) => {
        added = new Map(body.parse(input).registrations.map((each) => [each.domain, each]));
        return { ok: true };
      },
      questions: () => ({ questions }),
      /** How questions about names are answered from now on. */
      mode: (input) => {
        mode = z.strictObject({ mode: z.enum(modes) }).parse(input).mode;
        return { ok: true };
      },
      reset: () => {
        added = new Map();
        mode = 'normal';
        return { ok: true };
      },
    },
    view: () => [{ title: 'RDAP', columns: ['Questions since start'], rows: [[String(questions)]] }],
    close: () => closeServer(server),
  };
}

function domainObject({
  domain,
  registrar,
  createdAt,
  expiresAt,
  nameservers,
  statuses,
}: PublicRegistration) {
  const event = (eventAction: string, at: number) => ({ eventAction, eventDate: new Date(at).toISOString() });
  return {
    rdapConformance: conformance,
    objectClassName: 'domain',
    ldhName: domain.toUpperCase(),
    status: statuses.length > 0 ? statuses : ['active'],
    events: [event('registration', createdAt), event('expiration', expiresAt)],
    nameservers: nameservers.map((ldhName) => ({ objectClassName: 'nameserver', ldhName })),
    entities: [
      {
        ...{ objectClassName: 'entity', handle: '0000', roles: ['registrar'] },
        vcardArray: [
          'vcard',
          [
            ['version', {}, 'text', '4.0'],
            ['fn', {}, 'text', registrar],
          ],
        ],
      },
    ],
  };
}
