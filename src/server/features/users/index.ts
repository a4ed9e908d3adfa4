/** All that other features, the edge and the jobs may use of users. */

export { logoRoutes } from './logo.routes.ts';
export { createLogo } from './logo.service.ts';
export { findOrganisation, organisationName } from './organisations.repo.ts';
export { erasePeople, peopleOf } from './privacy.repo.ts';
export { sealedInvites } from './sealed.repo.ts';
export { userRoutes } from './users.routes.ts';
export { createUsers, type UsersApi } from './users.service.ts';
