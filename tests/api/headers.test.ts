import type { InjectOptions } from 'fastify';
import { expect, test } from 'vitest';
import { operations } from '../../src/contracts/operations.ts';
import { newId } from '../../src/server/kernel/ids.ts';
import { type Portal, startPortal } from './support/portal.ts';
import { requestFor } from './support/samples.ts';
import { seedOrganisation } from './support/world.ts';

const policies = {
  page: /^default-src 'self'; script-src 'self'(?![^;]*unsafe-inline)[^;]*;.*object-src 'none'/,
  data: /^default-src 'none'; frame-ancestors 'none'$/,
};
const always: Readonly<Record<string, RegExp>> = {
  'strict-transport-security': /max-age=31536000; includeSubDomains/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /./,
  'cross-origin-opener-policy': /^same-origin-allow-popups$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'x-request-id': /^[0-9a-f-]{36}$/,
};

/** Headers that are missing from a reply, or say something else. */
async function faultsOf(portal: Portal, request: InjectOptions): Promise<string[]> {
  const { headers, statusCode } = await portal.app.inject(request);
  const url = String(request.url);
  const isData = /^application\/json/.test(String(headers['content-type']));
  const wanted: Readonly<Record<string, RegExp>> = {
    ...{ ...always, 'content-security-policy': isData ? policies.data : policies.page },
    ...(/^\/(api|uploads)\b/.test(url) && { 'cache-control': /no-store/ }),
  };
  return Object.entries(wanted)
    .filter(([name, value]) => !value.test(String(headers[name] ?? '')))
    .map(([name]) => `${statusCode} ${url.slice(0, 80)}: ${name} is ${String(headers[name])}`);
}

test('every route has every header, for every caller and every outcome', async () => {
  await using portal = await startPortal({ PUBLIC_URL: 'https://portal.example' });
  const a = await seedOrganisation(portal, 'hh');
  const subject = { id: a.customers[0].id, domain: a.customers[0].domain, text: 'x' };
  const faults: string[] = [];
  for (const operation of operations) {
    for (const token of [null, a.tokens.MSP_OWNER]) {
      faults.push(...(await faultsOf(portal, requestFor(operation, subject, token))));
    }
    faults.push(
      ...(await faultsOf(portal, requestFor(operation, { ...subject, id: newId() }, a.tokens.MSP_OWNER))),
    );
  }
  const others = [
    '/',
    '/customers',
    '/domain/list',
    '/auth/silent-callback.html',
    '/healthz',
    '/readyz',
    '/metrics',
  ];
  const missing = [
    '/api',
    '/api/nothing',
    '/api/%zz',
    '/assets/none.js',
    '/uploads/none',
    '/..%2f..%2fetc/passwd',
  ];
  for (const url of [...others, ...missing, '/api/docs', '/api/docs/openapi.json']) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST'] as const) {
      faults.push(...(await faultsOf(portal, { method, url })));
    }
  }
  expect([...new Set(faults)]).toEqual([]);
});
