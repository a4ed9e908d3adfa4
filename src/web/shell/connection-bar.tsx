import { useSyncExternalStore } from 'react';
import { heldText } from '#contracts/values/held.ts';
import { connection } from '../lib/connection.ts';
import { useSession } from '../lib/session.tsx';
import { PlainButton } from '../ui/plain-button.tsx';
import classes from './shell.module.css';

/** Said at once, and on every screen, as long as the portal cannot be reached or does not know who asks. */
export function ConnectionBar() {
  const offline = useSyncExternalStore(connection.subscribe, connection.isOffline);
  const held = useSyncExternalStore(connection.subscribe, connection.isHeld);
  const { lapsed, problem, signIn } = useSession();
  return (
    <div role="status" className={classes.connection} data-offline={offline || lapsed || held || undefined}>
      {offline && 'You are offline. What you see may be out of date, and nothing can be saved or bought.'}
      {held && !offline && !lapsed && `${heldText} What was done shortly before may be missing meanwhile.`}
      {lapsed && !offline && (
        <>
          {problem ?? 'Your sign-in has ended. Nothing can be saved or bought until you sign in again.'}{' '}
          {/* The whole page leaves: the browser asks first where something is typed and not saved. */}
          <PlainButton variant="default" onClick={() => void signIn()}>
            Sign in again
          </PlainButton>
        </>
      )}
    </div>
  );
}
