import type { FastifyReply, FastifyRequest } from 'fastify';
import { placeOf } from './place.ts';

export interface Origins {
  /** Of the identity provider. */
  identity: string;
  /** Of the payment provider's script; frames and calls go to its site. */
  payments: readonly string[];
  /** Further origins that the pages call: files' storage, the address of the password reset. */
  connect?: readonly string[];
  /** Served over TLS: then HSTS is sent. */
  secure: boolean;
}

/** Browsers report breaches of the policy here. */
export const reportsPath = '/csp-reports';

/** What must be allowed for the vendor's own script (its page on content security policies, checked 2026-11-21). */
const vendorScript = 'https://js.stripe.com';
const vendor = {
  script: [vendorScript, 'https://*.js.stripe.com'],
  frame: [vendorScript, 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  connect: ['https://api.stripe.com'],
};

/** The origins of the settings' addresses, each once. */
export function originsOf(addresses: readonly (string | null | undefined)[]): string[] {
  return [...new Set(addresses.filter((address) => address).map((address) => new URL(address ?? '').origin))];
}

/** The content security policy (design: CSP). `styleNonce`: of a page whose style elements carry one. */
export function policyOf(origins: Origins, styleNonce: string | null, framed: boolean): string {
  const payments = originsOf(origins.payments);
  const byVendor = payments.includes(vendorScript);
  const identity = originsOf([origins.identity]);
  const one = (...parts: (readonly string[])[]) => [...new Set(parts.flat())].join(' ');
  return [
    "default-src 'self'",
    `script-src ${one(["'self'"], payments, byVendor ? vendor.script : [])}`,
    // Components write style elements; without a nonce to know them by, all inline style must be let in.
    `style-src 'self' ${styleNonce ? `'nonce-${styleNonce}'` : "'unsafe-inline'"}`,
    ...(styleNonce ? ["style-src-attr 'unsafe-inline'"] : []),
    `frame-src ${one(["'self'"], payments, byVendor ? vendor.frame : [], identity)}`,
    `connect-src ${one(["'self'"], payments, byVendor ? vendor.connect : [], identity, originsOf(origins.connect ?? []))}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    `frame-ancestors ${framed ? "'self'" : "'none'"}`,
    `form-action ${one(["'self'"], identity)}`,
    `report-uri ${reportsPath}`,
    'report-to csp',
  ].join('; ');
}

/** Of a reply that is data and no page (OWASP REST Security Cheat Sheet): there is nothing to load, and half of a short reply was the pages' policy. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";

/** Sets the headers of every reply (design: CSP, Headers). */
export function securityHeaders(origins: Origins) {
  const usual = policyOf(origins, null, false);
  const framed = policyOf(origins, null, true);
  return (
    request: Pick<FastifyRequest, 'id' | 'routeOptions'>,
    reply: Pick<FastifyReply, 'header' | 'hasHeader' | 'getHeader'>,
  ): void => {
    const nonce = styleNonces.get(reply);
    const place = placeOf(request);
    const inFrame = place === 'frame';
    const isData = `${reply.getHeader('content-type')}`.startsWith('application/json');
    const policy = nonce ? policyOf(origins, nonce, inFrame) : inFrame ? framed : usual;
    reply.header('content-security-policy', isData ? dataPolicy : policy);
    if (!isData) reply.header('reporting-endpoints', `csp="${reportsPath}"`);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'strict-origin-when-cross-origin');
    reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
    reply.header('cross-origin-resource-policy', 'same-origin');
    reply.header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(self)');
    reply.header('x-request-id', request.id);
    if (origins.secure) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    // Nothing of the API is kept anywhere, whatever the handler thinks of it. An address that no route took may still
    // be answered with the web app's page, which says itself how long it is good.
    const isPage = request.routeOptions.url === undefined && reply.hasHeader('cache-control');
    if (['api', 'webhook'].includes(place) && !isPage) reply.header('cache-control', 'no-store');
  };
}

const styleNonces = new WeakMap<object, string>();

/** Lets the style elements of this reply be known by a nonce. */
export function allowStyles(reply: FastifyReply, nonce: string): void {
  styleNonces.set(reply, nonce);
}
