/** Last page of the bank's question: tells the page that opened it, if one did. */
if (window.parent !== window) window.parent.postMessage({ sandboxPayments: 'challenge-done' }, '*');
