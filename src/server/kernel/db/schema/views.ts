import type { At } from './columns.ts';

export interface SavedViewsTable {
  id: string;
  organisation_id: string;
  user_id: string;
  screen: string;
  name: string;
  query: string;
  shared: boolean;
  created_at: At;
}
