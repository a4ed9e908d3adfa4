import { TEST_BANKS, TEST_CARDS, TEST_ROUTING_NUMBER } from '../test-methods.ts';
import { type FieldProblem, formatExpiry, formatNumber, type Values } from './fields.ts';

interface FieldSpec {
  name: string;
  label: string;
  autocomplete: string;
  placeholder?: string;
  numeric?: boolean;
}

const CARD_FIELDS: FieldSpec[] = [
  {
    name: 'number',
    label: 'Card number',
    autocomplete: 'cc-number',
    placeholder: '1234 1234 1234 1234',
    numeric: true,
  },
  { name: 'expiry', label: 'Expiration date', autocomplete: 'cc-exp', placeholder: 'MM / YY', numeric: true },
  { name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', placeholder: 'CVC', numeric: true },
];

const BANK_FIELDS: FieldSpec[] = [
  { name: 'email', label: 'Email', autocomplete: 'email' },
  { name: 'name', label: 'Full name', autocomplete: 'name' },
  { name: 'routing', label: 'Routing number', autocomplete: 'off', numeric: true },
  { name: 'account', label: 'Account number', autocomplete: 'off', numeric: true },
];

const LABELS: Record<string, string> = { card: 'Card', us_bank_account: 'US bank account' };

export interface FormView {
  type(): string;
  values(): Values;
  show(problems: FieldProblem[]): void;
  setOrder(types: string[]): void;
  fill(values: Values): void;
  clear(): void;
  focus(): void;
}

/** Draws the tabs and their fields. `onEdit` tells every change, the chosen tab's included. */
export function drawForm(root: HTMLElement, types: string[], onEdit: () => void): FormView {
  let chosen = types[0] ?? 'card';
  const tabs = element('div', { role: 'tablist', class: 'tabs', 'aria-label': 'Payment method' });
  const panels = new Map<string, HTMLElement>();
  root.replaceChildren(tabs);

  const choose = (type: string, focus: boolean) => {
    chosen = type;
    for (const tab of tabs.querySelectorAll<HTMLElement>('[role=tab]')) {
      const current = tab.dataset.type === type;
      tab.setAttribute('aria-selected', String(current));
      tab.tabIndex = current ? 0 : -1;
      if (current && focus) tab.focus();
    }
    for (const [name, panel] of panels) panel.hidden = name !== type;
    onEdit();
  };

  const setOrder = (order: string[]) => {
    tabs.replaceChildren(...order.map((type) => tabFor(type, choose)));
    tabs.hidden = order.length < 2;
    for (const type of order) {
      if (panels.has(type)) continue;
      const panel = panelFor(type, onEdit);
      panels.set(type, panel);
      root.append(panel);
    }
    chosen = order.includes(chosen) ? chosen : (order[0] ?? 'card');
    choose(chosen, false);
  };

  tabs.addEventListener('keydown', (event) => moveAmongTabs(event, tabs, choose));
  setOrder(types);
  chosen = types[0] ?? 'card';
  const inputs = () => [...(panels.get(chosen)?.querySelectorAll('input') ?? [])];
  return {
    type: () => chosen,
    values: () => Object.fromEntries(inputs().map((input) => [input.name, input.value])),
    show: (problems) => showProblems(inputs(), problems),
    setOrder,
    fill(values) {
      for (const input of root.querySelectorAll('input')) input.value = values[input.name] ?? input.value;
    },
    clear() {
      for (const input of root.querySelectorAll('input')) input.value = '';
    },
    focus: () => inputs()[0]?.focus(),
  };
}

function moveAmongTabs(
  event: KeyboardEvent,
  tabs: HTMLElement,
  choose: (type: string, focus: boolean) => void,
) {
  const all = [...tabs.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = all.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: all.length - 1,
  };
  const to = steps[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  if (next?.dataset.type) choose(next.dataset.type, true);
}

function tabFor(type: string, choose: (type: string, focus: boolean) => void): HTMLElement {
  const tab = element('button', {
    type: 'button',
    role: 'tab',
    id: `tab-${type}`,
    'aria-controls': `panel-${type}`,
    class: 'tab',
  });
  tab.dataset.type = type;
  tab.textContent = LABELS[type] ?? type;
  tab.addEventListener('click', () => choose(type, false));
  return tab;
}

function panelFor(type: string, onEdit: () => void): HTMLElement {
  const panel = element('div', {
    role: 'tabpanel',
    id: `panel-${type}`,
    'aria-labelledby': `tab-${type}`,
    class: 'panel',
  });
  for (const spec of type === 'card' ? CARD_FIELDS : BANK_FIELDS) panel.append(fieldFor(type, spec, onEdit));
  if (type === 'us_bank_account') {
    const consent = element('p', { class: 'hint' });
    consent.textContent =
      'By continuing you authorize a debit of your bank account. Bank payments take some days to settle.';
    panel.append(consent);
  }
  panel.append(hintsFor(type, panel, onEdit));
  return panel;
}

function fieldFor(type: string, spec: FieldSpec, onEdit: () => void): HTMLElement {
  const id = `${type}-${spec.name}`;
  const box = element('div', { class: `field ${spec.name}` });
  const label = element('label', { for: id });
  label.textContent = spec.label;
  const input = element('input', {
    id,
    name: spec.name,
    autocomplete: spec.autocomplete,
    inputmode: spec.numeric ? 'numeric' : 'text',
    'aria-required': 'true',
    placeholder: spec.placeholder ?? '',
  });
  input.addEventListener('input', (event) => {
    const deleting = event instanceof InputEvent && event.inputType.startsWith('delete');
    if (spec.name === 'number') input.value = formatNumber(input.value);
    if (spec.name === 'expiry') input.value = formatExpiry(input.value, deleting);
    showProblems([input], []);
    onEdit();
  });
  const problem = element('p', { id: `${id}-problem`, class: 'problem', role: 'alert' });
  problem.hidden = true;
  box.append(label, input, problem);
  return box;
}

function showProblems(inputs: HTMLInputElement[], problems: FieldProblem[]): void {
  for (const input of inputs) {
    const problem = problems.find(({ field }) => field === input.name);
    const text = document.getElementById(`${input.id}-problem`);
    if (text) {
      text.textContent = problem?.message ?? '';
      text.hidden = !problem;
    }
    if (problem) {
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', `${input.id}-problem`);
    } else {
      input.removeAttribute('aria-invalid');
      input.removeAttribute('aria-describedby');
    }
  }
  inputs.find((input) => input.getAttribute('aria-invalid') === 'true')?.focus();
}

/** The test numbers at hand: a press fills the form. */
function hintsFor(type: string, panel: HTMLElement, onEdit: () => void): HTMLElement {
  const details = element('details', { class: 'tests' });
  const summary = element('summary', {});
  summary.textContent = 'Test numbers';
  const list = element('ul', {});
  const year = (new Date().getFullYear() + 3) % 100;
  const rows =
    type === 'card'
      ? TEST_CARDS.map(({ number, hint }) => ({
          label: `${formatNumber(number)} – ${hint}`,
          values: {
            number: formatNumber(number),
            expiry: `12 / ${year}`,
            cvc: number.length === 15 ? '1234' : '123',
          } as Values,
        }))
      : TEST_BANKS.map(({ account, hint }) => ({
          label: `${account} – ${hint}`,
          values: {
            routing: TEST_ROUTING_NUMBER,
            account,
            name: 'Test Person',
            email: 'person@example.com',
          } as Values,
        }));
  for (const { label, values } of rows) {
    const item = element('li', {});
    const button = element('button', { type: 'button' });
    button.textContent = label;
    button.addEventListener('click', () => {
      for (const input of panel.querySelectorAll('input')) {
        const kept = ['name', 'email'].includes(input.name) && input.value !== '';
        if (!kept) input.value = values[input.name] ?? input.value;
        showProblems([input], []);
      }
      onEdit();
    });
    item.append(button);
    list.append(item);
  }
  details.append(summary, list);
  return details;
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
