import { Alert, SimpleGrid, Stack } from '@mantine/core';
import type { DomainDetails } from '#contracts/operations/domain-settings.ts';
import { DateTime } from '../../ui/date-time.tsx';
import { ContactsSection, type ContactType } from './contacts-section.tsx';
import { DnsSection } from './dns-section.tsx';
import { LifeSection } from './life-section.tsx';
import { ProtectionSection } from './protection-section.tsx';

export interface DomainRights {
  /** Lock, auto renew, nameservers, contacts. */
  settings: boolean;
  unlock: boolean;
}

/** Info tab (P2 §2). */
export function InfoTab(props: {
  details: DomainDetails;
  /** The registrar is still being asked. */
  asking: boolean;
  rights: DomainRights;
  onEditContact: (type: ContactType) => void;
}) {
  const { details, rights } = props;
  return (
    <Stack gap="md">
      {!details.live && !props.asking && <CopyNotice details={details} />}
      <LifeSection details={details} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <ProtectionSection details={details} mayChange={rights.settings} mayUnlock={rights.unlock} />
        <DnsSection details={details} mayChange={rights.settings} />
      </SimpleGrid>
      <ContactsSection details={details} onEdit={rights.settings ? props.onEditContact : null} />
    </Stack>
  );
}

/** What is shown is not the registrar's word: how old it is matters. */
function CopyNotice({ details }: { details: DomainDetails }) {
  const { status, syncedAt, restorable_until: restorableUntil } = details;
  const isGone = status === 'ended' || restorableUntil !== null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {isGone ? 'This domain is no longer active.' : 'The registrar is not responding.'} The portal shows the
      details that it has
      {syncedAt ? (
        <>
          {' '}
          as of <DateTime at={syncedAt} />.
        </>
      ) : (
        ' from the order.'
      )}
    </Alert>
  );
}
