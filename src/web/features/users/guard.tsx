import { useLocation, useMatch, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import type { Profile } from '#contracts/operations/users.ts';
import type { Permission } from '#contracts/permissions.ts';
import { peekReturnPath, takeReturnPath } from '../../lib/return-path.ts';
import { usePublicConfig, useSession } from '../../lib/session.tsx';
import { useRedirect } from '../../lib/use-redirect.ts';
import { FatalError } from '../../ui/fatal-error.tsx';
import { PageLoader } from '../../ui/plain-button.tsx';
import { useProfile } from './api.ts';

/** Where a signed-in person must go first (P2 §2, auth routing). Null means anywhere. */
export function requiredStep(profile: Profile | null, accountRequired: boolean): string | null {
  if (!profile) return '/onboarding/1';
  // Customers' own users are asked for nothing: neither step is theirs.
  if (profile.type === 'MSP_CUSTOMER') return null;
  const asked = profile.type === 'MSP_ADMIN' && accountRequired;
  if (asked && !profile.stripeAccount.finishedRequirement) return '/onboarding/2';
  // The server refuses everything else to the whole organisation until then (docs/decisions/0150).
  return profile.paidInitialFee ? null : '/onboarding/3';
}

interface GuardProps {
  /** Who may open the screen. Everyone else is led home (P2 §2), as from an address that does not exist. */
  needs?: Permission | null;
  children: ReactNode;
}

/** Lets signed-in people through who have finished what they must; sends others where they belong. */
export function Guard({ needs = null, children }: GuardProps) {
  const session = useSession();
  const config = usePublicConfig();
  const profile = useProfile();
  const navigate = useNavigate();
  // The screen's own place, not the browser's: on the way to another screen that one is ahead, and who may go there is
  // for that screen to say.
  const here = useMatch({ strict: false, select: (match) => match.pathname });
  const { pathname, href } = useLocation();
  const { status, problem, signIn } = session;
  // By an expected profile a screen is drawn, and nobody is led anywhere.
  const isKnown = status === 'signed-in' && !profile.isPlaceholderData && profile.data !== undefined;
  const step = profile.data === undefined ? null : requiredStep(profile.data, config.paymentAccountRequired);
  const elsewhere = step !== null && !isFree(step, here);
  const barred = needs !== null && !mayEnter(needs, profile.data ?? null, config.appType);
  useRedirect(isKnown && barred && !elsewhere ? '/' : null);

  useEffect(() => {
    if (status === 'signed-out' && problem === null) void signIn({ returnPath: href });
  }, [status, problem, signIn, href]);
  const onArrival = useEffectEvent(() => void session.arrive(href));
  useEffect(() => {
    if (here !== undefined) onArrival();
  }, [here]);
  useEffect(() => {
    if (!isKnown || !elsewhere || !step) return;
    // The kept path comes first where it is open: an invited person has no profile yet, and the invitation makes it.
    const kept = here === '/' ? peekReturnPath() : null;
    void navigate({ href: kept && isFree(step, kept) ? kept : step, replace: true });
  }, [isKnown, elsewhere, step, here, navigate]);
  useEffect(() => {
    // Arrived while there are steps to be done: it has served.
    if (isKnown && step !== null && !elsewhere && peekReturnPath() === href) takeReturnPath();
  }, [isKnown, step, elsewhere, href]);
  useEffect(() => {
    if (!isKnown || step !== null) return;
    // The provider sends everyone back to the start. A person elsewhere is where they want to be.
    if (pathname !== '/') return;
    const path = takeReturnPath();
    // With its query string: filters, and the task in progress.
    if (path) void navigate({ href: path, replace: true });
  }, [isKnown, step, pathname, navigate]);

  if (profile.isError && profile.data === undefined) return <FatalError error={profile.error} backTo="/" />;
  if (status === 'signed-out' && problem !== null)
    return <FatalError error={new Error(problem)} backTo="/" />;
  const isDrawn = status === 'signed-in' || profile.isPlaceholderData;
  if (!isDrawn || profile.data === undefined || elsewhere || barred) {
    return <PageLoader />;
  }
  return children;
}

/** Managing users and tokens is the MSP's own affair: not in the portal of its customers (decisions no. 13). */
const ofTheMsp: readonly Permission[] = ['users.manage', 'tokens.manage'];

function mayEnter(needs: Permission, profile: Profile | null, appType: 'msp' | 'client'): boolean {
  if (appType === 'client' && ofTheMsp.includes(needs)) return false;
  return profile?.permissions.includes(needs) ?? true;
}

/** Whether a screen opens for a person who still has this step to do, or none. */
export const isOpen = (step: string | null, path: string): boolean => step === null || isFree(step, path);

/** Open before all steps are done. In initial-fee mode the billing screen is too: it asks for the same $100. */
function isFree(step: string, path: string): boolean {
  if (path.startsWith('/onboarding') || path.startsWith('/invite/')) return true;
  return step === '/onboarding/3' && path.startsWith('/account');
}
