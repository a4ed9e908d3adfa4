import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxPart } from '../part.ts';
import { openStore, type SandboxStore } from '../store.ts';
import { type RegistrarOptions, startRegistrar } from './index.ts';

/** A client of its own for the tests: written from the protocol reference, sharing nothing with the stand-in. */
type Value = string | Value[] | { [key: string]: Value };
export type Fields = { [key: string]: Value };

export interface Answer {
  status: number;
  text: string;
  top: Fields;
  code: string;
  success: string;
  message: string;
  attributes: Fields;
  headers: Record<string, string | string[] | undefined>;
}

const md5 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function element(value: Value): string {
  if (typeof value === 'string') return escapeText(value);
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : Object.entries(value);
  const tag = Array.isArray(value) ? 'dt_array' : 'dt_assoc';
  return `<${tag}>${entries.map(([key, item]) => `<item key="${key}">${element(item)}</item>`).join('')}</${tag}>`;
}

export function envelope(top: Fields): string {
  return `<?xml version='1.0' encoding='UTF-8' standalone='no' ?><!DOCTYPE OPS_envelope SYSTEM 'ops.dtd'><OPS_envelope><header><version>0.9</version></header><body><data_block>${element(top)}</data_block></body></OPS_envelope>`;
}

interface Frame {
  tag: string;
  key: string;
  text: string;
  value: Value | undefined;
  items: [string, Value][];
}

function contentOf({ tag, items, text, value }: Frame): Value {
  if (tag === 'dt_assoc') return Object.fromEntries(items);
  if (tag === 'dt_array') return items.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
  return value ?? unescapeText(text);
}

/** Gives a value to what is around it, if that wants it. */
function hand({ tag, key }: Frame, value: Value, parent: Frame | undefined): boolean {
  if (tag === 'item') parent?.items.push([key, value]);
  else if (tag.startsWith('dt_') && parent?.tag === 'item') parent.value = value;
  else return false;
  return true;
}

/** Reads the service's replies by their tags alone; enough for tests of well-formed ones. */
function decode(xml: string): Fields {
  const tokens = xml.match(/<[^<>]+>|[^<]+/g) ?? [];
  const stack: Frame[] = [];
  let top: Value = {};
  for (const token of tokens) {
    if (token.startsWith('<?') || token.startsWith('<!')) continue;
    if (!token.startsWith('<')) {
      const frame = stack.at(-1);
      if (frame) frame.text += token;
      continue;
    }
    if (!token.startsWith('</')) {
      const [, tag = '', key = ''] = /^<(\w+)(?: key="([^"]*)")?>$/.exec(token) ?? [];
      stack.push({ tag, key, text: '', value: undefined, items: [] });
      continue;
    }
    const frame = stack.pop();
    if (!frame) throw new Error('unbalanced');
    const value = contentOf(frame);
    if (!hand(frame, value, stack.at(-1)) && frame.tag === 'dt_assoc') top = value;
  }
  return top as Fields;
}

const unescapeText = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

export interface PostOptions {
  agent?: Agent;
  headers?: Record<string, string>;
  key?: string;
  username?: string;
  path?: string;
  method?: string;
}

export interface Raw {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface Stand {
  part: SandboxPart;
  store: SandboxStore;
  post(body: string | Buffer, options?: PostOptions): Promise<Raw>;
  send(
    action: string,
    object: string,
    attributes: Fields,
    options?: PostOptions & { top?: Fields },
  ): Promise<Answer>;
  control(route: string, body?: unknown): Promise<unknown>;
  state(): Promise<State>;
  /** Closes the registrar and its store, and opens both again on the same folder. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface State {
  balance: string;
  hold: string;
  domains: {
    domain: string;
    expiresAt: string;
    state: string;
    nameservers: string[];
    authCode: string;
    locked: boolean;
  }[];
  orders: {
    id: string;
    domain: string;
    status: string;
    affiliateId: string;
    regType: string;
    cost: string;
  }[];
  transfers: { domain: string; status: string; direction: string }[];
  commands: { action: string; domain: string; code: number; fault: string }[];
}

const USER = 'sandbox';
const KEY = 'test-key-0123456789abcdef';

export async function openStand(options: Partial<RegistrarOptions> = {}): Promise<Stand> {
  const dir = mkdtempSync(join(tmpdir(), 'registrar-'));
  const start = async (store: SandboxStore) =>
    startRegistrar({
      store,
      host: '127.0.0.1',
      port: 0,
      username: USER,
      key: KEY,
      seed: 7,
      ...options,
      knobs: { hangMs: 40, slowMs: 30, lateMs: 50, ...options.knobs },
    });
  const stand: Stand = {
    store: openStore(dir),
    part: undefined as unknown as SandboxPart,
    post: (body, given = {}) => postTo(stand.part.url, body, given),
    async send(action, object, attributes, given = {}) {
      const xml = envelope({ protocol: 'XCP', action, object, attributes, ...given.top });
      return answerOf(await stand.post(xml, given));
    },
    async control(route, body) {
      const handler = stand.part.control[route];
      if (!handler) throw new Error(`no control route ${route}`);
      return handler(body);
    },
    state: async () => (await stand.control('state')) as State,
    async reopen() {
      await stand.part.close();
      stand.store.close();
      stand.store = openStore(dir);
      stand.part = await start(stand.store);
    },
    async close() {
      await stand.part.close();
      stand.store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  stand.part = await start(stand.store);
  return stand;
}

export function answerOf(raw: Raw): Answer {
  const top = decode(raw.text);
  const text = (key: string) => (typeof top[key] === 'string' ? (top[key] as string) : '');
  return {
    ...raw,
    top,
    code: text('response_code'),
    success: text('is_success'),
    message: text('response_text'),
    attributes: (top.attributes ?? {}) as Fields,
  };
}

export function postTo(url: string, body: string | Buffer, given: PostOptions): Promise<Raw> {
  const bytes = Buffer.from(body as string);
  const key = given.key ?? KEY;
  const headers = {
    'Content-Type': 'text/xml',
    'X-Username': given.username ?? USER,
    'X-Signature': md5(md5(bytes, key), key),
    'Content-Length': String(bytes.length),
    ...given.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      new URL(given.path ?? '/', url),
      {
        method: given.method ?? 'POST',
        headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
        agent: given.agent ?? new Agent({ keepAlive: false }),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
            headers: incoming.headers,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

export const contact: Fields = {
  first_name: 'Ann',
  last_name: 'Owner',
  org_name: 'Müller & Söhne',
  address1: '1 Main Street',
  city: 'Leeds',
  state: 'WY',
  postal_code: 'LS1 1AA',
  country: 'GB',
  phone: '+44.1132345678',
  email: 'ann@customer.example',
};

export function newOrder(domain: string, more: Fields = {}): Fields {
  return {
    domain,
    reg_type: 'new',
    period: '1',
    handle: 'process',
    reg_username: 'user12345',
    reg_password: 'Ab12cd34Ef',
    custom_nameservers: '0',
    custom_tech_contact: '0',
    contact_set: { owner: contact, admin: contact, billing: contact },
    ...more,
  };
}
