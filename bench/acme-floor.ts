import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/** The floor of new nonces: a bare Fastify whose one route writes a row, as a table of nonces would. */
const settings = z
  .object({ DATABASE_URL: z.string(), DATABASE_CONNECTIONS: z.coerce.number() })
  .parse(process.env);
const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: settings.DATABASE_CONNECTIONS });
await pool.query('CREATE TABLE IF NOT EXISTS bench_nonces (nonce bytea PRIMARY KEY)');
const app = Fastify();

app.get('/nonce', async (_request, reply) => {
  const nonce = randomBytes(16);
  await pool.query('INSERT INTO bench_nonces VALUES ($1)', [nonce]);
  return reply.status(204).header('replay-nonce', nonce.toString('base64url')).send();
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
