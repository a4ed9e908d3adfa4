import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { HealthFinding } from '#contracts/operations/health.ts';
import { breakable } from '../../ui/breakable.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Day } from '../../ui/date-time.tsx';
import { FailureText } from '../../ui/failure.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useMuteFinding } from './api.ts';
import classes from './finding-list.module.css';
import { MuteDialog } from './mute-dialog.tsx';

const weights: Record<HealthFinding['weight'], { tone: Tone; text: string }> = {
  bad: { tone: 'bad', text: 'Fix now' },
  warn: { tone: 'warn', text: 'Fix soon' },
  note: { tone: 'plain', text: 'Advice' },
};

/** Findings: how much they weigh, what they mean, the evidence, and what to do. */
export function FindingList<F extends HealthFinding>(props: {
  findings: readonly F[];
  mayMute: boolean;
  /** Whose it is, in lists of several domains. */
  about?: (finding: F) => ReactNode;
  /** What mends it at once, where something does. */
  fix?: ((finding: F) => ReactNode) | undefined;
}) {
  const [muting, setMuting] = useState<F | null>(null);
  return (
    <>
      <ul className={classes.findings}>
        {props.findings.map((finding) => (
          <Finding
            key={finding.id}
            finding={finding}
            about={props.about?.(finding)}
            fix={finding.fix && finding.clearedAt === null ? props.fix?.(finding) : null}
            onMute={props.mayMute ? () => setMuting(finding) : null}
          />
        ))}
      </ul>
      {muting && <MuteDialog finding={muting} onClose={() => setMuting(null)} />}
    </>
  );
}

function Finding(props: {
  finding: HealthFinding;
  about: ReactNode;
  fix: ReactNode;
  onMute: (() => void) | null;
}) {
  const { finding, onMute } = props;
  const { tone, text } = weights[finding.weight];
  const isOver = finding.clearedAt !== null;
  return (
    <li data-over={isOver || undefined}>
      <div>{isOver ? <Chip tone="good">Fixed</Chip> : <Chip tone={tone}>{text}</Chip>}</div>
      <div>
        {props.about}
        <strong>{finding.title}</strong>
        <p className={classes.detail}>{breakable(finding.detail)}</p>
        {!isOver && (
          <p>
            {finding.meaning} {finding.remedy}
            {onMute && finding.certainty === 'likely' && ' If this is intended, mute this finding.'}
          </p>
        )}
        <p className={classes.seen}>
          Seen since <Day at={finding.firstSeen} />
          {finding.clearedAt && (
            <>
              , fixed <Day at={finding.clearedAt} />
            </>
          )}
          {finding.muted && (
            <>
              , muted until <Day at={finding.muted.until} />: {finding.muted.reason}
            </>
          )}
        </p>
      </div>
      <div className={classes.acts}>
        {props.fix}
        {onMute &&
          !isOver &&
          (finding.muted ? <Unmute id={finding.id} /> : <Mute {...{ finding, onMute }} />)}
      </div>
    </li>
  );
}

function Mute({ finding, onMute }: { finding: HealthFinding; onMute: () => void }) {
  return (
    <Button size="xs" variant="default" aria-label={`Mute: ${finding.title}`} onClick={onMute}>
      Mute
    </Button>
  );
}

function Unmute({ id }: { id: string }) {
  const mute = useMuteFinding();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={mute.isPending}
        onClick={() => mute.mutate({ id, muted: null })}
      >
        Unmute
      </Button>
      <FailureText error={mute.error} />
    </>
  );
}
