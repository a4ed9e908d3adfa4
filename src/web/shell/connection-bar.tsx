import { useSyncExternalStore } from 'react';
import { connection } from '../lib/connection.ts';
import classes from './shell.module.css';

/** Said at once, and on every screen, as long as the portal cannot be reached. */
export function ConnectionBar() {
  const offline = useSyncExternalStore(connection.subscribe, connection.isOffline);
  return (
    <div role="status" className={classes.connection} data-offline={offline || undefined}>
      {offline && 'You are offline. What you see may be out of date, and nothing can be saved or bought.'}
    </div>
  );
}
