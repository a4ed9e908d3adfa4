import type { FastifyInstance } from 'fastify';
import type { OperationSpec } from '#contracts/operation.ts';
import { openApiOf } from './openapi.ts';

/** The API's description: as a document for tools, and as a page for people. */
export function serveApiDocs(app: FastifyInstance, operations: readonly OperationSpec[]): void {
  const document = openApiOf(operations);
  const page = pageOf(document);
  app.get('/api/docs/openapi.json', async () => document);
  app.get('/api/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
}

interface Described {
  summary: string;
  description: string;
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: unknown }> }>;
  parameters: { name: string; in: string; required: boolean }[];
}

/** Plain HTML without a script: it can be searched with the browser and read by anything. */
function pageOf(document: Record<string, unknown>): string {
  const paths = document.paths as Record<string, Record<string, Described>>;
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation)),
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Nameward API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
summary{cursor:pointer;padding:.4rem 0}code,pre{font-family:ui-monospace,monospace;font-size:13px}
pre{overflow:auto;padding:.75rem;border:1px solid #8884;border-radius:6px}.m{display:inline-block;min-width:4.5em;font-weight:600}
details{border-bottom:1px solid #8883}</style></head><body><h1>Nameward API</h1>
<p>The same as <a href="/api/docs/openapi.json">OpenAPI 3.1</a>. Every call carries a bearer token unless its access is public.
Success is <code>{"data": …}</code>; failure is <code>{"message", "code", "requestId"}</code>.</p>${sections.join('\n')}</body></html>`;
}

function sectionOf(method: string, path: string, operation: Described): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const reply = operation.responses['200']?.content?.['application/json']?.schema;
  const failures = Object.entries(operation.responses)
    .filter(([status]) => status !== '200')
    .map(([status, { description }]) => `<li><b>${status}</b> ${escape(description)}</li>`);
  const parameters = operation.parameters.map(
    (parameter) =>
      `<li><code>${escape(parameter.name)}</code> in ${parameter.in}${parameter.required ? ', required' : ''}</li>`,
  );
  return `<details><summary><code class="m">${method.toUpperCase()}</code> <code>${escape(path)}</code> ${escape(operation.summary)}</summary>
<p>${escape(operation.description)}</p>${parameters.length ? `<ul>${parameters.join('')}</ul>` : ''}
${body ? `<p>Body</p><pre>${escape(JSON.stringify(body, null, 2))}</pre>` : ''}
${reply ? `<p>Reply</p><pre>${escape(JSON.stringify(reply, null, 2))}</pre>` : ''}<ul>${failures.join('')}</ul></details>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
