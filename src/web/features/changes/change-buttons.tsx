import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { requestText, type SettingRequest, type TemplateRequest } from '#contracts/values/changes.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { FailureText } from '../../ui/failure.tsx';
import { useMakeChange } from './api.ts';

/** Makes a change of these domains and opens its differences; nothing is applied yet. */
export function ChangeButton(props: {
  /** Or how they are found when it is pressed. */
  names: readonly string[] | (() => Promise<string[]>);
  request: SettingRequest | TemplateRequest;
  label: string;
  /** What the change is called; absent: what it does. */
  title?: string;
}) {
  const { names, request, label } = props;
  const make = useMakeChange();
  const navigate = useNavigate();
  const title = (props.title ?? requestText(request)).slice(0, mostCharacters.changeTitle);
  const targets = async () => ({
    kind: 'names' as const,
    names: typeof names === 'function' ? await names() : [...names],
  });
  const press = () =>
    make.mutate(async () => ({ title, request, targets: await targets() }), {
      onSuccess: ({ id }) => void navigate({ to: '/changes/$changeId', params: { changeId: id } }),
    });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={make.isPending || (typeof names !== 'function' && names.length === 0)}
        onClick={press}
      >
        {make.isPending ? 'Preparing...' : label}
      </Button>
      <FailureText error={make.error} />
    </>
  );
}

/** The changes that are made most often of a selection, and the way to all others. */
export function ManyChanges({ names, onDescribe }: { names: readonly string[]; onDescribe: () => void }) {
  return (
    <>
      <ChangeButton names={names} request={{ kind: 'auto-renew', enabled: true }} label="Auto renew on" />
      <ChangeButton names={names} request={{ kind: 'auto-renew', enabled: false }} label="Auto renew off" />
      <ChangeButton names={names} request={{ kind: 'lock', locked: true }} label="Lock" />
      <Button size="xs" variant="default" disabled={names.length === 0} onClick={onDescribe}>
        Change...
      </Button>
    </>
  );
}
