import type { FastifyInstance } from 'fastify';

export interface Origins {
  /** Of the identity provider. */
  identity: string;
  /** Of the payment provider's script; frames and calls go to its site. */
  payments: readonly string[];
  /** Served over TLS: then HSTS is sent. */
  secure: boolean;
}

/** Headers on every reply (design: CSP, Headers). */
export function addSecurityHeaders(app: FastifyInstance, origins: Origins): void {
  const payments = origins.payments.join(' ');
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${payments}`,
    // Components set style attributes; no style element comes from anywhere but our own files.
    "style-src 'self' 'unsafe-inline'",
    `frame-src ${payments} ${origins.identity}`,
    `connect-src 'self' ${payments} ${origins.identity}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    `form-action 'self' ${origins.identity}`,
  ].join('; ');
  app.addHook('onSend', async (request, reply) => {
    reply.header('content-security-policy', policy);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'strict-origin-when-cross-origin');
    reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
    reply.header('cross-origin-resource-policy', 'same-origin');
    reply.header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(self)');
    reply.header('x-request-id', request.id);
    if (origins.secure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    if (request.url.startsWith('/api/') && !reply.hasHeader('cache-control')) {
      reply.header('cache-control', 'no-store');
    }
  });
}
