import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpClient } from '#kernel/http-client.ts';
import { type FencelessRegistrar, fencelessRegistrar } from '../../../ports/conformance/fenceless.ts';
import type { Registrar } from '../../../ports/registrar.ts';
import { createOpenSrs } from '../index.ts';
import { parseEnvelope } from '../parse.ts';
import { isMap, type XcpMap, type XcpValue } from '../xcp.ts';

/** A server that answers by script, in the layout of real replies (§2.3): for tests of the adapter alone. */

export interface Seen {
  action: string;
  object: string;
  attributes: XcpMap;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** Numbers connections in the order they were opened. */
  connection: number;
}

export type Answer =
  | { code: string; success: '0' | '1'; text?: string; attributes?: XcpMap; top?: XcpMap }
  | { raw: string | Buffer; status?: number }
  | { cutAfter: number; of: string }
  | 'hang'
  | 'reset';

export interface ScriptedServer {
  registrar: FencelessRegistrar;
  /** As the portal has it: each write under a fence. */
  fenced: Registrar;
  seen: Seen[];
  url: string;
  close(): Promise<void>;
}

export const ok = (attributes: XcpMap = {}, text = 'Command completed successfully'): Answer => ({
  code: '200',
  success: '1',
  text,
  attributes,
});
export const no = (code: string, text: string, attributes: XcpMap = {}): Answer => ({
  code,
  success: '0',
  text,
  attributes,
});

export const testKey = 'a-test-key';

/** Starts the server and an adapter that talks to it with short times. */
export async function startScripted(
  script: (request: Seen, count: number) => Answer | Promise<Answer>,
  options: Partial<Parameters<typeof createOpenSrs>[0]> = {},
): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  let connections = 0;
  const numbers = new WeakMap<object, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const top = parseEnvelope(body);
      const entry: Seen = {
        action: String(top.action),
        object: String(top.object),
        attributes: isMap(top.attributes) ? top.attributes : {},
        headers: request.headers,
        body,
        connection: numbers.get(request.socket) ?? 0,
      };
      seen.push(entry);
      void Promise.resolve(script(entry, seen.length)).then((answer) => send(response, answer));
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    numbers.set(socket, connections);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const http = createHttpClient({
    allowedOrigins: [url],
    timeoutMs: 120_000,
    connectTimeoutMs: 120_000,
    maxResponseBytes: 5 * 1024 * 1024,
    maxConnections: 10,
  });
  const fenced = createOpenSrs({
    url,
    username: 'reseller',
    key: testKey,
    http,
    limits: { parallel: 10, perSecond: 1_000 },
    // Only silence is waited for: a slow machine needs longer to send and to answer.
    timeouts: { readMs: 30_000, writeMs: 30_000, waitMs: 30_000 },
    repeats: { attempts: 3, firstPauseMs: 1 },
    ...options,
  });
  return {
    registrar: fencelessRegistrar(fenced),
    fenced,
    seen,
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await http.close();
    },
  };
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if ('cutAfter' in answer) {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(answer.of) });
    response.write(answer.of.slice(0, answer.cutAfter), () => response.socket?.destroy());
    return;
  }
  const body = 'raw' in answer ? Buffer.from(answer.raw) : Buffer.from(replyXml(answer), 'utf8');
  const status = 'raw' in answer ? (answer.status ?? 200) : 200;
  response.writeHead(status, { 'content-type': 'text/xml', 'content-length': body.length });
  response.end(body);
}

/** A reply as the vendor lays it out; its keys come in any order. */
export function replyXml(answer: {
  code: string;
  success: '0' | '1';
  text?: string;
  attributes?: XcpMap;
  top?: XcpMap;
}): string {
  const top: XcpMap = {
    protocol: 'XCP',
    action: 'REPLY',
    object: 'DOMAIN',
    is_success: answer.success,
    response_code: answer.code,
    response_text: answer.text ?? '',
    ...(answer.attributes ? { attributes: answer.attributes } : {}),
    ...answer.top,
  };
  return `<?xml version='1.0' encoding="UTF-8" standalone="no" ?>
<!DOCTYPE OPS_envelope SYSTEM "ops.dtd">
<OPS_envelope>
 <header>
  <version>0.9</version>
  </header>
 <body>
  <data_block>
   ${xml(top)}
  </data_block>
 </body>
</OPS_envelope>
`;
}

function xml(value: XcpValue): string {
  if (typeof value === 'string') return value.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const entries: [string, XcpValue][] = Object.entries(value);
  const items = shuffled(entries).map(([key, entry]) => {
    const inside = xml(entry);
    return inside === '' ? `\n <item key="${key}"/>` : `\n <item key="${key}">${inside}</item>`;
  });
  const tag = Array.isArray(value) ? 'dt_array' : 'dt_assoc';
  return `\n<${tag}>${items.join('')}\n</${tag}>`;
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
