import { config } from 'zod';

// The schema library tries whether it may make code at run time; the content security policy refuses it and reports
// each try as a breach. Before the first schema: therefore this file is in the library's own chunk (vite.config.ts).
config({ jitless: true });
