/**
 * The schema library tries whether it may make code at run time; the content security policy refuses it and reports each
 * try as a breach. It reads its settings from this object of the page, so that the first screen need not load it
 * (zod 4.6.7, checked 2026-11-22; a browser test sees no breach).
 */
const page = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
page.__zod_globalConfig = Object.assign(page.__zod_globalConfig ?? {}, { jitless: true });

export {};
