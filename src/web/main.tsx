import './lib/no-eval.ts';
import './ui/styles.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchRights } from './lib/api-client.ts';
import { loadConfig } from './lib/config.ts';
import { connection } from './lib/connection.ts';
import { showDensity } from './lib/density.ts';
import { queryClient } from './lib/query-client.ts';
import { SessionProvider } from './lib/session.tsx';
import { router } from './routes.tsx';
import { FatalError } from './ui/fatal-error.tsx';
import { keepFocus } from './ui/keep-focus.ts';
import { loadPartsBy } from './ui/lazily.tsx';
import { theme } from './ui/theme.ts';

/** The page's own style elements carry the nonce that the server gave this reply (content security policy). */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
const getStyleNonce = () => styleNonce;
// Where the part that keeps the page from scrolling behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

connection.watch();
loadPartsBy(connection);
showDensity();
keepFocus();

// The profile decides over menus and screens: what a reply says of the person's rights reaches them at once.
watchRights(() => void queryClient.invalidateQueries({ queryKey: ['profile'] }));

const root = createRoot(document.getElementById('root') as HTMLElement);

try {
  const config = await loadConfig();
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={getStyleNonce}>
        <QueryClientProvider client={queryClient}>
          <SessionProvider config={config}>
            <RouterProvider router={router} />
          </SessionProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={getStyleNonce}>
      <FatalError error={error as Error} />
    </MantineProvider>,
  );
}
