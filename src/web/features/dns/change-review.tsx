import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Zone } from '#contracts/operations/dns.ts';
import { mostCharacters } from '#contracts/values/text-limits.ts';
import { applyChanges, type ZoneChange } from '#contracts/values/zone-changes.ts';
import { changeWarnings } from '#contracts/values/zone-warnings.ts';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Conflict, conflictOf, recordsIn, useChangeZone } from './api.ts';
import { ChangeList } from './change-list.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { SaveFailure } from './record-dialog.tsx';
import { changeKey, chosenOf, mineAfter, theirsAfter } from './record-rows.ts';
import type { ZoneEditor } from './use-zone-editor.ts';

export interface ChangeReviewProps {
  domain: string;
  title: string;
  /** The zone that the changes are about. */
  base: Zone;
  changes: readonly ZoneChange[];
  /** By change: what becomes different from what was meant. */
  notes?: ReadonlyMap<number, string>;
  /** Changes that cannot be made: not chosen at first. */
  unfit?: ReadonlyMap<number, string>;
  reason?: string;
  /** Above the changes, and below them. */
  intro?: ReactNode;
  more?: ReactNode;
  /** Collects the chosen changes with others instead of saving them. */
  onCollect?: ((changes: readonly ZoneChange[]) => void) | null;
  onSaved: ZoneEditor['saved'];
  /** Gives up what a conflict is about, where changes are collected; a review leaves it out. */
  onDrop?: (theirs: Zone, dropped: readonly ZoneChange[]) => void;
  onClose: () => void;
}

const none: ReadonlyMap<number, string> = new Map();

/** The one preview before a change of several records: imports, templates, restored versions, what is put back. */
export function ChangeReview(props: ChangeReviewProps) {
  // What closes it while it is being saved would lose the word that it was, and Undo.
  const [saving, setSaving] = useState(false);
  return (
    <Dialog
      opened
      onClose={props.onClose}
      title={props.title}
      running={saving}
      size="lg"
      closeOnClickOutside={false}
    >
      <ReviewBody {...props} listLabel="Changes" closeLabel="Cancel" onSaving={setSaving} />
    </Dialog>
  );
}

/** Collected edits beside the records: the difference is in sight until it is saved or discarded. */
export function ChangeTray(props: Omit<ChangeReviewProps, 'title' | 'onClose'> & { onDiscard: () => void }) {
  const count = props.changes.length;
  return (
    <Card
      title={count === 1 ? '1 change' : `${count} changes`}
      end={<span role="status">not saved yet</span>}
    >
      <ReviewBody
        {...props}
        title=""
        onDrop={(theirs, dropped) => props.onSaved(theirs, theirs, [], dropped)}
        onClose={props.onDiscard}
        listLabel="Collected changes"
        closeLabel="Discard"
      />
    </Card>
  );
}

interface ReviewBodyProps extends ChangeReviewProps {
  /** A preview may open above collected changes: each list has a name of its own. */
  listLabel: string;
  closeLabel: string;
  onSaving?: (saving: boolean) => void;
}

function ReviewBody(props: ReviewBodyProps) {
  const { domain, notes = none, onSaving } = props;
  const review = useReview(props);
  const { conflict, save, chosen, problems } = review;
  useEffect(() => {
    onSaving?.(save.isPending);
  }, [onSaving, save.isPending]);
  const count = chosen.size;
  return (
    <Stack gap="sm">
      {props.intro}
      {review.changes.length > 0 ? (
        <ChangeList
          label={props.listLabel}
          domain={domain}
          changes={review.changes}
          notes={notes}
          problems={problems}
          warnings={review.warnings}
          chosen={chosen}
          onToggle={review.toggle}
        />
      ) : (
        <Text role="status">Nothing would change.</Text>
      )}
      {props.more}
      {review.changes.length > 0 && !props.onCollect && (
        <TextInput
          label="Reason"
          description="Optional. Saved in the history, for example a ticket number."
          value={review.reason}
          maxLength={mostCharacters.reason}
          autoComplete="off"
          onChange={(event) => review.setReason(event.currentTarget.value)}
        />
      )}
      {save.error && !conflict && <SaveFailure error={save.error} />}
      {conflict && (
        <ConflictNotice
          domain={domain}
          conflict={conflict}
          changes={review.sent}
          saving={save.isPending}
          onSaveMine={review.saveMine}
          onTakeTheirs={review.takeTheirs}
        />
      )}
      {review.blocked && (
        <Alert color="yellow" variant="light" role="status">
          Changes with a problem cannot be saved. Please deselect them.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={save.isPending} onClick={props.onClose}>
          {props.closeLabel}
        </Button>
        {!conflict && (
          <Button
            data-autofocus
            disabled={count === 0 || review.blocked || save.isPending}
            onClick={review.saveChosen}
          >
            {save.isPending
              ? 'Saving changes...'
              : `${props.onCollect ? 'Collect' : 'Save'} ${count} ${count === 1 ? 'change' : 'changes'}`}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function useReview(props: ChangeReviewProps) {
  const { domain, base, changes, unfit = none } = props;
  // What is collected later is chosen too: only what somebody leaves out is remembered, by name, as its place changes.
  const [leftOut, setLeftOut] = useState(
    () => new Set(changes.filter((_change, index) => unfit.has(index)).map(changeKey)),
  );
  const [reason, setReason] = useState(props.reason ?? '');
  const [sent, setSent] = useState<readonly ZoneChange[]>([]);
  // What was chosen: a conflict makes other changes of it.
  const [meant, setMeant] = useState<readonly ZoneChange[]>([]);
  const save = useChangeZone(domain);
  const conflict: Conflict | null = conflictOf(save.error);
  const indexes = chosenOf(changes, leftOut);
  const wanted = indexes.flatMap((index) => changes[index] ?? []);
  const result = applyChanges(domain, recordsIn(base), wanted);
  const warnings = Map.groupBy(changeWarnings(domain, wanted, result), ({ index }) => indexes[index] ?? -1);
  const against = new Map(result.problems.map(({ index, message }) => [indexes[index] ?? -1, message]));
  const send = (from: Zone, what: readonly ZoneChange[], chosen: readonly ZoneChange[]) => {
    setSent(what);
    setMeant(chosen);
    save.mutate(
      { base: from, changes: what, reason },
      { onSuccess: (after) => props.onSaved(from, after, what, chosen) },
    );
  };
  return {
    ...{ changes, reason, setReason, sent, save, conflict, warnings },
    chosen: new Set(indexes),
    problems: new Map([...unfit, ...against]),
    blocked: against.size > 0,
    toggle: (change: ZoneChange) =>
      setLeftOut((before) => {
        const next = new Set(before);
        if (!next.delete(changeKey(change))) next.add(changeKey(change));
        return next;
      }),
    saveChosen: () => (props.onCollect ? props.onCollect(wanted) : send(base, wanted, wanted)),
    saveMine: () => {
      if (!conflict) return;
      const { theirs } = conflict;
      const mine = mineAfter({ meant, sent, wanted }, recordsIn(theirs));
      if (mine.send.length > 0) return send(theirs, mine.send, mine.meant);
      save.reset();
      props.onSaved(theirs, theirs, [], mine.meant);
    },
    takeTheirs: () => {
      if (!conflict) return;
      const { dropped, kept } = theirsAfter({ meant, sent, wanted }, conflict.touched);
      save.reset();
      if (props.onDrop) return props.onDrop(conflict.theirs, dropped);
      if (kept.length === 0) return props.onClose();
      // A review that compares with the zone may propose to replace what is theirs now: nobody has chosen that.
      const keys = new Set(kept.map(changeKey));
      setLeftOut(new Set(changes.map(changeKey).filter((key) => !keys.has(key))));
    },
  };
}
