import { IconChevronDown, IconUser } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useProfile } from '../features/users/api.ts';
import { useSession } from '../lib/session.tsx';
import { Disclosure } from '../ui/disclosure.tsx';
import { lazily } from '../ui/lazily.tsx';
import classes from './shell.module.css';

const AccountMenuContent = lazily(() => import('./account-menu-content.tsx'));

/** Signed in: the organisation, three links, Sign out. Signed out: sign in, or create an account (P1 §2). */
export function AccountMenu() {
  const session = useSession();
  const profile = useProfile();
  if (session.status === 'loading' && !profile.isPlaceholderData) return null;
  const signedIn = session.status !== 'signed-out';
  const name = profile.data?.organization || 'Hello';
  return (
    <Disclosure
      label={signedIn ? `Account menu, ${name}` : 'Account menu'}
      plain
      onIntent={() => void AccountMenuContent.preload()}
      button={
        <>
          <IconUser size={18} aria-hidden />
          <span className={classes.accountName}>{signedIn ? name : 'Account'}</span>
          <IconChevronDown size={14} aria-hidden />
        </>
      }
    >
      {(close) => (
        <Suspense fallback={null}>
          <AccountMenuContent name={signedIn ? name : null} close={close} />
        </Suspense>
      )}
    </Disclosure>
  );
}
