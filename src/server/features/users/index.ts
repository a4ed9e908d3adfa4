/** All that other features, the edge and the jobs may use of users. */
export { userRoutes } from './users.routes.ts';
export { createUsers, type UsersApi } from './users.service.ts';
