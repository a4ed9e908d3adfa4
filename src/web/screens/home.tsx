import { IconUsers, IconUsersGroup, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { renewSoonDays } from '#contracts/values/domain-life.ts';
import { useOverview } from '../features/overview/api.ts';
import { useProfile } from '../features/users/api.ts';
import { useBrand } from '../features/users/brand.ts';
import { Guard } from '../features/users/guard.tsx';
import { landingHeading, landingText } from '../lib/headings.ts';
import { usePublicConfig, useSession } from '../lib/session.tsx';
import { lazily } from '../ui/lazily.tsx';
import { PlainButton } from '../ui/plain-button.tsx';
import { useDocumentTitle } from '../ui/site-name.ts';
import classes from './home.module.css';

const LandingMore = lazily(() => import('./landing-more.tsx'));

/** `/`: tiles when signed in, the landing page when not (P2 §1 and §2). */
export default function HomeScreen({ overview }: { overview: ReactNode }) {
  const session = useSession();
  const profile = useProfile();
  if (session.status === 'loading' && !profile.isPlaceholderData) return null;
  if (session.status === 'signed-out') return <Landing />;
  return (
    <Guard>
      <Tiles overview={overview} />
    </Guard>
  );
}

function Landing() {
  const session = useSession();
  const brand = useBrand();
  const ofMsp = usePublicConfig().appType === 'msp';
  useDocumentTitle(landingHeading);
  return (
    <>
      <div className={classes.landing}>
        <h1>{landingHeading}</h1>
        <p>{landingText(ofMsp, brand)}</p>
        {session.problem && (
          <p role="alert" className={classes.problem}>
            {session.problem}
          </p>
        )}
        <PlainButton size="md" onClick={() => void session.signIn()}>
          Get Started Today
        </PlainButton>
      </div>
      {ofMsp && (
        <Suspense fallback={null}>
          <LandingMore />
        </Suspense>
      )}
    </>
  );
}

function Tiles({ overview }: { overview: ReactNode }) {
  const profile = useProfile();
  const config = usePublicConfig();
  const own = profile.data?.authorizedClientId;
  useDocumentTitle(own ? 'Your domains and certificates' : 'Search for domains');
  // P2 §2 and decisions no. 13.
  const users = profile.data?.type === 'MSP_ADMIN' && config.appType !== 'client';
  const counts = useOverview(profile.data != null).data;
  const { domains, customers, people } = counts ?? {};
  const tiles = [
    {
      ...{ to: '/domain/list', title: 'Domains', Icon: IconWorld, text: 'Expiry, DNS and certificates' },
      figures:
        domains && ([domains.held, 'held', domains.expiring, `expire in ${renewSoonDays} days`] as const),
    },
    own
      ? {
          ...{ to: `/customers/${own}`, title: 'Contacts', Icon: IconUsers },
          ...{ text: 'Who owns and manages them', figures: null },
        }
      : {
          ...{ to: '/customers', title: 'Customers', Icon: IconUsers, text: 'Contacts, billing and markups' },
          figures:
            customers && ([customers.total, 'in all', customers.billedDirectly, 'billed directly'] as const),
        },
    ...(users
      ? [
          {
            ...{ to: '/users', title: 'Users', Icon: IconUsersGroup, text: 'People and invitations' },
            figures:
              people &&
              ([
                ...[people.users, people.users === 1 ? 'person' : 'people'],
                ...[people.invites, people.invites === 1 ? 'open invite' : 'open invites'],
              ] as const),
          },
        ]
      : []),
  ];
  return (
    <>
      <ul className={classes.tiles}>
        {tiles.map(({ to, title, text, figures, Icon }) => (
          <li key={to}>
            <Link to={to} className={classes.tile}>
              <Icon size={20} stroke={1.8} aria-hidden />
              <strong>{title}</strong>
              <span>
                {figures ? (
                  <>
                    <b className="number">{figures[0]}</b> {figures[1]} ·{' '}
                    <b className="number">{figures[2]}</b> {figures[3]}
                  </>
                ) : (
                  text
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>{overview}</Suspense>
    </>
  );
}
