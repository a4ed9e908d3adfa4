/** All that other features, the edge and the jobs may use of users. */
export type { UsersDeps } from './deps.ts';
export type { Actor } from './profiles.service.ts';
export { userRoutes } from './users.routes.ts';
export { createUsers, type UsersApi } from './users.service.ts';
