import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ListenOptions, SandboxPart } from '../part.ts';
import { openSql } from '../registrar/sql.ts';
import { makeTables } from '../registrar/state/schema.ts';
import { type Authority, openAuthority } from '../registrar/trust/authority.ts';
import type { SandboxStore } from '../store.ts';
import { closeServer, listen } from '../web.ts';
import { type Host, hostsBody } from './hosts.ts';
import { createMailHosts } from './mail.ts';
import { answerZone } from './nameserver.ts';
import { createWebHosts } from './web.ts';

export interface InternetOptions extends ListenOptions {
  store: SandboxStore;
  /** Where the authority that its websites' certificates come from is written for those who are to trust it. */
  authorityFile: string;
}

export interface InternetPart extends SandboxPart {
  authorityFile: string;
}

const silentStatus = 504;
const refusedStatus = 502;

/**
 * The web, mail and name servers of others, behind an HTTP proxy (CONNECT) as companies have one: what listens at an address is
 * said by `hosts`, speaks its real protocol, and is reached through this one door. An address that nobody has is silent.
 */
export async function startInternet(options: InternetOptions): Promise<InternetPart> {
  const { store, authorityFile } = options;
  makeTables(store.db);
  const authority: Authority = await openAuthority(openSql(store.db), store.now());
  writeFileSync(authorityFile, authority.rootPem);
  let hosts = new Map<string, Host>();
  const load = createLoad();
  const web = createWebHosts(authority, () => store.now());
  const mail = createMailHosts();

  /** What listens there; null: nothing does. */
  function listener(host: Host, port: number): ((socket: Duplex) => void) | null {
    if (port === 443 && host.web?.https) return web.secure(host.web);
    if (port === 80 && host.web?.http) return web.plain(host.web);
    if (port === 25 && host.mail) return mail(host.mail);
    const { dns } = host;
    return port === 53 && dns ? (socket) => answerZone(socket, dns) : null;
  }

  const server = createServer((_request, response) => response.writeHead(405).end());
  const open = new Set<Duplex>();
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const { hostname, port } = new URL(`http://${request.url ?? ''}`);
    const address = hostname.replace(/^\[|\]$/g, '');
    const host = hosts.get(address);
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    open.add(socket);
    const ended = load.begin(address);
    socket.once('close', () => {
      open.delete(socket);
      ended();
    });
    const serve = host && listener(host, Number(port || 80));
    if (serve) {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      serve(socket);
    } else socket.end(`HTTP/1.1 ${host ? refusedStatus : silentStatus} Nobody is there\r\n\r\n`);
  });
  const url = await listen(server, options);
  return {
    name: 'internet',
    url,
    authorityFile,
    control: {
      /** Who listens at which addresses, in place of those that were set before. */
      hosts: (body) => {
        hosts = new Map(hostsBody.parse(body).hosts.map((host) => [host.address, host]));
        return { ok: true };
      },
      /** Of the busiest address: the most connections within a second, and the most that were open at once. */
      load: () => load.figures(),
      reset: () => {
        hosts = new Map();
        load.reset();
        return { ok: true };
      },
    },
    view: () => [
      {
        title: 'Hosts of others',
        columns: ['Address', 'What listens'],
        rows: [...hosts.values()]
          .slice(0, 50)
          .map(({ address, ...what }) => [address, Object.keys(what).join(', ')]),
      },
    ],
    async close() {
      for (const socket of open) socket.destroy();
      await closeServer(server);
    },
  };
}

function createLoad() {
  let connections = 0;
  let mostInSecond = 0;
  let mostAtOnce = 0;
  const open = new Map<string, number>();
  const recent = new Map<string, number[]>();
  return {
    figures: () => ({ connections, mostInSecond, mostAtOnce }),
    reset() {
      connections = mostInSecond = mostAtOnce = 0;
    },
    begin(address: string): () => void {
      const now = performance.now();
      const within = [...(recent.get(address) ?? []).filter((at) => at > now - 1_000), now];
      recent.set(address, within);
      const beside = (open.get(address) ?? 0) + 1;
      open.set(address, beside);
      connections += 1;
      mostInSecond = Math.max(mostInSecond, within.length);
      mostAtOnce = Math.max(mostAtOnce, beside);
      return () => open.set(address, (open.get(address) ?? 1) - 1);
    },
  };
}
