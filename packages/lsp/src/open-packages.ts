/** The packages whose files are open in the editor: read again after a change, and their findings published. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ValidationContext } from '@crewagent/core';
import type { Diagnostic as Finding, Severity } from '@crewagent/protocol/diagnostics';
import { toChineseFinding } from '@crewagent/protocol/texts/zh-CN/findings';
import {
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  type Location,
  type TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  findPackageFolder,
  type PackageView,
  readPackageFolder,
  toPackagePath,
  toUri,
} from './package-folder.ts';

/** A file of a package. */
export interface OpenFile {
  readonly root: string;
  readonly path: string;
  readonly view: PackageView;
}

interface OpenPackage {
  view: Promise<PackageView>;
  timer?: NodeJS.Timeout;
  /** Files whose findings the editor shows. */
  reported: ReadonlySet<string>;
}

/** Long enough that a word is typed, short enough that nobody waits for it. */
const DEBOUNCE_MS = 150;

interface PackageOptions {
  readonly context: ValidationContext;
  /** The language of findings, known when the editor has introduced itself. */
  readonly isChinese: () => boolean;
}

export function createOpenPackages(
  connection: Connection,
  documents: TextDocuments<TextDocument>,
  { context, isChinese }: PackageOptions,
) {
  const packages = new Map<string, OpenPackage>();

  const unsavedTexts = (root: string): Map<string, string> =>
    new Map(
      documents.all().flatMap((document) => {
        const file = toPath(document.uri);
        const isInside = file !== undefined && findPackageFolder(file) === root;
        return isInside ? [[toPackagePath(root, file), document.getText()] as const] : [];
      }),
    );

  const refresh = (root: string): Promise<PackageView> => {
    const view = readPackageFolder(root, context, unsavedTexts(root));
    const open = packages.get(root) ?? { view, reported: new Set<string>() };
    packages.set(root, Object.assign(open, { view }));
    view.then(
      // A later reading reports instead.
      ({ diagnostics }) => open.view === view && report(root, open, diagnostics),
      (error: unknown) => connection.console.error(String(error)),
    );
    return view;
  };

  const report = (root: string, open: OpenPackage, findings: readonly Finding[]): void => {
    const files = new Set(findings.map(({ file }) => file));
    for (const file of new Set([...open.reported, ...files])) {
      const own = findings.filter((finding) => finding.file === file);
      const diagnostics = own.map((finding) => toDiagnostic(finding, isChinese()));
      void connection.sendDiagnostics({ uri: toUri(root, file), diagnostics });
    }
    open.reported = files;
  };

  return {
    /** A file changed, in the editor or on disk. */
    changed(uri: string): void {
      const file = toPath(uri);
      const root = file === undefined ? undefined : findPackageFolder(file);
      if (root === undefined) return;
      const open = packages.get(root);
      clearTimeout(open?.timer);
      if (open) open.timer = setTimeout(() => void refresh(root), DEBOUNCE_MS);
      else void refresh(root);
    },
    /** Undefined if the file is in no package. */
    async find(uri: string): Promise<OpenFile | undefined> {
      const file = toPath(uri);
      const root = file === undefined ? undefined : findPackageFolder(file);
      if (file === undefined || root === undefined) return undefined;
      return {
        root,
        path: toPackagePath(root, file),
        view: await (packages.get(root)?.view ?? refresh(root)),
      };
    },
    async locate(root: string, path: string, offset: number): Promise<Location> {
      const uri = toUri(root, path);
      const read = async (): Promise<TextDocument> =>
        TextDocument.create(uri, '', 0, offset === 0 ? '' : await readFile(fileURLToPath(uri), 'utf8'));
      const start = (documents.get(uri) ?? (await read())).positionAt(offset);
      return { uri, range: { start, end: start } };
    },
  };
}

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  advice: DiagnosticSeverity.Information,
};

/** The whole line; an editor cuts the range at its end. */
const LINE_END = 10_000;

function toDiagnostic(finding: Finding, isChinese: boolean): Diagnostic {
  const { severity, code, line = 1 } = finding;
  return {
    severity: SEVERITIES[severity],
    code,
    source: 'crewagent',
    message: isChinese ? inChinese(finding) : inEnglish(finding),
    range: { start: { line: line - 1, character: 0 }, end: { line: line - 1, character: LINE_END } },
  };
}

function inEnglish({ message, fix }: Finding): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}. ${fix}`;
}

function inChinese(finding: Finding): string {
  const { message, fix } = toChineseFinding(finding);
  return message + fix;
}

/** Undefined for a document that is no file: one without a name, or of another scheme. */
function toPath(uri: string): string | undefined {
  return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
}
