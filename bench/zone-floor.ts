import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { z } from 'zod';

/** The floor of a zone read: Fastify and the same data as JSON, from memory. No authentication, no database. */
const { BODY_FILE } = z.object({ BODY_FILE: z.string() }).parse(process.env);
const data: unknown = JSON.parse(await readFile(BODY_FILE, 'utf8'));
const app = Fastify();
app.get('/zone', async () => data);

const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
console.log(JSON.stringify({ ready: true, url }));
