/** All that the edge and the jobs may use of the operator's side. */
export { createKeys } from './keys.service.ts';
export { operatorRoutes } from './operator.routes.ts';
export { createOperator } from './operator.service.ts';
