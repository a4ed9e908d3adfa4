/** All that others may use of saved views. */
export { viewRoutes } from './views.routes.ts';
export { createViews } from './views.service.ts';
