/** All that others may use of saved views. */

export { eraseViews } from './views.repo.ts';
export { viewRoutes } from './views.routes.ts';
export { createViews } from './views.service.ts';
