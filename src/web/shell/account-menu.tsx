import { IconChevronDown, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useProfile } from '../features/users/api.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { sessionMarks } from '../lib/session-marks.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import entry from '../ui/menu-entry.module.css';
import { PlainButton } from '../ui/plain-button.tsx';
import { SchemeChoice } from '../ui/scheme-choice.tsx';
import { DensityChoice } from './density-choice.tsx';
import classes from './shell.module.css';

/** Signed in: the organisation, three links, Sign out. Signed out: sign in, or create an account (P1 §2). */
export function AccountMenu() {
  const session = useSession();
  const profile = useProfile();
  if (session.status === 'loading') return null;
  const signedIn = session.status === 'signed-in';
  const name = profile.data?.organization || 'Hello';
  return (
    <Disclosure
      label={signedIn ? `Account menu, ${name}` : 'Account menu'}
      button={
        <>
          <IconUser size={18} aria-hidden />
          <span className={classes.accountName}>{signedIn ? name : 'Account'}</span>
          <IconChevronDown size={14} aria-hidden />
        </>
      }
    >
      {(close) => (
        <>
          {signedIn ? <SignedIn name={name} close={close} /> : <SignedOut />}
          <hr className={entry.line} />
          <SchemeChoice />
          {signedIn && <DensityChoice />}
          {signedIn && (
            <>
              <hr className={entry.line} />
              <button type="button" className={entry.entry} onClick={() => void session.signOut()}>
                Sign out
              </button>
            </>
          )}
        </>
      )}
    </Disclosure>
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
