import { join } from 'node:path';
import { buildWhenStale } from '../src/start/builds.ts';

/** `npm run build`: the server and the web app into `dist`, for an installation that has no packages of development. */
await buildWhenStale(join(import.meta.dirname, '..'), (text) => console.log(`${text} …`));
