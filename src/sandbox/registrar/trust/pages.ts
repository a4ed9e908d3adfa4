import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Html, html } from '../../web.ts';
import type { World } from '../world.ts';
import type { Authority } from './authority.ts';
import { findCertificateOrders, updateCertificateOrder } from './state.ts';

/** The page behind the link in the approval mail, and the root to trust. Null: not one of these. */
export function trustPage(
  world: World,
  authority: Authority,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { pathname } = new URL(request.url ?? '/', 'http://x');
  if (request.method === 'GET' && pathname === '/authority/root.pem') {
    response.writeHead(200, { 'content-type': 'application/x-pem-file' }).end(authority.rootPem);
    return true;
  }
  const token = /^\/approve\/([0-9a-f]{32})$/.exec(pathname)?.[1];
  if (!token || !['GET', 'POST'].includes(request.method ?? '')) return false;
  const [order] = findCertificateOrders(world, 'token = ?', token);
  if (!order) return page(response, 404, html`<p>This link is not known here.</p>`);
  if (order.state !== 'awaiting-approval' || order.method !== 'Email') {
    return page(response, 200, html`<p>There is nothing to approve for ${order.domain} any more.</p>`);
  }
  if (request.method === 'POST') {
    updateCertificateOrder(world, order, { approved: true, nextCheckAt: world.now() }, 'Approved by mail');
    return page(response, 200, html`<p>Thank you. The certificate for ${order.domain} is approved.</p>`);
  }
  return page(
    response,
    200,
    html`<p>A certificate for <strong>${order.domain}</strong> was ordered. Do you approve it?</p>
<form method="post"><button>I approve</button></form>`,
  );
}

function page(response: ServerResponse, status: number, content: Html): true {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    'cache-control': 'no-store',
  });
  response.end(
    html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Certificate approval</title></head>
<body><main><h1>Certificate approval</h1>${content}</main></body></html>`.markup,
  );
  return true;
}
