/** Elements of the sign-in page, without a framework: it must be there before the app is. Text is set as text only. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  readonly autocomplete: AutoFill;
}

export interface FormView {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly fields: readonly Field[];
  readonly action: string;
  onSubmit(values: Readonly<Record<string, string>>): Promise<void>;
  readonly others: readonly { readonly label: string; onClick(): Promise<void> | void }[];
  /** Between the form and the other ways. */
  readonly separator?: string | undefined;
}

/** Replaces what the page shows. `toMessage` describes an error. */
export function showForm(main: HTMLElement, view: FormView, toMessage: (error: unknown) => string): void {
  const alert = element('p', { role: 'alert', class: 'alert' });
  const busy = async (work: () => Promise<void> | void): Promise<void> => {
    alert.textContent = '';
    setDisabled(main, true);
    try {
      await work();
    } catch (error) {
      alert.textContent = toMessage(error);
    }
    setDisabled(main, false);
  };
  const form = element('form', { novalidate: '' });
  const inputs = view.fields.map((field) => createInput(field));
  const submit = element('button', { type: 'submit', class: 'primary' }, view.action);
  form.append(...inputs.map(({ row }) => row), submit);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const invalid = inputs.find(({ input }) => !input.checkValidity());
    // The browser says what is wrong, in its language, and moves the focus there.
    if (invalid) return void invalid.input.reportValidity();
    const values = Object.fromEntries(inputs.map(({ input }) => [input.name, input.value]));
    void busy(() => view.onSubmit(values));
  });
  const others = view.others.map(({ label, onClick }) => {
    const button = element('button', { type: 'button' }, label);
    button.addEventListener('click', () => void busy(onClick));
    return button;
  });
  const title = element('h1', {}, view.title);
  document.title = `${view.title} · CrewAgent`;
  main.replaceChildren(
    title,
    ...(view.hint === undefined ? [] : [element('p', { class: 'hint' }, view.hint)]),
    alert,
    form,
    ...(others.length > 0 && view.separator ? [element('p', { class: 'or' }, view.separator)] : []),
    ...others,
  );
  (inputs[0]?.input ?? submit).focus();
}

function createInput({ name, label, type, autocomplete }: Field) {
  const id = `field-${name}`;
  const input = element('input', { id, name, type, autocomplete, required: '' });
  const row = element('div', { class: 'field' });
  row.append(element('label', { for: id }, label), input);
  return { row, input };
}

function setDisabled(main: HTMLElement, isDisabled: boolean): void {
  for (const control of main.querySelectorAll<HTMLButtonElement>('button')) control.disabled = isDisabled;
  main.setAttribute('aria-busy', String(isDisabled));
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  text = '',
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.textContent = text;
  return created;
}
