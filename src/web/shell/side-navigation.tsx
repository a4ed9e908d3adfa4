import { IconHelp } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { Fragment, memo } from 'react';
import type { Overview } from '#contracts/operations/overview.ts';
import { countText } from '#contracts/values/format.ts';
import { useOverview } from '../features/overview/api.ts';
import { useProfile } from '../features/users/api.ts';
import entry from '../ui/menu-entry.module.css';
import { activePlace, type Place, usePlaces } from './places.ts';

/** The figure beside an entry: how many there are, or how many of them need somebody. */
function numberOf(to: string, counts: Overview | undefined): { text: string; needs: boolean } | null {
  const { domains, certificates, customers, charges, attention } = counts ?? {};
  const plain = (count: number | undefined) => (count ? { text: countText(count), needs: false } : null);
  if (to === '/attention') {
    return attention?.now ? { text: `${countText(attention.now)} now`, needs: true } : plain(attention?.soon);
  }
  // As many as its list has: those that are on their way here too.
  if (to === '/domain/list') return plain(domains ? domains.held + domains.transferring : undefined);
  if (to === '/domain/renewals') return plain(domains?.lapsing);
  if (to === '/customers') return plain(customers?.total);
  if (to === '/certificates' && certificates?.flagged)
    return { text: `${countText(certificates.flagged)} to do`, needs: true };
  if (to === '/direct-billing' && charges?.failed)
    return { text: `${countText(charges.failed)} failed`, needs: true };
  return null;
}

/** Help, customers and domain management for people who are signed in (P2 §2), and what else the role allows. */
export default function SideNavigation({
  onNavigate,
  onHelp,
}: {
  onNavigate: () => void;
  onHelp: () => void;
}) {
  const profile = useProfile();
  const places = usePlaces();
  const active = useLocation({ select: ({ pathname }) => activePlace(pathname, places) });
  const isItself = useLocation({ select: ({ pathname }) => pathname === active });
  const counts = useOverview(profile.data != null).data;
  if (!profile.data) return null;
  return (
    <>
      {places.map(({ to, label, group, Icon }, position) => (
        <Fragment key={to}>
          {group !== places[position - 1]?.group && <p className={entry.heading}>{group}</p>}
          <Entry
            {...{ to, label, Icon, onNavigate }}
            current={to !== active ? 'none' : isItself ? 'itself' : 'within'}
            {...numberOf(to, counts)}
          />
        </Fragment>
      ))}
      <button
        type="button"
        className={entry.entry}
        onClick={() => {
          onNavigate();
          onHelp();
        }}
      >
        <IconHelp size={16} stroke={1.8} aria-hidden />
        Help
      </button>
    </>
  );
}

interface EntryProps extends Omit<Place, 'group'> {
  /** Whether its own screen is shown, or one below it. */
  current: 'none' | 'within' | 'itself';
  /** Drawn beside its name. */
  text?: string;
  needs?: boolean;
  onNavigate: () => void;
}

/** Who goes elsewhere has two of them drawn again, and not all. */
const Entry = memo(function Entry({ to, label, Icon, current, text, needs, onNavigate }: EntryProps) {
  return (
    <Link
      to={to}
      className={entry.entry}
      data-active={current !== 'none' || undefined}
      aria-current={current === 'itself' ? 'page' : current === 'within' || undefined}
      onClick={onNavigate}
    >
      <Icon size={16} stroke={1.8} aria-hidden />
      {label}
      {text && <span className="number" data-number={needs ? 'bad' : 'plain'} data-text={text} />}
    </Link>
  );
});
