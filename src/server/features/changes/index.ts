/** All that others may use of changes of many domains. */
export { changeAttention } from './attention.repo.ts';
export { changeRoutes } from './changes.routes.ts';
export { createChanges } from './changes.service.ts';
export { eraseChangeAuthors, eraseFromChanges } from './privacy.repo.ts';
