/** Mounts the editor and forwards prop changes to it. Loaded lazily: use `CodeEditor`. */
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import {
  type CodeDiagnostic,
  type CodeLanguage,
  type CodeWord,
  createCodeEditor,
} from './create-code-editor.ts';

export interface MountedEditorProps {
  /** Accessible name. */
  readonly label: string;
  /** Lines end with `\n`; a `\r` is an ordinary character and shown as one. */
  readonly value: string;
  readonly language: CodeLanguage;
  readonly isReadOnly?: boolean;
  readonly onChange?: (text: string) => void;
  /** Mod+S. */
  readonly onSave?: () => void;
  /** Diagnostics by line, from 1; an empty list reserves the gutter for them. */
  readonly diagnostics?: readonly CodeDiagnostic[];
  /** Proposed while typing. */
  readonly words?: readonly CodeWord[];
  /** Undo history, selection and scroll position are stored under this key while the editor is unmounted. */
  readonly memoryKey?: string;
  /** Whether to move the keyboard focus into the editor. */
  readonly takesFocus?: boolean;
  readonly onFocused?: () => void;
}

export default function CodeEditorMount(props: MountedEditorProps) {
  const { label, value, language, isReadOnly = false, diagnostics, memoryKey, takesFocus = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<typeof createCodeEditor>>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const phrases = useEditorPhrases();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effects below forward changes
  useEffect(() => {
    if (!host.current) return;
    const created = createCodeEditor(host.current, {
      text: value,
      memoryKey,
      onChange: (text) => latest.current.onChange?.(text),
      onSave: () => {
        latest.current.onSave?.();
        return latest.current.onSave !== undefined;
      },
      words: latest.current.words && (() => latest.current.words ?? []),
    });
    editor.current = created;
    return () => {
      editor.current = undefined;
      created.destroy();
    };
  }, [memoryKey]);

  useEffect(() => editor.current?.setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor needs the values again
  useEffect(
    () => editor.current?.configure({ label, language, isReadOnly, phrases }),
    [label, language, isReadOnly, phrases, memoryKey],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor needs the values again
  useEffect(() => editor.current?.setDiagnostics(diagnostics), [diagnostics, memoryKey]);
  useEffect(() => {
    if (!takesFocus || !editor.current) return;
    editor.current.focus();
    latest.current.onFocused?.();
  }, [takesFocus]);

  return <div ref={host} className="h-full font-mono text-sm leading-5" />;
}

/** Texts of the editor's own panels. */
function useEditorPhrases(): Readonly<Record<string, string>> {
  const { t } = useTranslation();
  return useMemo(
    () => ({
      Find: t('editor.find'),
      Replace: t('editor.replaceWith'),
      next: t('editor.next'),
      previous: t('editor.previous'),
      all: t('editor.all'),
      'match case': t('editor.matchCase'),
      regexp: t('editor.regexp'),
      'by word': t('editor.byWord'),
      replace: t('editor.replace'),
      'replace all': t('editor.replaceAll'),
      close: t('action.close'),
      'Go to line': t('editor.goToLine'),
      go: t('editor.go'),
      'replaced match on line $': t('editor.replacedOnLine', { line: '$' }),
      'replaced $ matches': t('editor.replacedMatches', { total: '$' }),
      'current match': t('editor.currentMatch'),
      'on line': t('editor.onLine'),
      'Control character': t('editor.hiddenCharacter'),
      'Selection deleted': t('editor.selectionDeleted'),
      Diagnostics: t('editor.findings'),
      'No diagnostics': t('editor.noFindings'),
      Completions: t('editor.completions'),
    }),
    [t],
  );
}
