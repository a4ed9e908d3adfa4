import { createElement, type ReactNode, use, useEffect, useEffectEvent, useReducer } from 'react';
import { PlainButton } from './plain-button.tsx';

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
      const attempt: Promise<void> = load().then(
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
  const retry = () => {
    loading.failed = false;
    void loading.start().then(draw);
  };
  const leave = () => {
    loading.failed = false;
  };
  return <NotLoaded onRetry={retry} onLeave={leave} />;
}

function NotLoaded({ onRetry, onLeave }: { onRetry: () => void; onLeave: () => void }) {
  const again = useEffectEvent(onRetry);
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    const onOnline = () => again();
    window.addEventListener('online', onOnline);
    return () => {
      window.removeEventListener('online', onOnline);
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
        <PlainButton onClick={onRetry}>Try again</PlainButton>
        <PlainButton variant="default" onClick={() => window.location.reload()}>
          Reload page
        </PlainButton>
      </p>
    </div>
  );
}
