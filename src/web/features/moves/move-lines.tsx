import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { MoveLine } from '#contracts/operations/moves.ts';
import { countText, usdText } from '#contracts/values/format.ts';
import { Chip } from '../../ui/chip.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { DomainName } from '../../ui/domain-name.tsx';
import { FailureText } from '../../ui/failure.tsx';
import { FoldedText } from '../../ui/folded-text.tsx';
import { useChangeLines, useLookAgain } from './api.ts';
import { CodeDialog } from './code-dialog.tsx';
import classes from './move-lines.module.css';
import { mayAccept, mayKeep, registrationText, stages, unlockLetter } from './texts.ts';
import { ZoneSheet } from './zone-sheet.tsx';

interface ListProps {
  moveId: string;
  lines: readonly MoveLine[];
  /** Cancels a transfer; the dialog is the screen's. */
  cancel: {
    run: (domain: string, done: () => void) => void;
    running: boolean;
    error: Error | null;
    /** What went wrong with one domain is not said of the next. */
    forget: () => void;
  };
}

type Open = { kind: 'code' | 'zone' | 'cancel'; line: MoveLine } | null;

/** Every line: what will happen or where it is, what should be known, and the one act that helps. */
export function MoveLines({ moveId, lines, cancel }: ListProps) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => {
    setOpen(null);
    cancel.forget();
  };
  /** As it is by now: it may have gone on since it was opened. */
  const now = (line: MoveLine) => lines.find(({ id }) => id === line.id) ?? line;
  return (
    <>
      <ul className={classes.lines}>
        {lines.map((line) => (
          <Line key={line.id} moveId={moveId} line={line} onOpen={(kind) => setOpen({ kind, line })} />
        ))}
      </ul>
      {open?.kind === 'code' && <CodeDialog moveId={moveId} line={open.line} onClose={close} />}
      <ZoneSheet moveId={moveId} line={open?.kind === 'zone' ? now(open.line) : null} onClose={close} />
      <ConfirmDialog
        opened={open?.kind === 'cancel'}
        title={`Cancel the transfer of ${open?.line.domain}?`}
        confirmLabel="Cancel the transfer"
        cancelLabel="Keep it"
        runningLabel="Cancelling..."
        running={cancel.running}
        error={cancel.error}
        danger
        onConfirm={() => open && cancel.run(open.line.domain, close)}
        onClose={close}
      >
        The domain stays at its current registrar, and what was reserved for it is released.
      </ConfirmDialog>
    </>
  );
}

function Line(props: { moveId: string; line: MoveLine; onOpen: (kind: 'code' | 'zone' | 'cancel') => void }) {
  const { line, moveId } = props;
  const { label, tone } = stages[line.stage];
  return (
    <li data-stage={line.stage}>
      <div className={classes.name}>
        {line.readable ? (
          <DomainName
            name={line.domain}
            copy={false}
            {...(['arriving', 'held', 'differs', 'done'].includes(line.stage)
              ? { to: `/domain/${line.domain}` }
              : {})}
          />
        ) : (
          line.domain || '(no name)'
        )}
        <p className={classes.small}>Line {line.number}</p>
      </div>
      <div>
        <Chip tone={tone}>{label}</Chip>
        {line.price !== null && line.stage === 'ready' && (
          <p className={`${classes.small} number`}>{usdText(line.price)}</p>
        )}
      </div>
      <div>
        <p>
          <FoldedText about={line.domain}>{line.text}</FoldedText>
        </p>
        {isBefore(line) && registrationText(line) !== '' && (
          <p className={classes.small}>{registrationText(line)}</p>
        )}
        {line.warnings.map((warning) => (
          <p key={warning} className={classes.warning}>
            {warning}
          </p>
        ))}
        {line.expectedBy && (
          <p className={classes.small}>
            Expected by <DateTime at={line.expectedBy} />
          </p>
        )}
      </div>
      <Acts {...props} moveId={moveId} />
    </li>
  );
}

const recordsText = (count: number) => (count === 1 ? '1 record' : `${countText(count)} records`);
const isBefore = ({ stage }: MoveLine) => ['ready', 'blocked', 'left-out'].includes(stage);

const actLook = { size: 'xs', variant: 'default' } as const;
/** Every line has the same buttons: which line one is for is heard with it. */
const aboutLine = (text: string, { domain }: MoveLine) => `${text}: ${domain}`;

function Act(props: { line: MoveLine; label: string; disabled?: boolean; onClick: () => void }) {
  const { line, label, disabled = false, onClick } = props;
  return (
    <Button {...actLook} disabled={disabled} aria-label={aboutLine(label, line)} onClick={onClick}>
      {label}
    </Button>
  );
}

function Acts({
  moveId,
  line,
  onOpen,
}: {
  moveId: string;
  line: MoveLine;
  onOpen: (kind: 'code' | 'zone' | 'cancel') => void;
}) {
  const change = useChangeLines(moveId);
  const look = useLookAgain(moveId);
  const lineIds = [line.id];
  const about = (text: string) => aboutLine(text, line);
  return (
    <div className={classes.acts}>
      {line.help === 'code' && <Act line={line} label="New code" onClick={() => onOpen('code')} />}
      {line.help === 'unlock' && (
        <Button {...actLook} component="a" href={unlockLetter([line])} aria-label={about('Ask for unlock')}>
          Ask for unlock
        </Button>
      )}
      {(['look', 'unlock', 'keep'].includes(line.help ?? '') || line.stage === 'held') && (
        <Act
          line={line}
          label={look.isPending ? 'Checking...' : 'Check again'}
          disabled={look.isPending}
          onClick={() => look.mutate(lineIds)}
        />
      )}
      {mayAccept(line) && <Act line={line} label="See what has changed" onClick={() => onOpen('zone')} />}
      {line.help === 'bring' && !mayAccept(line) && (
        <Act
          line={line}
          label="Serve its records here"
          disabled={change.isPending}
          onClick={() => change.mutate({ lineIds, dns: 'bring' })}
        />
      )}
      {mayKeep(line) && (
        <Act
          line={line}
          label="Keep its nameservers"
          disabled={change.isPending}
          onClick={() => change.mutate({ lineIds, dns: 'keep' })}
        />
      )}
      {line.help === 'cancel' && <Act line={line} label="Cancel" onClick={() => onOpen('cancel')} />}
      {line.stage === 'ready' && line.zone && line.zone.records > 0 && (
        <NativeSelect
          size="xs"
          aria-label={about('DNS')}
          value={line.dns}
          disabled={change.isPending}
          data={[
            { value: 'keep', label: 'Keep its nameservers' },
            { value: 'bring', label: 'Serve its records here' },
          ]}
          onChange={(event) =>
            change.mutate({ lineIds, dns: event.currentTarget.value === 'bring' ? 'bring' : 'keep' })
          }
        />
      )}
      {line.zone && <Act line={line} label={recordsText(line.zone.records)} onClick={() => onOpen('zone')} />}
      {isBefore(line) && line.readable && (
        <Act
          line={line}
          label={line.stage === 'left-out' ? 'Include again' : 'Leave out'}
          disabled={change.isPending}
          onClick={() => change.mutate({ lineIds, leftOut: line.stage !== 'left-out' })}
        />
      )}
      <FailureText error={change.error ?? look.error} />
    </div>
  );
}
