/** All that others may use of the overview. */
export { overviewRoutes } from './overview.routes.ts';
export { createOverview } from './overview.service.ts';
