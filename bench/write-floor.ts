import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/**
 * The floor of a new customer: Fastify and the driver, nothing else. No authentication, no tenancy, no validation, no log, no
 * repeat under a key; one statement, and the row as it came to be.
 */
const settings = z
  .object({ DATABASE_URL: z.string(), DATABASE_CONNECTIONS: z.coerce.number(), ORGANISATION: z.uuid() })
  .parse(process.env);
const pool = new pg.Pool({
  connectionString: settings.DATABASE_URL,
  max: settings.DATABASE_CONNECTIONS,
});
const app = Fastify();
const statement = `INSERT INTO customers (id, organisation_id, owner, admin, billing_contact, markups)
  VALUES (gen_random_uuid(), $1, $2, $3, $4, '{}') RETURNING id, owner, admin, billing_contact, markups, created_at`;

app.post('/customer', async (request) => {
  const { owner, admin, billing } = (request.body as { contacts: Record<string, unknown> }).contacts;
  const { rows } = await pool.query({
    name: 'create',
    text: statement,
    values: [settings.ORGANISATION, owner, admin, billing],
  });
  return { data: rows[0] };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
