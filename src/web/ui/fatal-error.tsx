import classes from './fatal-error.module.css';
import { PlainButton } from './plain-button.tsx';

/** The global error screen (P1 §2). Back leads to a given path, or back in history when none is given. */
export function FatalError({ error, backTo }: { error: Error; backTo?: string }) {
  const requestId = 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : null;
  return (
    <div className={classes.screen} role="alert">
      <h1>Something went wrong.</h1>
      <p>Please reload the page. If the problem persists, contact support.</p>
      {requestId && <small>Request {requestId}</small>}
      <div className={classes.actions}>
        <PlainButton onClick={() => window.location.reload()}>Reload Page</PlainButton>
        <PlainButton
          variant="default"
          onClick={() => (backTo ? window.location.assign(backTo) : window.history.back())}
        >
          Back
        </PlainButton>
      </div>
    </div>
  );
}
