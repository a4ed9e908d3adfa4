import { useMediaQuery } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import { memo } from 'react';
import classes from './bottom-bar.module.css';
import { activePlace, type Place, usePlaces } from './places.ts';

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
  const places = usePlaces();
  const active = useLocation({ select: ({ pathname }) => activePlace(pathname, places) });
  if (!small) return null;
  const offered = common.flatMap((to) => places.find((place) => place.to === to) ?? []).slice(0, most);
  return (
    <nav aria-label="Quick navigation" className={classes.bar}>
      {offered.map(({ to, label, Icon }) => (
        <Entry key={to} {...{ to, label, Icon }} isActive={to === active} />
      ))}
    </nav>
  );
}

/** Of another place than before, two are drawn again. */
const Entry = memo(function Entry({
  to,
  label,
  Icon,
  isActive,
}: Omit<Place, 'group'> & { isActive: boolean }) {
  return (
    <Link to={to} data-active={isActive || undefined} aria-current={isActive ? 'page' : undefined}>
      <Icon size={20} stroke={1.8} aria-hidden />
      {short[label] ?? label}
    </Link>
  );
});
