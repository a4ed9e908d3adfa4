import type { FastifyInstance } from 'fastify';
import { AppError } from '#contracts/errors.ts';
import { heldHeader, heldText } from '#contracts/values/held.ts';

const refusal = `${heldText} Please try again in a few minutes.`;
const retryAfterSeconds = 30;
const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/**
 * What the end waits for: what a person decides, what they correct before they can say so, and the personal key that they decide with,
 * which a backup may not hold. Nothing of it is sent anywhere.
 */
const decides: ReadonlySet<string | undefined> = new Set([
  'operator.beginRecovery',
  'operator.settleRecoveryFinding',
  'operator.correct',
  'operator.confirmCorrection',
  'operator.declineCorrection',
  'operator.withdrawCorrection',
  'operator.makeOperator',
  'operator.endOperator',
]);

/** While records are compared, reading goes on and every change is refused, before its caller is looked at. */
export function refuseWhileHeld(app: FastifyInstance, isHeld: () => boolean): void {
  app.addHook('onRequest', ({ method, routeOptions }, reply, done) => {
    if (!isHeld()) return done();
    reply.header(heldHeader, '1');
    const passes = harmless.has(method) || decides.has(routeOptions.config.operation);
    done(passes ? undefined : new AppError('unavailable', { message: refusal, retryAfterSeconds }));
  });
}
