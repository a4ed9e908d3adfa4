import { VisuallyHidden } from '@mantine/core';

/**
 * How far long work is, for those who hear the page: each quarter of it, and its end. Each step of it would drown everything else.
 * It stays in the page from before the work begins until after its end: what comes with its words already in it is not read out.
 */
export function SpokenProgress(props: { running: string | null; done: number; of: number; end: string }) {
  const { running, done, of, end } = props;
  const percent = of === 0 ? 0 : Math.floor((done / of) * 4) * 25;
  return <VisuallyHidden role="status">{running === null ? end : `${running}: ${percent}%`}</VisuallyHidden>;
}
