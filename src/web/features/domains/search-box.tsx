import { IconSearch } from '@tabler/icons-react';
import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  useCallback,
  useRef,
  useState,
} from 'react';
import { lazily } from '../../ui/lazily.tsx';
import { PlainButton } from '../../ui/plain-button.tsx';
import classes from './search-box.module.css';

/** The rules of names and the list of results are loaded when somebody begins to search. */
const loadResults = () => import('./search-results.tsx');
const SearchResults = lazily(async () => ({ default: (await loadResults()).SearchResults }));

export interface Typing {
  text: string;
  onClose: () => void;
  /** Something else was found: what was typed is of no use any more. */
  onDone: () => void;
}

export interface SearchBoxProps {
  /** In the cart already: a check mark instead of the cart icon. */
  inCart: (address: string) => boolean;
  onAdd: (address: string) => void;
  /** A row was picked: the result screen opens for it, with the other results of the same search. */
  onPick: (address: string, searched: string) => void;
  /** What is shown below while somebody types, before they search. */
  whileTyping?: (typing: Typing) => ReactNode;
}

/** The search of P1 §2: results drop down with status and price; a row opens the result screen, the icon adds. */
export function SearchBox({ inCart, onAdd, onPick, whileTyping }: SearchBoxProps) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<{ domain: string; at: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const root = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [typing, setTyping] = useState(false);
  const close = useCallback(() => {
    setAsked(null);
    setTyping(false);
  }, []);
  const forget = useCallback(() => {
    close();
    setText('');
  }, [close]);
  const offered = typing && text.trim().length > 1;

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTyping(false);
    const { parseSearch } = await loadResults();
    const parsed = parseSearch(text);
    setProblem(parsed.ok ? null : parsed.message);
    setAsked(parsed.ok ? { domain: parsed.domain, at: Date.now() } : null);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && (asked || offered)) {
      close();
      input.current?.focus();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const rows = [...(root.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])];
    if (rows.length === 0) return;
    event.preventDefault();
    const at = rows.findIndex((row) => row.parentElement?.contains(event.target as Node));
    const next = event.key === 'ArrowDown' ? rows[Math.min(at + 1, rows.length - 1)] : rows[at - 1];
    (next ?? input.current)?.focus();
  }

  const onBlur = (event: FocusEvent) => {
    if (event.relatedTarget && !root.current?.contains(event.relatedTarget)) close();
  };
  return (
    <search ref={root} className={classes.search} onKeyDown={onKeyDown} onBlur={onBlur}>
      <form onSubmit={submit} className={classes.form}>
        <span className={classes.field}>
          <IconSearch size={16} aria-hidden />
          <input
            ref={input}
            id="domain-search"
            className={classes.input}
            aria-label="Search your next domain"
            placeholder="Search your next domain"
            aria-invalid={problem !== null}
            aria-describedby="domain-search-hint"
            value={text}
            maxLength={300}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            enterKeyHint="search"
            aria-keyshortcuts="/"
            onFocus={() => void loadResults()}
            onChange={(event) => {
              // P1 §5: lower-cased as typed.
              setText(event.currentTarget.value.toLowerCase());
              setProblem(null);
              setAsked(null);
              setTyping(true);
            }}
          />
          <kbd aria-hidden>/</kbd>
        </span>
        <PlainButton type="submit" disabled={text.trim() === ''}>
          Search
        </PlainButton>
      </form>
      <p id="domain-search-hint" className={problem ? classes.problem : classes.hint} role="status">
        {problem ?? 'Only .com domains are available at the moment.'}
      </p>
      {offered && whileTyping && (
        <Suspense fallback={null}>{whileTyping({ text, onClose: close, onDone: forget })}</Suspense>
      )}
      {asked && (
        <Suspense fallback={null}>
          <SearchResults
            key={`${asked.domain} ${asked.at}`}
            asked={asked.domain}
            inCart={inCart}
            onAdd={onAdd}
            onClose={close}
            onPick={(address) => {
              close();
              onPick(address, asked.domain);
            }}
          />
        </Suspense>
      )}
    </search>
  );
}
