import { IconMenu2, IconX } from '@tabler/icons-react';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { memo, Suspense, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Profile } from '#contracts/operations/users.ts';
import { useMay, useProfile } from '../features/users/api.ts';
import { useBrand } from '../features/users/brand.ts';
import { useReloadForAnother } from '../features/users/expected.ts';
import { useFollowedWork } from '../lib/followed-work.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { sessionMarks } from '../lib/session-marks.ts';
import { useScreenPath } from '../lib/use-screen-path.ts';
import { lazily } from '../ui/lazily.tsx';
import { useNameSite } from '../ui/site-name.ts';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { headerOf } from './header-title.ts';
import { useKeys } from './keys.ts';
import classes from './shell.module.css';
import { SigningIn } from './signing-in.tsx';

const memberParts = () => import('./member-parts.ts');
// Whatever is opened or closed draws the shell again. These three are what it weighs.
const SideNavigation = memo(lazily(async () => ({ default: (await memberParts()).SideNavigation })));
const BottomBar = memo(lazily(async () => ({ default: (await memberParts()).BottomBar })));
const HeaderSearch = memo(lazily(async () => ({ default: (await memberParts()).HeaderSearch })));
const CartButton = lazily(async () => ({ default: (await memberParts()).CartButton }));
const Toasts = lazily(async () => ({ default: (await memberParts()).Toasts }));
const FullCart = lazily(async () => ({ default: (await memberParts()).FullCart }));
const RefusedOrder = lazily(async () => ({ default: (await memberParts()).RefusedOrder }));
// Who was signed in when the browser was here last needs them as soon as the profile is there.
if (sessionMarks.signedIn()) void memberParts().catch(() => undefined);
const FollowedLines = lazily(() => import('./followed-lines.tsx'));
const KeyList = lazily(() => import('./key-list.tsx'));
const PaymentAccountPrompt = lazily(() => import('../features/billing/payment-account-prompt.tsx'));

/** Header with title, search and cart, side navigation, footer (P1 §2, P2 §2). */
export function Shell() {
  const [menuOpen, setMenuOpen] = useState(false);
  const [helping, setHelping] = useState(false);
  const closeMenu = useCallback(() => setMenuOpen(false), []);
  const help = useCallback(() => setHelping(true), []);
  const { session, profile, member, isExpected } = useWhoIsHere();
  const isOnboarding = useScreenPath((path) => path.startsWith('/onboarding'));
  // Before somebody may go anywhere there is nowhere to go.
  const navigable = member && !isOnboarding;
  const expected = mayTurnOutMember(session.status, profile);
  const userId = profile.data?.userId ?? null;
  const mustConnect = useMustConnect(profile.data ?? null);
  const mayBuy = useMay('catalogue.read') && userId !== null;
  const header = useHeader(session.status === 'signed-out', mayBuy || !profile.data);
  const search = member && userId && header.search && (
    <Suspense fallback={null}>
      <HeaderSearch userId={userId} buying={mayBuy} />
    </Suspense>
  );
  // Where names to buy are what the screen is for, the search is part of the screen.
  const isHero = header.title !== null && mayBuy;
  const main = useFocusOfScreens();
  useEscape(menuOpen, closeMenu);
  useKeys(help);

  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <header className={classes.bar}>
        <div className={classes.row}>
          <div className={classes.start}>
            {navigable && <MenuButton open={menuOpen} onToggle={() => setMenuOpen(!menuOpen)} />}
            <SiteName />
          </div>
          <div className={classes.end} inert={isExpected}>
            <Suspense fallback={null}>{mayBuy && <CartButton userId={userId} />}</Suspense>
            <AccountMenu />
          </div>
          {search && !isHero && (
            <div className={classes.search} inert={isExpected}>
              {search}
            </div>
          )}
        </div>
        <ConnectionBar />
        {member && !isExpected && <MemberLines />}
        {isExpected && <SigningIn />}
      </header>
      <div className={classes.body}>
        {navigable && <Side open={menuOpen} onClose={closeMenu} onHelp={help} />}
        {!navigable && expected && <div className={classes.side} aria-hidden />}
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className={classes.main}
          inert={isExpected}
          aria-busy={isExpected}
        >
          {header.title && <h1 className={classes.title}>{header.title}</h1>}
          {search && isHero && <div className={classes.hero}>{search}</div>}
          <Outlet />
        </main>
      </div>
      <Footer />
      <Suspense fallback={null}>
        {navigable && <BottomBar />}
        {member && <Toasts />}
        {mustConnect && !isExpected && <PaymentAccountPrompt />}
        {helping && <KeyList onClose={() => setHelping(false)} />}
      </Suspense>
    </>
  );
}

function useHeader(signedOut: boolean, mayBuy: boolean) {
  const title = useScreenPath((path) => headerOf(path, signedOut, mayBuy).title);
  const search = useScreenPath((path) => headerOf(path, signedOut, mayBuy).search);
  return { title, search };
}

function useWhoIsHere() {
  const session = useSession();
  const profile = useProfile();
  const member = (session.status === 'signed-in' || profile.isPlaceholderData) && profile.data != null;
  // Drawn by who was here the last time: to be looked at until it is known who is.
  const isExpected = member && profile.isPlaceholderData;
  useReloadForAnother(profile.data, isExpected);
  return { session, profile, member, isExpected };
}

/** Of the cart, and of long work: loaded when there is something to follow. */
function MemberLines() {
  const isFollowing = useFollowedWork().length > 0;
  return (
    <>
      <Suspense fallback={null}>
        <FullCart />
        <RefusedOrder />
      </Suspense>
      <Suspense fallback={null}>{isFollowing && <FollowedLines />}</Suspense>
    </>
  );
}

function MenuButton({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      className={classes.menuButton}
      aria-label={open ? 'Close navigation' : 'Open navigation'}
      aria-expanded={open}
      aria-controls="side-navigation"
      onClick={onToggle}
    >
      {open ? <IconX size={20} aria-hidden /> : <IconMenu2 size={20} aria-hidden />}
    </button>
  );
}

function Side({ open, onClose, onHelp }: { open: boolean; onClose: () => void; onHelp: () => void }) {
  return (
    <>
      <nav id="side-navigation" className={classes.side} data-open={open || undefined} aria-label="Main">
        <div>
          <Suspense fallback={null}>
            <SideNavigation onNavigate={onClose} onHelp={onHelp} />
          </Suspense>
        </div>
      </nav>
      {open && <div className={classes.veil} aria-hidden onPointerDown={onClose} />}
    </>
  );
}

/**
 * Who was signed in when the browser was here last most likely is: their navigation keeps its place until it is known.
 */
function mayTurnOutMember(
  status: ReturnType<typeof useSession>['status'],
  profile: ReturnType<typeof useProfile>,
): boolean {
  if (status === 'loading') return sessionMarks.signedIn();
  return status === 'signed-in' && profile.data === undefined && !profile.isError;
}

/** Wherever the focus is. */
function useEscape(open: boolean, close: () => void): void {
  const onEscape = useEffectEvent(close);
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onEscape();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
}

/** A new screen takes the focus when what had it is gone: the keyboard goes on from there, not from the top. */
function useFocusOfScreens() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (path === before.current) return;
    const first = before.current === undefined;
    before.current = path;
    const { activeElement } = document;
    if (!first && (activeElement === null || activeElement === document.body)) {
      main.current?.focus({ preventScroll: true });
    }
  }, [path]);
  return main;
}

/** P2 §6: the MSP_OWNER's prompt. After a return from the provider, the account is checked first. */
function useMustConnect(profile: Profile | null): boolean {
  const isOnboarding = useScreenPath((path) => path.startsWith('/onboarding'));
  const { paymentAccountRequired } = usePublicConfig();
  if (!paymentAccountRequired || profile?.type !== 'MSP_OWNER') return false;
  return !profile.stripeAccount.finishedRequirement && !isOnboarding;
}

/** The name and its picture, here and in the browser's tab. */
function SiteName() {
  const { name, logo } = useBrand();
  useNameSite(name);
  useEffect(() => {
    document.querySelector('link[rel=icon]')?.setAttribute('href', logo ?? 'data:,');
  }, [logo]);
  return (
    <Link to="/" className={classes.name}>
      {logo && <img src={logo} alt="" className={classes.logo} />}
      <span>{name}</span>
    </Link>
  );
}

function Footer() {
  return (
    <footer className={classes.footer}>
      <nav aria-label="Legal">
        <Link to="/terms-and-conditions">Terms and Conditions</Link>
        <Link to="/privacy-policy">Privacy policy</Link>
        <Link to="/">Cookies</Link>
      </nav>
    </footer>
  );
}
