/** All that others may use of API tokens. */

export { eraseTokens } from './tokens.repo.ts';
export { tokenRoutes } from './tokens.routes.ts';
export { createTokens } from './tokens.service.ts';
