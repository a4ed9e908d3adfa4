import { Alert, Button, Group, Skeleton, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { AcmeAccess } from '#contracts/operations/acme.ts';
import { ChangeAccess, RevokeAccess } from '../features/acme/access-dialogs.tsx';
import { State } from '../features/acme/access-list.tsx';
import { useAccess } from '../features/acme/api.ts';
import { changeFormOf } from '../features/acme/form-values.ts';
import { LogCard } from '../features/acme/log-card.tsx';
import { forgetKey, keyOf } from '../features/acme/made-key.ts';
import { SettingsCard } from '../features/acme/settings-card.tsx';
import { SetupCard } from '../features/acme/setup-card.tsx';
import { useDomainOf } from '../features/domains/api.ts';
import { useMay, useSignInIsOld } from '../features/users/api.ts';
import { hasDraft } from '../lib/drafts.ts';
import { useSession } from '../lib/session.tsx';
import { Breadcrumbs } from '../ui/breadcrumbs.tsx';
import { DateTime } from '../ui/date-time.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Page } from '../ui/page.tsx';

const trail = [
  { to: '/certificates', label: 'Certificates' },
  { to: '/certificates/acme', label: 'ACME access' },
];

/** /certificates/acme/{accessId}: what an access may do, how a machine is set up, and what happened. */
export default function AcmeAccessScreen() {
  const { accessId = '' } = useParams({ strict: false });
  const access = useAccess(accessId);
  if (access.data) return <Loaded key={accessId} access={access.data} />;
  return (
    <Page title="ACME access" above={<Breadcrumbs trail={trail} here="Access" />}>
      {access.error ? (
        <ErrorState error={access.error} onRetry={access.refetch} />
      ) : (
        <Stack role="status" aria-label="Loading access...">
          <Skeleton height={120} />
          <Skeleton height={280} />
        </Stack>
      )}
    </Page>
  );
}

function Loaded({ access }: { access: AcmeAccess }) {
  const session = useSession();
  const staff = useMay('orders.purchase');
  const oldSignIn = useSignInIsOld();
  const [hmacKey] = useState(() => keyOf(access.id));
  const domain = useDomainOf(access.customerId, access.hosts === null);
  // Back from the sign-in that was asked for when the change was sent.
  const [changing, setChanging] = useState(() => access.mayChange && hasDraft(changeFormOf(access)));
  const [revoking, setRevoking] = useState(false);
  // Shown once: somebody who comes back to this page finds no key.
  useEffect(() => forgetKey, []);
  return (
    <Page
      title={access.name}
      above={<Breadcrumbs trail={trail} here={access.name} />}
      below={
        <Group gap="xs">
          <State access={access} />
          <span>
            {access.customer}
            {', '}
            {access.lastUsedAt ? (
              <>
                last used <DateTime at={access.lastUsedAt} />
              </>
            ) : (
              'never used'
            )}
          </span>
        </Group>
      }
      action={
        access.mayChange ? (
          <Group gap="xs">
            <Button variant="default" onClick={() => setChanging(true)}>
              Change
            </Button>
            <Button variant="default" c="var(--bad)" onClick={() => setRevoking(true)}>
              Revoke
            </Button>
          </Group>
        ) : undefined
      }
    >
      <Stack gap="lg">
        <Notice access={access} />
        {access.state === 'active' && <SetupCard access={access} hmacKey={hmacKey} domain={domain} />}
        <SettingsCard access={access} />
        <LogCard accessId={access.id} />
      </Stack>
      {changing && (
        <ChangeAccess
          access={access}
          staff={staff}
          oldSignIn={oldSignIn}
          onClose={() => setChanging(false)}
          onSignInAgain={() =>
            void session.signIn({ fresh: true, returnPath: `/certificates/acme/${access.id}` })
          }
        />
      )}
      <RevokeAccess access={revoking ? access : null} onClose={() => setRevoking(false)} />
    </Page>
  );
}

/** Why it works no longer, or what its machine was refused last. */
function Notice({ access }: { access: AcmeAccess }) {
  if (access.ended) {
    return (
      <Alert color="gray" variant="light" role="status" title={`${access.ended.because}.`}>
        Machines that use it are refused since <DateTime at={access.ended.at} />.
      </Alert>
    );
  }
  if (!access.problem) return null;
  return (
    <Alert color="yellow" variant="light" role="alert" title="The last request did not succeed">
      {access.problem.text}
    </Alert>
  );
}
