import fastify from 'fastify';
import { expect, test } from 'vitest';
import { AppError } from '../../contracts/errors.ts';
import { type AcmeServer, serveAcme } from './acme.ts';

/** The edge over a protocol of which every operation meets its limit. */
function edge() {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const limited = async () => {
    throw new AppError('rate_limited', {
      message: 'Too many. Try again in 7 seconds.',
      retryAfterSeconds: 7,
    });
  };
  serveAcme(app, {
    ...{ directory: () => ({}), nonce: () => 'nonce', indexLink: '<index>', renewalInfo: limited },
    ...{ newAccount: limited, newOrder: limited, account: limited, accountOrders: limited, order: limited },
    ...{ finalize: limited, authorization: limited, challenge: limited, certificate: limited },
    ...{ revoke: limited, keyChange: limited, problemOf: () => null },
    problem: (kind: string, detail: string, status: number) => ({
      ...{
        status,
        text: { type: 'application/problem+json', content: JSON.stringify({ type: kind, detail }) },
      },
    }),
  } satisfies AcmeServer);
  return app;
}

test.for(['new-account', 'new-order', 'order/1/finalize', 'revoke-cert', 'key-change'])(
  '%s beyond its limit is a rateLimited problem that says when to try again, with the next nonce',
  async (path) => {
    const reply = await edge().inject({
      ...{ method: 'POST', url: `/acme/${path}`, body: '{}' },
      headers: { 'content-type': 'application/jose+json' },
    });
    expect(reply.statusCode).toBe(429);
    expect(reply.headers).toMatchObject({
      ...{ 'content-type': 'application/problem+json', 'retry-after': '7', 'replay-nonce': 'nonce' },
    });
    expect(reply.json()).toEqual({ type: 'rateLimited', detail: 'Too many. Try again in 7 seconds.' });
  },
);
