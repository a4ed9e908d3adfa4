import { AppError } from '#contracts/errors.ts';
import { UpstreamUnavailable } from '../../ports/outcome.ts';
import { PaymentRefused } from '../../ports/payments.ts';

/** What a person is told of a failure of the payment provider. */
export function publicError(error: unknown): unknown {
  if (error instanceof PaymentRefused) {
    return new AppError('payment_failed', { message: error.message, cause: error });
  }
  if (error instanceof UpstreamUnavailable) {
    const message = 'The payment provider does not answer at the moment. Please try again.';
    return new AppError('upstream_unavailable', { message, cause: error });
  }
  return error;
}
