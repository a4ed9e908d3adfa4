import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { CallBody } from '../../lib/operations.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useMakeChange } from './api.ts';

/** Opens the difference that mends a finding, ready to be applied, for one domain or for many. */
export function FixButton(props: {
  /** What is mended, in a few words. */
  finding: string;
  label: string;
  /** What to do, as findings have it, and in which domains. Asked when it is pressed. */
  wish: () => Promise<{ fix: object; names: readonly string[] }>;
}) {
  const { finding, wish } = props;
  const make = useMakeChange();
  const navigate = useNavigate();
  const press = () =>
    make.mutate(
      async () => {
        const { fix, names } = await wish();
        return {
          ...{ title: `Fix: ${finding}`.slice(0, 100), request: fix as CallBody<'POST /changes'>['request'] },
          targets: { kind: 'names', names: [...names] },
        };
      },
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
      <FailureText error={make.error} />
    </>
  );
}
