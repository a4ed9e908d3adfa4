import { Skeleton, Typography } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { callPublic } from '../lib/api-client.ts';
import { useScreenPath } from '../lib/use-screen-path.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { useDocumentTitle } from '../ui/site-name.ts';

/** /terms-and-conditions and /privacy-policy: the operator's texts (decisions no. 17). */
export default function DocumentScreen() {
  const name = useScreenPath((path) =>
    path === '/privacy-policy' ? 'privacy-policy' : 'terms-and-conditions',
  );
  useDocumentTitle(name === 'privacy-policy' ? 'Privacy policy' : 'Terms and Conditions');
  const document = useQuery({
    queryKey: ['document', name],
    queryFn: () => callPublic('GET /content/:name', { params: { name } }),
  });
  if (document.isError) return <ErrorState error={document.error} onRetry={document.refetch} />;
  if (!document.data) return <Skeleton height={400} />;
  return (
    <Typography maw={760}>
      <Markdown text={withoutTitle(document.data.markdown)} />
    </Typography>
  );
}

/** The header says the title (P1 §2); a page has one heading. */
function withoutTitle(markdown: string): string {
  return markdown.replace(/^\s*# .*\n+/, '');
}
