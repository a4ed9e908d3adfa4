import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Leads to `to` in place of this screen, once; null: stays. */
export function useRedirect(to: string | null): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (to !== null) void navigate({ to, replace: true });
  }, [to, navigate]);
}
