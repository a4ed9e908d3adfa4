import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Change } from '#contracts/operations/changes.ts';
import { mayAct } from '#contracts/values/changes.ts';
import { needsFreshSignIn } from '../../lib/api-error.ts';
import { useSession } from '../../lib/session.tsx';
import { AskedButton } from '../../ui/asked-button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { FreshSignIn } from '../../ui/fresh-sign-in.tsx';
import { SpokenProgress } from '../../ui/spoken-progress.tsx';
import { type PlainAct, useChangeAct, useDiscardChange, useStartChange } from './api.ts';
import { changeStates, domainsText, offersUndo, progressOf, undoTexts } from './change-words.ts';

/** What can be done with a change now; the one that leads on is the primary one. */
export function ChangeActs({ change, describe }: { change: Change; describe: (() => void) | null }) {
  const { id, state, round, counts } = change;
  const navigate = useNavigate();
  const open = (made: Change) => void navigate({ to: '/changes/$changeId', params: { changeId: made.id } });
  return (
    <Group gap="xs">
      {mayAct(state, 'discard') && <Discard id={id} />}
      {describe && mayAct(state, 'describe') && (
        <Button variant="default" onClick={describe}>
          Describe differently
        </Button>
      )}
      {mayAct(state, 'look') && <Act id={id} act="look" label="Look again" running="Looking..." />}
      {mayAct(state, 'cancel') && <End change={change} />}
      {mayAct(state, 'pause') && <Act id={id} act="pause" label="Pause" running="Pausing..." />}
      {offersUndo(change) && <Act id={id} act="undo" label="Undo" running="Preparing..." onDone={open} />}
      {mayAct(state, 'resume') && <Act id={id} act="resume" label="Resume" running="Resuming..." primary />}
      {mayAct(state, 'apply') && (
        <Start
          id={id}
          act="apply"
          round={round}
          count={counts.ready}
          label={`Apply to ${domainsText(counts.ready)}`}
        />
      )}
      {mayAct(state, 'retry') && (
        <Start
          id={id}
          act="retry"
          round={round}
          count={counts.failed + counts.moved}
          label={`Try ${domainsText(counts.failed + counts.moved)} again`}
        />
      )}
    </Group>
  );
}

function Failure({ error }: { error: Error | null }) {
  const session = useSession();
  if (needsFreshSignIn(error)) {
    return <FreshSignIn what="unlock domains" onSignIn={() => void session.signIn({ fresh: true })} />;
  }
  return <FailureText error={error} />;
}

function Start(props: { id: string; act: 'apply' | 'retry'; round: number; count: number; label: string }) {
  const { count: expected, round } = props;
  const start = useStartChange(props.id, props.act);
  return (
    <>
      <Failure error={start.error} />
      <Button disabled={start.isPending || expected === 0} onClick={() => start.mutate({ expected, round })}>
        {start.isPending ? 'Starting...' : props.label}
      </Button>
    </>
  );
}

function Act(props: {
  id: string;
  act: PlainAct;
  label: string;
  running: string;
  primary?: boolean;
  onDone?: (change: Change) => void;
}) {
  const act = useChangeAct(props.id, props.act);
  return (
    <>
      <Failure error={act.error} />
      <Button
        variant={props.primary ? 'filled' : 'default'}
        disabled={act.isPending}
        onClick={() => act.mutate(undefined, { onSuccess: (change) => props.onDone?.(change) })}
      >
        {act.isPending ? props.running : props.label}
      </Button>
    </>
  );
}

function Discard({ id }: { id: string }) {
  const discard = useDiscardChange(id);
  const navigate = useNavigate();
  return (
    <AskedButton
      label="Discard"
      button={{ c: 'var(--bad)' }}
      title="Discard this change"
      runningLabel="Discarding..."
      running={discard.isPending}
      error={discard.error}
      danger
      onConfirm={() => discard.mutate(undefined, { onSuccess: () => void navigate({ to: '/changes' }) })}
    >
      Nothing was changed. The description and the differences are deleted.
    </AskedButton>
  );
}

function End({ change }: { change: Change }) {
  const cancel = useChangeAct(change.id, 'cancel');
  const { counts } = change;
  const left = counts.queued + counts.failed + counts.moved;
  return (
    <AskedButton
      label="End"
      button={{ c: 'var(--bad)' }}
      title="End this change"
      runningLabel="Ending..."
      running={cancel.isPending}
      error={cancel.error}
      danger
      onConfirm={(close) => cancel.mutate(undefined, { onSuccess: close })}
    >
      {domainsText(counts.done)} {counts.done === 1 ? 'stays' : 'stay'} changed. {domainsText(left)}{' '}
      {left === 1 ? 'is' : 'are'} not changed any more.
    </AskedButton>
  );
}

/** What came of it, or what it waits for. */
function endText({ state, counts }: Change): string {
  const { ready, done, failed, moved } = counts;
  const known = Object.entries({ ready, done, failed, 'not as shown': moved }).filter(
    ([, count]) => count > 0,
  );
  return [changeStates[state].text, ...known.map(([what, count]) => `${count} ${what}`)].join(', ');
}

/** How far it is, why it waits, and what took it back. */
export function ChangeProgress({ change }: { change: Change }) {
  const { state, note } = change;
  const { done, of } = progressOf(change);
  const isRunning = state === 'draft' || state === 'running' || state === 'paused';
  const [beforeUndo, afterUndo] = undoTexts(change);
  const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
  const words = { draft: 'Looking', running: 'Applying', paused: 'Paused' } as const;
  return (
    <Stack gap="md">
      <SpokenProgress {...{ done, of }} running={isRunning ? words[state] : null} end={endText(change)} />
      {isRunning && (
        <Card title="Progress">
          <Stack gap="xs">
            <Text className="number">
              {words[state]}: {done} of {domainsText(of)}
            </Text>
            <Progress value={percent} animated={state !== 'paused'} aria-label="Progress" />
            <Text size="sm" c="dimmed">
              {state === 'paused'
                ? note || 'Nothing more is changed until somebody resumes it.'
                : 'You can leave this page. It continues in the background.'}
            </Text>
          </Stack>
        </Card>
      )}
      {change.undoneBy && (
        <Alert color="blue" variant="light" role="status">
          {beforeUndo}
          <Link to="/changes/$changeId" params={{ changeId: change.undoneBy }}>
            another change
          </Link>
          {afterUndo}
        </Alert>
      )}
      {change.undoes && (
        <Alert color="blue" variant="light" role="status">
          This takes back{' '}
          <Link to="/changes/$changeId" params={{ changeId: change.undoes }}>
            an earlier change
          </Link>{' '}
          where things still are as it left them.
        </Alert>
      )}
    </Stack>
  );
}
