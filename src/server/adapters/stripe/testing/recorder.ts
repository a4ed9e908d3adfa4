import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Exchange {
  method: string;
  path: string;
  /** Query and form body together, nested as the brackets say. */
  parameters: Record<string, unknown>;
  status: number;
  reply: unknown;
}

/** Stands between the adapter and the API, and keeps what both say. */
export async function startRecorder(apiBase: string) {
  const exchanges: Exchange[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !['host', 'connection', 'content-length'].includes(name),
        ),
      ) as Record<string, string>;
      const method = request.method ?? 'GET';
      void fetch(`${apiBase}${request.url}`, { method, headers, ...(body.length > 0 ? { body } : {}) }).then(
        async (answer) => {
          const text = await answer.text();
          const [path = '', query = ''] = (request.url ?? '').split('?');
          const form = path.startsWith('/v1/') ? body.toString('utf8') : '';
          exchanges.push({
            method,
            path,
            parameters: nested(new URLSearchParams([query, form].filter((part) => part !== '').join('&'))),
            status: answer.status,
            reply: text === '' ? null : JSON.parse(text),
          });
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** `metadata[topup]=1&expand[0]=a` -> `{metadata: {topup: '1'}, expand: ['a']}` */
function nested(parameters: URLSearchParams): Record<string, unknown> {
  const all: Tree = {};
  for (const [name, value] of parameters) {
    const keys = name.replaceAll(']', '').split('[');
    const last = keys.pop() ?? '';
    let place = all;
    for (const key of keys) {
      const inner = place[key];
      const next: Tree = typeof inner === 'object' ? inner : {};
      place[key] = next;
      place = next;
    }
    place[last] = value;
  }
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, asList(value)]));
}

interface Tree {
  [key: string]: string | Tree;
}

function asList(value: string | Tree): unknown {
  if (typeof value === 'string') return value;
  const inner = Object.entries(value).map(([key, one]) => [key, asList(one)] as const);
  const isList = inner.length > 0 && inner.every(([key]) => /^\d+$/.test(key));
  return isList ? inner.map(([, one]) => one) : Object.fromEntries(inner);
}
