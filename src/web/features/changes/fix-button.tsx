import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { CallBody } from '../../lib/operations.ts';
import { useMakeChange } from './api.ts';

/** Opens the difference that mends a finding, ready to be applied, for one domain or for many. */
export function FixButton(props: {
  /** What is mended, in a few words. */
  finding: string;
  /** As the finding has it. */
  fix: object;
  label: string;
  /** Asked when it is pressed. */
  namesOf: () => Promise<readonly string[]>;
}) {
  const { finding, fix, namesOf } = props;
  const make = useMakeChange();
  const navigate = useNavigate();
  const press = () =>
    make.mutate(
      async () => ({
        ...{ title: `Fix: ${finding}`.slice(0, 100), request: fix as CallBody<'POST /changes'>['request'] },
        targets: { kind: 'names', names: [...(await namesOf())] },
      }),
      { onSuccess: ({ id }) => void navigate({ to: '/changes/$changeId', params: { changeId: id } }) },
    );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={make.isPending}
        aria-label={`${props.label}: ${finding}`}
        onClick={press}
      >
        {make.isPending ? 'Preparing...' : props.label}
      </Button>
      {make.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          {make.error.message}
        </Text>
      )}
    </>
  );
}
