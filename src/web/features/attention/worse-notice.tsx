import { Alert, Text } from '@mantine/core';
import type { AttentionItem } from '#contracts/operations/attention.ts';
import { worseText } from '#contracts/values/put-off.ts';

/** An entry that was not postponed, as it is now. In the list it may have gone to another place, or out of what is filtered. */
export function WorseNotice({ item, onClose }: { item: AttentionItem; onClose: () => void }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      title="Not postponed"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <Text size="sm">{worseText}</Text>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {`${item.name ?? ''} ${item.title}`.trim()}
      </Text>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {[item.detail, item.when].filter(Boolean).join(' · ')}
      </Text>
    </Alert>
  );
}
