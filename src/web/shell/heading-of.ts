import { headings } from '../lib/headings.ts';
import { headerOf } from './header-title.ts';

export interface Heading {
  text: string;
  /** Where it is: above every screen, or the screen's own; `trail`: the way to the screen comes before it. */
  place: 'shell' | 'screen' | 'trail';
}

/** The heading that a member will see there; null: their data decides. */
export function headingOf(path: string, mayBuy: boolean): Heading | null {
  const { title } = headerOf(path, false, mayBuy);
  if (title !== null) return { text: title, place: 'shell' };
  const own = Object.entries(headings).find(([address]) => address === path);
  if (own) return { text: own[1], place: 'screen' };
  const [, domain] = /^\/domain\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:\/[a-z]+)?$/i.exec(path) ?? [];
  // A name of other letters is shown in those.
  return domain && !/(^|\.)xn--/i.test(domain) ? { text: domain.toLowerCase(), place: 'trail' } : null;
}
