import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Profile } from '#contracts/operations/users.ts';
import { peekReturnPath, takeReturnPath } from '../../lib/return-path.ts';
import { usePublicConfig, useSession } from '../../lib/session.tsx';
import { FatalError } from '../../ui/fatal-error.tsx';
import { PageLoader } from '../../ui/plain-button.tsx';
import { useProfile } from './api.ts';

/** Where a signed-in person has to go before anything else (P2 §2, auth routing); null: wherever he likes. */
export function requiredStep(profile: Profile | null, accountRequired: boolean): string | null {
  if (!profile) return '/onboarding/1';
  if (profile.type !== 'MSP_ADMIN') return null;
  if (accountRequired && !profile.stripeAccount.finishedRequirement) return '/onboarding/2';
  if (!profile.paidInitialFee) return '/onboarding/3';
  return null;
}

/** Lets signed-in people through who have finished what they must; sends others where they belong. */
export function Guard({ children }: { children: ReactNode }) {
  const session = useSession();
  const config = usePublicConfig();
  const profile = useProfile();
  const navigate = useNavigate();
  const { pathname, href } = useLocation();
  const { status, signIn } = session;
  const step = profile.data === undefined ? null : requiredStep(profile.data, config.paymentAccountRequired);
  const free = pathname.startsWith('/onboarding') || pathname.startsWith('/invite/');
  const elsewhere = step !== null && !free && !isMoneyScreen(step, pathname);

  useEffect(() => {
    if (status === 'signed-out') void signIn({ returnPath: href });
  }, [status, signIn, href]);
  useEffect(() => {
    if (!elsewhere || !step) return;
    // An invited person has no profile yet: the invitation makes it, not the onboarding of a new organization.
    const kept = pathname === '/' ? peekReturnPath() : null;
    void navigate({ to: kept?.startsWith('/invite/') ? kept : step, replace: true });
  }, [elsewhere, step, pathname, navigate]);
  useEffect(() => {
    if (status !== 'signed-in' || profile.data === undefined || step !== null) return;
    // The provider sends everybody back to the start; whoever is elsewhere is where he wants to be.
    if (pathname !== '/') return;
    const path = takeReturnPath();
    if (path) void navigate({ to: path, replace: true });
  }, [status, profile.data, step, pathname, navigate]);

  if (profile.isError) return <FatalError error={profile.error} backTo="/" />;
  if (status !== 'signed-in' || profile.data === undefined || elsewhere) {
    return <PageLoader />;
  }
  return children;
}

/** In initial-fee mode the billing screen is open too: it asks for the same $100. */
function isMoneyScreen(step: string, pathname: string): boolean {
  return step === '/onboarding/3' && pathname.startsWith('/account');
}
