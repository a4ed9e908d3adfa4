import { execFileSync } from 'node:child_process';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Access } from './acme-stand.ts';

/** Requests of the ACME protocol, right ones and wrong ones: each part can be replaced. */

export interface Answer {
  status: number;
  type: string;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the server says, as the test expects it
  json: any;
}

export interface Signed {
  /** In place of the header's own; undefined leaves it out. */
  header?: Record<string, unknown>;
  /** In place of the client's. */
  key?: KeyObject;
  /** In place of the header's own address. */
  signedUrl?: string;
  contentType?: string;
  /** In place of the whole body. */
  body?: string;
}

export const encoded = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const signers: Record<string, (key: KeyObject, text: string) => Buffer> = {
  ES256: (key, text) => sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }),
  ES384: (key, text) => sign('sha384', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }),
  RS256: (key, text) => sign('sha256', Buffer.from(text), key),
  EdDSA: (key, text) => sign(null, Buffer.from(text), key),
};

export type Algorithm = 'ES256' | 'ES384' | 'RS256' | 'EdDSA';

export function newKey(alg: Algorithm = 'ES256', bits = 2048): KeyObject {
  if (alg === 'RS256') return generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519').privateKey;
  return generateKeyPairSync('ec', { namedCurve: alg === 'ES256' ? 'P-256' : 'P-384' }).privateKey;
}

export function publicJwk(key: KeyObject): Record<string, unknown> {
  const { d, p, q, dp, dq, qi, ...rest } = key.export({ format: 'jwk' }) as Record<string, unknown>;
  return rest;
}

export class Acme {
  readonly base: string;
  alg: Algorithm;
  key: KeyObject;
  kid = '';
  /** Where requests go instead: another process of the same portal, whose addresses have the public one's. */
  via: string | null = null;
  /** What it was told of each of its orders, in turn. */
  readonly told = new Map<string, string[]>();
  #nonce: string | null = null;

  constructor(directory: string, alg: Algorithm = 'ES256') {
    this.base = directory.replace(/directory$/, '');
    this.alg = alg;
    this.key = newKey(alg);
  }

  at(path: string): string {
    return path.startsWith('http') ? path : `${this.base}${path}`;
  }

  #sent(url: string): string {
    return this.via === null ? url : url.replace(new URL(url).origin, this.via);
  }

  async nonce(): Promise<string> {
    const kept = this.#nonce;
    this.#nonce = null;
    if (kept) return kept;
    const reply = await fetch(this.#sent(this.at('new-nonce')), { method: 'HEAD' });
    return reply.headers.get('replay-nonce') ?? '';
  }

  async get(path: string, method = 'GET'): Promise<Answer> {
    return this.#answer(await fetch(this.#sent(this.at(path)), { method }));
  }

  /** `payload` undefined: POST-as-GET. */
  async post(path: string, payload?: unknown, signed: Signed = {}): Promise<Answer> {
    const url = this.at(path);
    const body = signed.body ?? JSON.stringify(await this.jws(url, payload, signed));
    const contentType = signed.contentType ?? 'application/jose+json';
    const reply = await fetch(this.#sent(url), {
      ...{ method: 'POST', headers: { 'content-type': contentType }, body },
    });
    return this.#answer(reply);
  }

  async jws(url: string, payload: unknown, { header = {}, key = this.key, signedUrl = url }: Signed = {}) {
    const who = this.kid === '' ? { jwk: publicJwk(this.key) } : { kid: this.kid };
    const head = {
      alg: this.alg,
      nonce: 'nonce' in header ? undefined : await this.nonce(),
      url: signedUrl,
      ...who,
      ...header,
    };
    const protectedPart = encoded(head);
    const payloadPart = payload === undefined ? '' : encoded(payload);
    const signer = signers[this.alg];
    const signature = signer?.(key, `${protectedPart}.${payloadPart}`).toString('base64url') ?? '';
    return { protected: protectedPart, payload: payloadPart, signature };
  }

  /** RFC 8555 7.3.4. */
  binding({ keyId, key }: Access, change: { header?: object; jwk?: object; alg?: string } = {}) {
    const alg = change.alg ?? 'HS256';
    const protectedPart = encoded({ alg, kid: keyId, url: this.at('new-account'), ...change.header });
    const payload = encoded(change.jwk ?? publicJwk(this.key));
    const hash = alg.replace('HS', 'sha');
    const signature = createHmac(hash, Buffer.from(key, 'base64url')).update(`${protectedPart}.${payload}`);
    return { protected: protectedPart, payload, signature: signature.digest('base64url') };
  }

  async register(access: Access): Promise<Answer> {
    const answer = await this.post('new-account', {
      ...{ termsOfServiceAgreed: true, contact: ['mailto:admin@example.com'] },
      externalAccountBinding: this.binding(access),
    });
    this.kid = answer.headers.get('location') ?? '';
    return answer;
  }

  order(...names: string[]): Promise<Answer> {
    return this.post('new-order', { identifiers: names.map((value) => ({ type: 'dns', value })) });
  }

  /** Asks until the order has ended. */
  async settled(location: string, withinMs = 60_000): Promise<Answer> {
    for (let waitedMs = 0; ; waitedMs += 200) {
      const answer = await this.post(location);
      if (answer.json?.status !== 'processing' || waitedMs >= withinMs) return answer;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** From the wish to the chain. */
  async issue(names: string[], csr = csrFor(names)): Promise<{ chain: string; order: Answer }> {
    const ordered = await this.order(...names);
    if (ordered.status !== 201) throw new Error(ordered.text);
    const location = ordered.headers.get('location') ?? '';
    const finalized = await this.post(ordered.json.finalize, { csr: csr.der });
    if (finalized.status !== 200) throw new Error(finalized.text);
    const order = await this.settled(location);
    if (order.json.status !== 'valid') throw new Error(order.text);
    return { chain: (await this.post(order.json.certificate)).text, order };
  }

  async #answer(reply: Response): Promise<Answer> {
    const text = await reply.text();
    const type = reply.headers.get('content-type') ?? '';
    this.#nonce = reply.headers.get('replay-nonce');
    const json = /json/.test(type) ? JSON.parse(text) : null;
    const location = reply.headers.get('location') ?? '';
    if (reply.ok && location.includes('/order/')) {
      this.told.set(location, [...(this.told.get(location) ?? []), json.status]);
    }
    return { status: reply.status, type, headers: reply.headers, text, json };
  }
}

export interface Csr {
  /** Base64url, as it is sent. */
  der: string;
  key: KeyObject;
}

/** A signing request by openssl: with names, and with other entries such as `IP:192.0.2.1`. */
export function csrFor(names: readonly string[], { key = newKey(), others = [] as string[] } = {}): Csr {
  const dir = mkdtempSync(join(tmpdir(), 'acme-csr-'));
  try {
    const keyFile = join(dir, 'key.pem');
    writeFileSync(keyFile, key.export({ type: 'pkcs8', format: 'pem' }));
    const entries = [...names.map((name) => `DNS:${name}`), ...others].join(',');
    const der = execFileSync('openssl', [
      ...['req', '-new', '-key', keyFile, '-subj', '/', '-outform', 'DER'],
      ...['-addext', `subjectAltName=${entries}`],
    ]);
    return { der: der.toString('base64url'), key };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The leaf of a chain in base64url of DER, as revocation wants it. */
export function derOf(chain: string): string {
  const body = /-----BEGIN CERTIFICATE-----([\s\S]+?)-----END CERTIFICATE-----/.exec(chain)?.[1] ?? '';
  return Buffer.from(body, 'base64').toString('base64url');
}
