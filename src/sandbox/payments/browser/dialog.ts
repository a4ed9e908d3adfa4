import { isMessage } from './protocol.ts';

/** Shows the bank's page over everything and waits until it says that it is done. */
export function showChallenge(url: string, origin: string): Promise<void> {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const layer = document.createElement('div');
    Object.assign(layer.style, {
      position: 'fixed',
      inset: '0',
      zIndex: '2147483647',
      background: 'rgba(20, 24, 40, 0.6)',
      display: 'grid',
      placeItems: 'center',
    });
    const frame = document.createElement('iframe');
    frame.title = 'Confirm with your bank';
    frame.setAttribute('role', 'dialog');
    frame.setAttribute('aria-modal', 'true');
    frame.src = `${url}&frame=1`;
    Object.assign(frame.style, {
      width: 'min(500px, 94vw)',
      height: 'min(420px, 90vh)',
      border: '0',
      borderRadius: '8px',
      background: '#fff',
    });
    const onMessage = (event: MessageEvent<unknown>) => {
      if (event.origin !== origin || event.source !== frame.contentWindow) return;
      if (!isMessage(event.data) || event.data.sandboxPayments !== 'challenge-done') return;
      window.removeEventListener('message', onMessage);
      layer.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve();
    };
    window.addEventListener('message', onMessage);
    layer.append(frame);
    document.body.append(layer);
    frame.focus();
  });
}
