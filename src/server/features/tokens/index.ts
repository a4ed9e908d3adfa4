/** All that others may use of API tokens. */
export { tokenRoutes } from './tokens.routes.ts';
export { createTokens } from './tokens.service.ts';
