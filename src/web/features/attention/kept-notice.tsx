import { Alert, Text } from '@mantine/core';
import { worseText } from '#contracts/values/put-off.ts';
import type { NotChanged } from './put-off.ts';

/** An entry that was not changed, as it is now, and why. In the list it may have gone to another place, or out of what is filtered. */
export function KeptNotice({ kept, onClose }: { kept: NotChanged; onClose: () => void }) {
  const { item, text } = kept;
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      title={text === worseText ? 'Not postponed' : 'Not changed'}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <Text size="sm">{text}</Text>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {`${item.name ?? ''} ${item.title}`.trim()}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {[item.detail, item.when].filter(Boolean).join(' · ')}
      </Text>
    </Alert>
  );
}
