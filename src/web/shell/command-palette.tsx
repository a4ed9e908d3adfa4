import { Loader, Modal, ScrollArea } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMay } from '../features/users/api.ts';
import { type Choice, useChoices } from './choices.ts';
import classes from './command-palette.module.css';

/** Ctrl K: go to a domain, a customer, a certificate or a screen, buy a name, or act. The first choice is chosen. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const staff = useMay('customers.create');
  const { groups, loading } = useChoices(text, onClose);
  const choices = groups.flatMap((group) => group.choices);
  const active = Math.min(at, choices.length - 1);
  const idOf = (index: number) => `${list}-${index}`;

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      setAt((active + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choices[active]?.run();
    }
  }
  let index = -1;
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Commands">
        <div className={classes.field}>
          <input
            data-autofocus
            role="combobox"
            aria-label="Commands"
            aria-expanded={choices.length > 0}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={active >= 0 ? idOf(active) : undefined}
            placeholder={
              staff ? 'Go to a domain, a customer, an order or a screen' : 'Go to a domain or a screen'
            }
            value={text}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          {loading && <Loader size="xs" />}
        </div>
        <ScrollArea.Autosize mah="24rem">
          <div id={list} role="listbox" aria-label="Commands" className={classes.list}>
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: groups of a list box are such elements (ARIA practices).
              <div key={group.title} role="group" aria-label={group.title}>
                <p className={classes.title} aria-hidden>
                  {group.title}
                </p>
                {group.choices.map((choice) => {
                  index += 1;
                  const mine = index;
                  return (
                    <Option
                      key={choice.key}
                      id={idOf(mine)}
                      choice={choice}
                      active={mine === active}
                      onPoint={() => setAt(mine)}
                    />
                  );
                })}
              </div>
            ))}
          </div>
          <p role="status" className={classes.nothing} hidden={choices.length > 0}>
            {loading ? 'Searching...' : 'Nothing found'}
          </p>
        </ScrollArea.Autosize>
      </Modal.Content>
    </Modal.Root>
  );
}

function Option(props: { id: string; choice: Choice; active: boolean; onPoint: () => void }) {
  const { id, choice, active, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // The field keeps the focus and the keys; the pointer works here.
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
      <span>{choice.label}</span>
      {choice.description && <span className={classes.description}>{choice.description}</span>}
    </div>
  );
}
