import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Typing } from '../features/domains/search-box.tsx';
import { type Choice, useChoices } from './choices.ts';
import classes from './go-to-list.module.css';

/** Below the search field: where what was typed may lead, in groups. The field has the focus and hands its keys over. */
export default function GoToList(typing: Typing) {
  const { id, text, keys, onActive, onClose } = typing;
  const panel = useRef<HTMLDivElement>(null);
  const { groups, loading, failed } = useChoices(typing);
  const choices = groups.flatMap((group) => group.choices);
  const { active, point, press } = useActive(text, choices, loading && typing.first === 'go');
  const activeId = active === null ? null : `${id}-${active}`;
  // With the list itself: the field never points at another option than the one that is marked, and its next key finds this list.
  useLayoutEffect(() => {
    keys.current = press;
  });
  useLayoutEffect(() => {
    onActive(activeId);
    return () => onActive(null);
  }, [activeId, onActive]);
  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      if (!panel.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [onClose]);
  let index = -1;
  return (
    // The field keeps the focus: what is pressed here does not take it.
    <div ref={panel} className={classes.panel} onPointerDown={(event) => event.preventDefault()}>
      {choices.length > 0 && (
        <div id={id} role="listbox" aria-label="Matches" className={classes.list}>
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: groups of a list box are such elements (ARIA practices).
            <div key={group.title} role="group" aria-label={group.title}>
              <div className={classes.title} aria-hidden>
                {group.title}
              </div>
              {group.choices.map((choice) => {
                index += 1;
                const mine = index;
                return (
                  <Option
                    key={choice.key}
                    id={`${id}-${mine}`}
                    choice={choice}
                    active={mine === active}
                    onPoint={() => point(mine)}
                  />
                );
              })}
            </div>
          ))}
        </div>
      )}
      {/* How many there are is seen; that some may be missing is not. */}
      <div
        role="status"
        className={choices.length > 0 && (loading || !failed) ? classes.status : classes.nothing}
      >
        {loading ? 'Searching...' : failed ? failedText : countText(choices.length)}
      </div>
    </div>
  );
}

/**
 * Which choice is active: the one that somebody has moved to, as long as it is in the list, wherever it has come to lie;
 * otherwise the first. `mayCome`: what comes first is still looked for, so that Enter waits for it.
 */
function useActive(text: string, choices: readonly Choice[], mayCome: boolean) {
  const [moved, setMoved] = useState<{ text: string; key: string } | null>(null);
  const [entered, setEntered] = useState<string | null>(null);
  const movedTo = moved?.text === text ? choices.findIndex(({ key }) => key === moved.key) : -1;
  const active = choices.length === 0 ? null : Math.max(movedTo, 0);
  const run = active === null ? undefined : choices[active]?.run;
  const due = entered === text && !mayCome;
  useEffect(() => {
    if (!due) return;
    setEntered(null);
    run?.();
  }, [due, run]);
  function point(to: number) {
    const choice = choices[to];
    if (choice) setMoved({ text, key: choice.key });
  }
  function press(key: string): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined && active !== null) {
      point((active + step + choices.length) % choices.length);
      return true;
    }
    if (key !== 'Enter' || (!run && !mayCome)) return false;
    if (mayCome && movedTo <= 0) setEntered(text);
    else run?.();
    return true;
  }
  return { active, press, point };
}

const failedText = 'Not everything could be searched. Please try again.';

function countText(count: number): string {
  if (count === 0) return 'Nothing found';
  return count === 1 ? '1 match' : `${count} matches`;
}

function Option(props: { id: string; choice: Choice; active: boolean; onPoint: () => void }) {
  const { id, choice, active, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys for the whole list.
    // biome-ignore lint/a11y/useFocusableInteractive: the field points at it with aria-activedescendant.
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={active}
      className={classes.option}
      onPointerMove={onPoint}
      onClick={choice.run}
    >
      <span className={classes.label}>{choice.label}</span>
      {choice.description && <span className={classes.description}>{choice.description}</span>}
      {active && <kbd aria-hidden>Enter</kbd>}
    </div>
  );
}
