/**
 * Configures CodeMirror. It is mounted in a shadow root, where its styles are adopted stylesheets; in the document they would be
 * inline styles, which the page's security policy forbids.
 */
import { autocompletion, type Completion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, type StateEffect } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { toShownText } from '../sanitize-text.ts';
import { editorTheme, highlightStyle } from './code-editor-theme.ts';

export interface CodeDiagnostic {
  /** Line number, from 1. */
  readonly line: number;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
}

/** A word that can be completed. */
export interface CodeWord {
  readonly text: string;
  /** What it is, in a word or two. */
  readonly kind: string;
}

interface CodeEditorOptions {
  readonly text: string;
  readonly memoryKey: string | undefined;
  readonly onChange: (text: string) => void;
  /** Returns whether saving is possible. */
  readonly onSave: () => boolean;
  /** Words that are proposed while typing; undefined for none. */
  readonly words: (() => readonly CodeWord[]) | undefined;
}

interface CodeEditorLook {
  readonly label: string;
  readonly language: CodeLanguage;
  readonly isReadOnly: boolean;
  readonly phrases: Readonly<Record<string, string>>;
}

export function createCodeEditor(host: HTMLElement, options: CodeEditorOptions) {
  const { memoryKey } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const looks = new Compartment();
  const findings = new Compartment();
  const remembered = memoryKey === undefined ? undefined : memories.get(memoryKey);
  let known = options.text;
  const config = {
    extensions: [
      ...BASICS,
      looks.of([]),
      findings.of([]),
      options.words ? completion(options.words) : [],
      keymap.of([{ key: 'Mod-s', run: options.onSave }, ...KEYS]),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        const text = state.doc.toString();
        if (text === known) return;
        known = text;
        options.onChange(text);
      }),
    ],
  };
  const view = new EditorView({
    root,
    parent: root,
    ...(remembered?.text === known
      ? {
          state: EditorState.fromJSON(remembered.state, config, { history: historyField }),
          scrollTo: remembered.scroll,
        }
      : { state: EditorState.create({ ...config, doc: known }) }),
  });

  return {
    /** Applies the smallest change, so that cursor and scroll position stay. */
    setText(text: string): void {
      if (text === known) return;
      known = text;
      view.dispatch({ changes: smallestChange(view.state.doc.toString(), text) });
    },
    configure(look: CodeEditorLook): void {
      view.dispatch({ effects: looks.reconfigure(lookExtension(look)) });
    },
    setDiagnostics(diagnostics: readonly CodeDiagnostic[] | undefined): void {
      view.dispatch({ effects: findings.reconfigure(diagnostics ? lintGutter() : []) });
      view.dispatch(setDiagnostics(view.state, toDiagnostics(view.state, diagnostics ?? [])));
    },
    focus: (): void => view.focus(),
    destroy(): void {
      if (memoryKey !== undefined) remember(memoryKey, view);
      view.destroy();
    },
  };
}

/** Proposes words after two of their characters, or on Ctrl+Space. */
function completion(words: () => readonly CodeWord[]): Extension {
  return [
    autocompletion({
      icons: false,
      override: [
        (context) => {
          const typed = context.matchBefore(/[\w@{./:-]*/);
          if (!typed || (!context.explicit && typed.to - typed.from < 2)) return null;
          const options = words().map(({ text, kind }): Completion => ({ label: text, detail: kind }));
          return { from: typed.from, options, validFor: /^[\w@{./:-]*$/ };
        },
      ],
    }),
    keymap.of(completionKeymap),
  ];
}

/** Shortcuts of the page, which the editor must not handle. */
const PAGE_KEYS: ReadonlySet<string> = new Set(['Mod-i', 'Mod-/', 'Mod-k', 'Mod-p']);

const KEYS = [...defaultKeymap, ...historyKeymap, ...searchKeymap].filter(
  ({ key }) => key === undefined || !PAGE_KEYS.has(key),
);

/** Characters missing in the editor's own list: direction marks, tags, and joiners outside of clusters. */
const MORE_INVISIBLE =
  /[\u180e\u202a-\u202c\u2060-\u2069\u{e0000}-\u{e007f}]|(?<![\p{L}\p{M}\p{Extended_Pictographic}]|\ufe0f)(?:\u200c|\u200d)|(?:\u200c|\u200d)(?![\p{L}\p{Extended_Pictographic}])/u;

function toMark(code: number, description: string | null): HTMLElement {
  const mark = document.createElement('span');
  mark.textContent = code === 13 ? '↵' : '•';
  mark.title = description ?? '';
  mark.setAttribute('aria-label', description ?? '');
  mark.className = 'cm-specialChar';
  return mark;
}

const BASICS: readonly Extension[] = [
  // Content is preserved exactly: only `\n` ends a line.
  EditorState.lineSeparator.of('\n'),
  EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  EditorView.perLineTextDirection.of(true),
  lineNumbers(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSpecialChars({ addSpecialChars: MORE_INVISIBLE, render: toMark }),
  drawSelection(),
  dropCursor(),
  history(),
  indentOnInput(),
  bracketMatching(),
  search({ top: true }),
  editorTheme,
  syntaxHighlighting(highlightStyle),
];

function lookExtension({ label, language, isReadOnly, phrases }: CodeEditorLook): Extension {
  return [
    // The scroller is reached by the keyboard through its content, which tools only recognise by its tab index.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorState.phrases.of(phrases),
    EditorState.readOnly.of(isReadOnly),
    LANGUAGES[language](),
  ];
}

function toDiagnostics({ doc }: EditorState, diagnostics: readonly CodeDiagnostic[]): Diagnostic[] {
  return diagnostics
    .map(({ line, message, severity }) => {
      const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const indent = text.length - text.trimStart().length;
      return { from: Math.min(from + indent, to), to, severity, message: toShownText(message) };
    })
    .sort((one, other) => one.from - other.from);
}

function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

interface Memory {
  readonly text: string;
  readonly state: unknown;
  readonly scroll: StateEffect<unknown>;
}

const MAX_MEMORIES = 20;
const memories = new Map<string, Memory>();

function remember(key: string, view: EditorView): void {
  memories.delete(key);
  memories.set(key, {
    text: view.state.doc.toString(),
    state: view.state.toJSON({ history: historyField }),
    scroll: view.scrollSnapshot(),
  });
  const [oldest] = memories.keys();
  if (memories.size > MAX_MEMORIES && oldest !== undefined) memories.delete(oldest);
}

export type CodeLanguage = 'markdown' | 'yaml' | 'json' | 'text';

/** Languages the editor can highlight. */
const LANGUAGES: Readonly<Record<CodeLanguage, () => Extension>> = {
  markdown: () => yamlFrontmatter({ content: markdown({ base: markdownLanguage }) }),
  yaml,
  json,
  text: () => [],
};
