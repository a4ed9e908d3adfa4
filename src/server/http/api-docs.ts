import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { OperationSpec } from '#contracts/operation.ts';
import { type Json, openApiOf } from './openapi.ts';
import { takesGzip, varyByEncoding } from './packed.ts';

const unpack = promisify(gunzip);

/** The API's description: as a document for tools, and as a page for people. */
export function serveApiDocs(app: FastifyInstance, operations: readonly OperationSpec[]): void {
  // Made when first asked for: it is of no use to a server's start.
  let document: Buffer | undefined;
  let page: Buffer | undefined;
  app.get('/api/docs/openapi.json', (_request, reply) => {
    document ??= gzipSync(JSON.stringify(openApiOf(operations)));
    return sendPacked(reply.type('application/json; charset=utf-8'), document);
  });
  app.get('/api/docs', (_request, reply) => {
    page ??= gzipSync(pageOf(openApiOf(operations)));
    return sendPacked(reply.type('text/html; charset=utf-8'), page);
  });
  for (const [name, type] of [
    ['page.css', 'text/css; charset=utf-8'],
    ['page.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const content = readFileSync(join(import.meta.dirname, 'docs-page', name));
    app.get(`/api/docs/${name}`, async (_request, reply) => reply.type(type).send(content));
  }
}

/** A megabyte of text is kept and sent as a twentieth of it. Who does not take it so gets it unpacked. */
async function sendPacked(reply: FastifyReply, packed: Buffer): Promise<FastifyReply> {
  varyByEncoding(reply);
  return takesGzip(reply)
    ? reply.header('content-encoding', 'gzip').send(packed)
    : reply.send(await unpack(packed));
}

interface Described {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  requestBody?: { content: Record<string, { schema?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: unknown }> }>;
  parameters: { name: string; in: string; required: boolean; schema: unknown }[];
}

/** Complete without its script, which only filters. */
function pageOf(document: Json): string {
  const paths = document.paths as Record<string, Record<string, Described>>;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const tags = [...new Set(all.map(({ operation }) => operation.tags[0] ?? ''))];
  const sections = tags.map((tag) => {
    const those = all.filter(({ operation }) => operation.tags[0] === tag);
    const entries = those.map(({ method, path, operation }) => entryOf(method, path, operation));
    return `<section><h2>${toHtml(tag)}</h2>${entries.join('\n')}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Nameward API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/api/docs/page.css"><script src="/api/docs/page.js" defer></script></head>
<body><main><h1>Nameward API</h1>
<p>Also available as <a href="/api/docs/openapi.json">OpenAPI 3.1</a>. Every call carries a bearer token unless its access is
public: a person’s from the sign-in, or an API token (<code>nwk_…</code>) that an owner or administrator makes under
“API tokens” for a script, with the rights it needs and no others. It is shown once, never may more than the person who
made it, and is refused with the request after it was revoked: <code>curl -H "Authorization: Bearer nwk_…"
https://portal.example/api/customer</code>. What asks for a fresh sign-in takes no API token. Success is <code>{"data": …}</code>; failure is <code>{"message", "code", "requestId"}</code>.</p>
<p><label for="filter">Find a call</label> <input id="filter" type="search" autocomplete="off" placeholder="domain, POST, customers.read, price_changed …"></p>
<p id="found" role="status">${all.length} calls</p>
${sections.join('\n')}</main></body></html>`;
}

function entryOf(method: string, path: string, operation: Described): string {
  const codes = Object.values(operation.responses).map(({ description }) => description);
  const words = [method, path, operation.operationId, operation.summary, operation.description, ...codes];
  const success = operation.responses['200']?.content?.['application/json']?.schema;
  return `<details data-words="${toHtml(words.join(' ').toLowerCase())}" id="${toHtml(operation.operationId)}">
<summary><code class="method">${method.toUpperCase()}</code> <code>${toHtml(path)}</code> <span>${toHtml(operation.summary)}</span></summary>
<p>${toHtml(operation.description)}</p>
${parameterList(operation)}${schemaBlock('Body', operation.requestBody?.content['application/json']?.schema)}${schemaBlock('Reply', success)}${failureList(operation)}</details>`;
}

function parameterList({ parameters }: Described): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${toHtml(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td><code>${toHtml(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<h3>Parameters</h3><table>${rows.join('')}</table>`;
}

function schemaBlock(title: string, schema: unknown): string {
  if (schema === undefined) return '';
  return `<h3>${title}</h3><pre tabindex="0">${toHtml(JSON.stringify(schema, null, 2))}</pre>`;
}

function failureList({ responses }: Described): string {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .flatMap(([status, { description }]) =>
      description.split('\n').map((line) => {
        const [code = '', ...text] = line.split(': ');
        return `<tr><td>${status}</td><td><code>${toHtml(code)}</code></td><td>${toHtml(text.join(': '))}</td></tr>`;
      }),
    );
  return rows.length === 0 ? '' : `<h3>Errors</h3><table>${rows.join('')}</table>`;
}

function toHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
