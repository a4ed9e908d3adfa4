import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer as createPlain, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { PublicKey } from '@peculiar/x509';
import { type Authority, selfSigned, serial } from '../registrar/trust/authority.ts';
import type { WebHost } from './hosts.ts';

const dayMs = 86_400_000;

/** Websites of others: real servers that take their connections from elsewhere, with certificates made when they are asked for. */
export function createWebHosts(authority: Authority, now: () => number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyPem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

  async function contextFor(https: NonNullable<WebHost['https']>, asked: string): Promise<SecureContext> {
    const names = https.names ?? [asked];
    const [from, to] = https.days;
    const span = { notBefore: now() + from * dayMs, notAfter: now() + to * dayMs };
    const certified = { publicKey: rawKey(publicKey), serial: https.serial ?? serial() };
    if (https.issuer === 'self') return createSecureContext(await selfSigned(names, span));
    const { pem } = await authority.certify(certified, names, span);
    return createSecureContext({ key: keyPem, cert: [pem, ...authority.chainPem].join('\n') });
  }

  const answers =
    ({ status, files }: WebHost): RequestListener =>
    (request, response) => {
      const text = files[`${request.headers.host}${request.url}`];
      response.writeHead(text === undefined ? (request.url === '/' ? status : 404) : 200, {
        'content-type': 'text/plain',
      });
      response.end(text);
    };

  // One server for each description: the same one serves its address again.
  const made = new WeakMap<
    WebHost,
    { secure?: (socket: Duplex) => void; plain?: (socket: Duplex) => void }
  >();
  const known = (host: WebHost) => {
    const servers = made.get(host) ?? {};
    made.set(host, servers);
    return servers;
  };

  return {
    secure(host: WebHost): (socket: Duplex) => void {
      const servers = known(host);
      if (!servers.secure) {
        const { https } = host;
        const contexts = new Map<string, Promise<SecureContext>>();
        const server = createSecure(
          {
            SNICallback: (name, done) => {
              if (!https) return done(new Error('no certificate'));
              const context = contexts.get(name) ?? contextFor(https, name);
              contexts.set(name, context);
              context.then((found) => done(null, found), done);
            },
          },
          answers(host),
        );
        server.on('tlsClientError', () => {});
        servers.secure = (socket) => void server.emit('connection', socket);
      }
      return servers.secure;
    },
    plain(host: WebHost): (socket: Duplex) => void {
      const servers = known(host);
      if (!servers.plain) {
        const server = createPlain(answers(host));
        servers.plain = (socket) => void server.emit('connection', socket);
      }
      return servers.plain;
    },
  };
}

const rawKey = (key: KeyObject) => new PublicKey(key.export({ type: 'spki', format: 'der' }));
