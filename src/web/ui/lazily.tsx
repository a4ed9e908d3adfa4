import { createElement, type ReactNode, use, useEffect, useEffectEvent, useReducer } from 'react';
import { PlainButton } from './plain-button.tsx';

interface Connection {
  isOffline(): boolean;
  subscribe(listener: () => void): () => void;
}

let connection: Connection = { isOffline: () => false, subscribe: () => () => undefined };

/** Whether the portal can be reached, for all parts: `lib/connection.ts`. */
export function loadPartsBy(given: Connection): void {
  connection = given;
}

/** A file that a browser could not get once is lost to the page (Chromium 150): without a network it must not even be asked for. */
const loadIfReached = <T,>(load: () => Promise<T>): Promise<T> =>
  connection.isOffline() ? Promise.reject(new Error('The portal cannot be reached.')) : load();

type Part<Props> = (props: Props) => ReactNode;

/** A part, as far as it has come. */
interface Loading<Props> {
  part: Part<Props> | null;
  failed: boolean;
  /** The latest attempt, ended or not. */
  attempt: Promise<void> | null;
  /** Begins to load unless that is under way; never rejects. */
  start(): Promise<void>;
}

function loadingOf<Props>(load: () => Promise<{ default: Part<Props> }>): Loading<Props> {
  let running: Promise<void> | null = null;
  const loading: Loading<Props> = {
    part: null,
    failed: false,
    attempt: null,
    start() {
      if (running) return running;
      const attempt: Promise<void> = loadIfReached(load).then(
        (found) => {
          loading.part = found.default;
          markEnded(attempt);
        },
        () => {
          loading.failed = true;
          running = null;
          markEnded(attempt);
        },
      );
      loading.attempt = attempt;
      running = attempt;
      return attempt;
    },
  };
  return loading;
}

/** As React marks a promise that it has seen end: what was loaded ahead is drawn at once. */
function markEnded(attempt: Promise<void>): void {
  Object.assign(attempt, { status: 'fulfilled', value: undefined });
}

/**
 * A part of the app that is loaded when it is needed. When it cannot be loaded the person reads that in its place and
 * can try again; the router's and React's own ways would leave the page, or never try again.
 */
export function lazily<Props extends object>(load: () => Promise<{ default: Part<Props> }>) {
  const loading = loadingOf(load);
  const show = (props: Props) => <Lazy<Props> loading={loading} given={props} />;
  /** Loads ahead, on intent. What fails ahead is tried again when it is shown. */
  const preload = async () => {
    await loading.start();
    loading.failed = false;
  };
  return Object.assign(show, { preload });
}

function Lazy<Props extends object>({ loading, given }: { loading: Loading<Props>; given: Props }) {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  if (!loading.part && !loading.failed) void loading.start();
  // Asked on every drawing, also when it has ended: React takes a part that once waited and then does not ask for a mistake.
  if (loading.attempt !== null) use(loading.attempt);
  if (loading.part) return createElement(loading.part, given);
  const retry = async () => {
    loading.failed = false;
    await loading.start();
    draw();
  };
  const onAsked = async () => {
    await retry();
    if (loading.failed) await reloadIfReached();
  };
  const leave = () => {
    loading.failed = false;
  };
  return <NotLoaded onReached={() => void retry()} onAsked={() => void onAsked()} onLeave={leave} />;
}

/** What the page cannot get any more, the next one can. Where there is no answer, the page stays, with what is on it. */
async function reloadIfReached(): Promise<void> {
  const answer = await fetch(window.location.href, { cache: 'no-store' }).catch(() => null);
  if (answer?.ok) window.location.reload();
}

interface NotLoadedProps {
  /** The portal answers again. */
  onReached: () => void;
  /** The person asks for it. */
  onAsked: () => void;
  onLeave: () => void;
}

function NotLoaded({ onReached, onAsked, onLeave }: NotLoadedProps) {
  const again = useEffectEvent(() => connection.isOffline() || onReached());
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    const stop = connection.subscribe(() => void again());
    return () => {
      stop();
      leave();
    };
  }, []);
  return (
    <div role="alert" style={{ padding: '1.5rem 0' }}>
      <p>
        <strong>This part of the portal could not be loaded.</strong>
      </p>
      <p>Please check your connection and try again. If that does not help, reload the page.</p>
      <p style={{ display: 'flex', gap: '0.5rem', flexWrap: 'wrap' }}>
        <PlainButton onClick={onAsked}>Try again</PlainButton>
        <PlainButton variant="default" onClick={() => window.location.reload()}>
          Reload page
        </PlainButton>
      </p>
    </div>
  );
}
