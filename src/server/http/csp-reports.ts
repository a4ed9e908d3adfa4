import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseJsonBody } from './json-body.ts';
import { reportsPath } from './security-headers.ts';

const text = z.string().transform((value) => value.slice(0, 300));
/** The older form (`report-uri`), and the newer (`report-to`), of which one message carries several. */
const older = z.object({
  'csp-report': z.object({
    'document-uri': text.optional(),
    'violated-directive': text.optional(),
    'blocked-uri': text.optional(),
  }),
});
const newer = z.array(
  z.object({
    body: z.object({
      documentURL: text.optional(),
      effectiveDirective: text.optional(),
      blockedURL: text.optional(),
    }),
  }),
);

/** Browsers' reports of what the content security policy stopped: into the log, cut to what helps. */
export function takePolicyReports(app: FastifyInstance): void {
  app.post(reportsPath, { bodyLimit: 16_384 }, async (request, reply) => {
    for (const report of await reportsIn(request.body))
      request.log.warn({ report }, 'content security policy breached');
    return reply.status(204).send();
  });
}

async function reportsIn(body: unknown): Promise<unknown[]> {
  if (!Buffer.isBuffer(body)) return [];
  const content = await parseJsonBody(body);
  const one = older.safeParse(content);
  if (one.success) {
    const report = one.data['csp-report'];
    return [
      {
        page: withoutQuery(report['document-uri']),
        directive: report['violated-directive'],
        blocked: withoutQuery(report['blocked-uri']),
      },
    ];
  }
  return (newer.safeParse(content).data ?? []).slice(0, 10).map(({ body: report }) => ({
    page: withoutQuery(report.documentURL),
    directive: report.effectiveDirective,
    blocked: withoutQuery(report.blockedURL),
  }));
}

/** Queries hold sign-in codes. */
function withoutQuery(address: string | undefined): string | undefined {
  return address?.replace(/[?#].*$/s, '');
}
