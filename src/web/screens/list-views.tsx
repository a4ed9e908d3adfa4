import type { ViewScreen } from '#contracts/operations/views.ts';
import { useMay } from '../features/users/api.ts';
import { SavedViews } from '../features/views/saved-views.tsx';

/** The saved views of a list, for people who have some. */
export function ListViews({ screen }: { screen: ViewScreen }) {
  const mayUse = useMay('views.use');
  const mayManage = useMay('users.manage');
  return mayUse && <SavedViews screen={screen} mayManage={mayManage} />;
}
