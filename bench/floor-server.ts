import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/**
 * The floor of the customer list: Fastify and the driver, nothing else. No authentication, no tenancy, no validation,
 * no mapping; one statement, its rows as they come. A program of its own, so that it has a process like the portal's.
 */
const settings = z
  .object({
    DATABASE_URL: z.string(),
    DATABASE_CONNECTIONS: z.coerce.number(),
    STATEMENT: z.string(),
    /** Whose rows a search may look for: the statement asks for it by itself. */
    ORGANISATION: z.uuid(),
    PARAMETERS: z.string(),
  })
  .parse(process.env);
const statement = settings.STATEMENT;
const parameters = z.array(z.unknown()).parse(JSON.parse(settings.PARAMETERS));
const pool = new pg.Pool({
  connectionString: settings.DATABASE_URL,
  max: settings.DATABASE_CONNECTIONS,
  options: `-c app.organisation=${settings.ORGANISATION}`,
});
const app = Fastify();

app.get('/list', async () => {
  const { rows } = await pool.query<{ total: string }>(statement, parameters);
  return { total: Number(rows[0]?.total ?? 0), data: rows };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
