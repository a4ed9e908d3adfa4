/** All that other features may use of the statement. */
export { healthReportRoutes } from './health-report.ts';
export { statementRoutes } from './statement.routes.ts';
export { createStatement } from './statement.service.ts';
