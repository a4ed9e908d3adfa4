/** All that others may use of health. */
export { healthAttention } from './attention.repo.ts';
export { endWatching } from './end-watching.ts';
export { healthRoutes } from './health.routes.ts';
export { createHealth } from './health.service.ts';
export { eraseHealth } from './privacy.repo.ts';
