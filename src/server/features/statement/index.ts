/** All that other features may use of the statement. */
export { statementRoutes } from './statement.routes.ts';
export { createStatement } from './statement.service.ts';
