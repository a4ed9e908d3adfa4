import { sessionMarks } from './session-marks.ts';

/**
 * Has the browser load what all members need while it loads the app, which asks for it only when it runs. On a slow phone with an empty
 * cache that is a second later.
 */
export function loadMemberFiles(): void {
  if (!sessionMarks.signedIn()) return;
  const page = document.querySelector<HTMLMetaElement>('meta[name="member-files"]')?.content ?? '';
  for (const href of page.split(' ').filter((file) => file.startsWith('/assets/'))) {
    const how = href.endsWith('.css') ? { rel: 'preload', as: 'style' } : { rel: 'modulepreload' };
    document.head.append(Object.assign(document.createElement('link'), { href, crossOrigin: '', ...how }));
  }
}
