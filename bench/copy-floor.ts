import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/**
 * The floor of an export: Fastify, and the database's own file by `COPY`, passed on as it comes. No authentication, no tenancy, no log,
 * no cell made harmless for spreadsheets.
 */
const settings = z.object({ DATABASE_URL: z.string(), STATEMENT: z.string() }).parse(process.env);
const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 1 });
const app = Fastify();

interface Connection {
  query(text: string): void;
}

/** What the driver does for a statement, for one that it has no words for. */
class CopyOut {
  readonly file = new PassThrough();
  submit(connection: Connection): void {
    connection.query(`COPY (${settings.STATEMENT}) TO STDOUT WITH (FORMAT csv, HEADER)`);
  }
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.file.write(chunk);
  }
  handleCommandComplete(): void {
    this.file.end();
  }
  handleReadyForQuery(): void {
    this.file.end();
  }
  handleError(error: Error): void {
    this.file.destroy(error);
  }
}

app.get('/file', async (_request, reply) => {
  const client = await pool.connect();
  const copy = new CopyOut();
  copy.file.once('close', () => client.release());
  client.query(copy as unknown as pg.Submittable);
  return reply.type('text/csv').send(copy.file);
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
