import { Text } from '@mantine/core';

const mostShown = 5;

/** What is wrong with lines that were typed or pasted: the first few, and how many more there are. */
export function Faults({ faults }: { faults: readonly { about: string; text: string }[] }) {
  return (
    <>
      {faults.slice(0, mostShown).map(({ about, text }) => (
        <Text key={about} size="sm" c="var(--warn)" style={{ overflowWrap: 'anywhere' }}>
          {about}: {text}
        </Text>
      ))}
      {faults.length > mostShown && (
        <Text size="sm" c="dimmed">
          and {faults.length - mostShown} more
        </Text>
      )}
    </>
  );
}
