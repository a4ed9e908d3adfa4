import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/**
 * The floor of a list: Fastify and the driver, nothing else. No authentication, no tenancy, no validation, no mapping; one statement,
 * which each connection prepares once, and its rows as they come. A program of its own, so that it has a process like the portal's.
 */
const settings = z
  .object({
    DATABASE_URL: z.string(),
    DATABASE_CONNECTIONS: z.coerce.number(),
    STATEMENT: z.string(),
    PARAMETERS: z.string(),
  })
  .parse(process.env);
const statement = settings.STATEMENT;
const parameters = z.array(z.unknown()).parse(JSON.parse(settings.PARAMETERS));
const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: settings.DATABASE_CONNECTIONS });
const app = Fastify();

app.get('/list', async () => {
  const { rows } = await pool.query<{ total: number }>({ name: 'list', text: statement, values: parameters });
  return { total: rows[0]?.total ?? 0, data: rows };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
