import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isOfferedHere } from '#contracts/values/domain-name.ts';
import { useDomainHealth } from '../features/health/api.ts';
import { HealthTab } from '../features/health/health-tab.tsx';
import { heldText } from '../features/health/held-text.ts';
import { RemoveDialog } from '../features/health/watched-bar.tsx';
import { keepNamesToMove } from '../features/moves/names-to-move.ts';
import { useMay } from '../features/users/api.ts';
import { ApiError } from '../lib/api-error.ts';
import { Day } from '../ui/date-time.tsx';
import { ErrorState } from '../ui/error-state.tsx';

/** A name that is held elsewhere: where, until when, and what is wrong with it. `otherwise`: it is not watched. */
export function WatchedDomain({ domain, otherwise }: { domain: string; otherwise: ReactNode }) {
  const health = useDomainHealth(domain);
  const mayWatch = useMay('domains.watch');
  const mayBuy = useMay('orders.purchase') && isOfferedHere(domain);
  const navigate = useNavigate();
  const [removing, setRemoving] = useState(false);
  if (health.error instanceof ApiError && health.error.code === 'not_found') return otherwise;
  if (!health.data) {
    if (health.error) return <ErrorState error={health.error} onRetry={health.refetch} />;
    return (
      <Stack role="status" aria-label="Loading domain...">
        <Skeleton height={36} />
        <Skeleton height={320} />
      </Stack>
    );
  }
  const { watched } = health.data;
  if (!watched) return otherwise;
  const { customerId, customer, expiresAt } = watched;
  const transfer = () => {
    keepNamesToMove([domain]);
    void navigate({ to: '/domain/moves', search: { customer: customerId ?? undefined } });
  };
  return (
    <Stack gap="md">
      <Alert color="gray" title={heldText(watched)}>
        <Stack gap="sm">
          <div>
            {customer !== '' && `${customer} · `}
            {expiresAt ? (
              <>
                Expires <Day at={expiresAt} />
              </>
            ) : (
              'Its registry shows no expiry date'
            )}
          </div>
          {(mayBuy || mayWatch) && (
            <Group gap="xs">
              {mayBuy && (
                <Button size="xs" onClick={transfer}>
                  Transfer here
                </Button>
              )}
              {mayWatch && (
                <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
                  Stop watching
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </Alert>
      <HealthTab domain={domain} mayMute={mayWatch} />
      {removing && (
        <RemoveDialog
          names={[domain]}
          onDone={() => void navigate({ to: '/health/watched' })}
          onClose={() => setRemoving(false)}
        />
      )}
    </Stack>
  );
}
