import { useMediaQuery } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import classes from './bottom-bar.module.css';
import { activePlace, usePlaces } from './places.ts';

const most = 5;
const common = [
  '/',
  '/domain/list',
  '/domain/renewals',
  '/certificates',
  '/customers',
  '/orders',
  '/account',
];
const short: Readonly<Record<string, string>> = { 'Domain management': 'Domains' };

/** On small screens: the five places that people go to most, within reach of a thumb. */
export default function BottomBar() {
  const small = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
  const { pathname } = useLocation();
  const places = usePlaces();
  if (!small) return null;
  const active = activePlace(pathname, places);
  const offered = common.flatMap((to) => places.find((place) => place.to === to) ?? []).slice(0, most);
  return (
    <nav aria-label="Quick navigation" className={classes.bar}>
      {offered.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          data-active={to === active || undefined}
          aria-current={to === active ? 'page' : undefined}
        >
          <Icon size={20} stroke={1.8} aria-hidden />
          {short[label] ?? label}
        </Link>
      ))}
    </nav>
  );
}
