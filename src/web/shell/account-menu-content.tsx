import { Link } from '@tanstack/react-router';
import { useProfile } from '../features/users/api.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { sessionMarks } from '../lib/session-marks.ts';
import entry from '../ui/menu-entry.module.css';
import { PlainButton } from '../ui/plain-button.tsx';
import { SchemeChoice } from '../ui/scheme-choice.tsx';
import { DensityChoice } from './density-choice.tsx';
import classes from './shell.module.css';

/** What the account menu holds; `name`: whose account it is, null for visitors. */
export default function AccountMenuContent({ name, close }: { name: string | null; close: () => void }) {
  const session = useSession();
  return (
    <>
      {name === null ? <SignedOut /> : <SignedIn name={name} close={close} />}
      <hr className={entry.line} />
      <SchemeChoice />
      {name !== null && (
        <>
          <DensityChoice />
          <hr className={entry.line} />
          <button type="button" className={entry.entry} onClick={() => void session.signOut()}>
            Sign out
          </button>
        </>
      )}
    </>
  );
}

function SignedIn({ name, close }: { name: string; close: () => void }) {
  const own = useProfile().data?.authorizedClientId;
  const customers: string = own ? `/customers/${own}` : '/customers';
  return (
    <>
      <p className={entry.label}>{name}</p>
      <Link to="/account/{-$tab}" className={entry.entry} onClick={close}>
        {own ? 'Profile' : <>Profile &amp; Billing Details</>}
      </Link>
      <Link to={customers} className={entry.entry} onClick={close}>
        {own ? 'Manage Contacts' : 'Manage Customers'}
      </Link>
      <Link to="/domain" className={entry.entry} onClick={close}>
        Manage Domains &amp; Certificates
      </Link>
    </>
  );
}

function SignedOut() {
  const session = useSession();
  const { appType } = usePublicConfig();
  return (
    <div className={classes.signedOut}>
      <p>Already have an account?</p>
      <PlainButton variant="default" onClick={() => void session.signIn()}>
        Sign in
      </PlainButton>
      {/* Customers' people come by invitation. */}
      {appType === 'msp' && (
        <>
          <p>Don't yet have an account? Create one now to get started.</p>
          <PlainButton
            onClick={() => {
              sessionMarks.setCreatingAccount(true);
              void session.signIn({ signUp: true });
            }}
          >
            Create Account
          </PlainButton>
        </>
      )}
    </div>
  );
}
