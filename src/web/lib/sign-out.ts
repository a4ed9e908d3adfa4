import { sessionMarks } from './session-marks.ts';
import { openChannel } from './tab-channel.ts';
import { beTabOf } from './tab-owner.ts';

const otherTabs = openChannel('nameward.session');

/** The person signs out: this tab is nobody's from here on, no other tab of the browser stays theirs, and no start asks for them. */
export function tellSignOut(): void {
  sessionMarks.forgetPerson();
  beTabOf(null);
  otherTabs?.postMessage('signed-out');
}

/** After a sign-out in another tab nothing of the person stays here: a new page has no token. Returns what ends it. */
export function followSignOut(): () => void {
  const leave = () => {
    // Perhaps the provider has named the person here once more before this was heard.
    sessionMarks.forgetPerson();
    beTabOf(null);
    window.location.assign('/');
  };
  // Who goes back may be met with the page as it was, and the person and their token with it.
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted && sessionMarks.isLeft()) leave();
  };
  otherTabs?.addEventListener('message', leave);
  window.addEventListener('pageshow', onShow);
  return () => {
    otherTabs?.removeEventListener('message', leave);
    window.removeEventListener('pageshow', onShow);
  };
}
