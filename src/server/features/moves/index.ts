/** All that others may use of moves. */
export { moveAttention, moveDnsAttention } from './attention.repo.ts';
export { moveRoutes } from './moves.routes.ts';
export { createMoves } from './moves.service.ts';
export { eraseMoves } from './privacy.repo.ts';
export { sealedMoveCodes } from './sealed.repo.ts';
