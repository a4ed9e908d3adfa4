import { type Client, call, intentPath, retrieve } from './client.ts';
import { bankProblems, cardProblems, methodFields, orderTypes } from './fields.ts';
import { drawForm, type FormView } from './form-view.ts';
import {
  type Answer,
  type Appearance,
  type FrameSetup,
  type FromFrame,
  type Intent,
  isMessage,
  type Question,
  type ToFrame,
} from './protocol.ts';

/** The script of the frame that holds the payment fields. What is typed here goes to the provider only. */

let client: Client | null = null;
let view: FormView | null = null;
let types: string[] = [];
let parentOrigin = '*';

function tell(message: FromFrame): void {
  window.parent.postMessage(message, parentOrigin);
}

window.addEventListener('message', (event: MessageEvent<unknown>) => {
  if (event.source !== window.parent || !isMessage(event.data)) return;
  parentOrigin = event.origin;
  void hear(event.data as ToFrame);
});

async function hear(message: ToFrame): Promise<void> {
  switch (message.sandboxPayments) {
    case 'setup':
      if (!view) await setUp(message.setup);
      return;
    case 'appearance':
      applyAppearance(message.appearance);
      return;
    case 'order':
      view?.setOrder(orderTypes(types, message.order));
      return;
    case 'focus':
      view?.focus();
      return;
    case 'blur':
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      return;
    case 'clear':
      view?.clear();
      return;
    case 'ask':
      tell({
        sandboxPayments: 'answer',
        id: message.question.id,
        answer: await answerTo(message.question),
      });
  }
}

async function setUp(setup: FrameSetup): Promise<void> {
  client = { origin: '', publishableKey: setup.publishableKey, account: setup.account };
  applyAppearance(setup.appearance);
  const known = await typesFor(client, setup);
  const root = document.getElementById('form');
  if (!root) return;
  if ('error' in known && known.error) {
    root.textContent = known.error.message;
    root.setAttribute('role', 'alert');
    tell({ sandboxPayments: 'loaderror', error: known.error });
    return;
  }
  types = orderTypes(known.types ?? [], setup.order);
  view = drawForm(root, types, tellChange);
  view.fill({ ...(setup.defaults.name ? { name: setup.defaults.name } : {}), email: setup.defaults.email });
  new ResizeObserver(tellHeight).observe(document.body);
  tellHeight();
  tell({ sandboxPayments: 'ready' });
}

async function typesFor(
  via: Client,
  setup: FrameSetup,
): Promise<{ types?: string[]; error?: Answer['error'] }> {
  if (!setup.clientSecret) return { types: setup.methodTypes ?? ['card'] };
  const { intent, error } = await retrieve(via, setup.clientSecret);
  if (error) return { error };
  return { types: intent?.payment_method_types ?? ['card'] };
}

function tellHeight(): void {
  tell({
    sandboxPayments: 'height',
    height: Math.ceil(document.documentElement.getBoundingClientRect().height),
  });
}

function problems() {
  if (!view) return [];
  return view.type() === 'card' ? cardProblems(view.values(), new Date()) : bankProblems(view.values());
}

function tellChange(): void {
  if (!view) return;
  const values = view.values();
  tell({
    sandboxPayments: 'change',
    change: {
      elementType: 'payment',
      empty: Object.values(values).every((value) => value === ''),
      complete: problems().length === 0,
      collapsed: false,
      value: { type: view.type() },
    },
  });
}

async function answerTo(question: Question): Promise<Answer> {
  if (!view || !client)
    return { error: { type: 'invalid_request_error', message: 'The form is not ready.' } };
  const found = problems();
  view.show(found);
  const [first] = found;
  if (first) return { error: { type: 'validation_error', code: first.code, message: first.message } };
  if (question.ask === 'submit') return { selected: view.type() };
  if (question.ask === 'create-method') return createMethod(client, view);
  const reply = await call<Intent>(client, 'POST', `${intentPath(question.clientSecret)}/confirm`, {
    client_secret: question.clientSecret,
    ...methodFields(view.type(), view.values(), 'payment_method_data'),
    ...(question.returnUrl ? { return_url: question.returnUrl } : {}),
  });
  return 'error' in reply ? { error: reply.error } : { intent: reply.value };
}

async function createMethod(via: Client, form: FormView): Promise<Answer> {
  const reply = await call<{ id: string; type: string }>(
    via,
    'POST',
    '/v1/payment_methods',
    methodFields(form.type(), form.values(), ''),
  );
  return 'error' in reply ? { error: reply.error } : { method: reply.value };
}

const VARIABLES: Record<string, string> = {
  colorPrimary: '--primary',
  colorBackground: '--background',
  colorText: '--text',
  colorDanger: '--danger',
  fontFamily: '--font',
  fontSizeBase: '--size',
  borderRadius: '--radius',
};

function applyAppearance(appearance: Appearance): void {
  const { style, dataset } = document.documentElement;
  dataset.theme = appearance.theme ?? 'stripe';
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = appearance.variables?.[name];
    if (value) style.setProperty(variable, value);
    else style.removeProperty(variable);
  }
}

window.addEventListener('focus', () => tell({ sandboxPayments: 'focus' }));
window.addEventListener('blur', () => tell({ sandboxPayments: 'blur' }));
window.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') tell({ sandboxPayments: 'escape' });
});
tell({ sandboxPayments: 'hello' });
