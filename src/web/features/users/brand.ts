import { usePublicConfig } from '../../lib/session.tsx';
import { useProfile } from './api.ts';
import { type Brand, brandOf } from './brand-of.ts';

export function useBrand(): Brand {
  return brandOf(usePublicConfig(), useProfile().data ?? null);
}
