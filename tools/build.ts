import { join } from 'node:path';
import { buildWebWhenStale } from '../src/start/web-build.ts';

/** `npm run build`: the web app into `dist/web`, for an installation that has no packages of development. */
await buildWebWhenStale(join(import.meta.dirname, '..'), (text) => console.log(`${text} …`));
