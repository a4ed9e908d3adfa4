/** All that others may use of attention. */
export { attentionRoutes } from './attention.routes.ts';
export { createAttention } from './attention.service.ts';
export { eraseAttentionPeople, eraseFromAttention } from './privacy.repo.ts';
