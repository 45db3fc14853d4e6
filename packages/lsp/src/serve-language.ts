/**
 * The Language Server Protocol over two streams: findings of validation while the author types, completion of names, and "go to
 * definition". Ends with the client.
 */
import type { ValidationContext } from '@crewagent/core';
import {
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { createProtocolConnection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { complete, findTargets } from './complete.ts';
import { createOpenPackages, type OpenFile } from './open-packages.ts';
import { type PackageIndex, withText } from './package-index.ts';

export interface LanguageStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly context: ValidationContext;
  readonly version: string;
  /** Of findings, for an editor that does not say which language it has. */
  readonly language?: string;
}

/** Resolves when the client has gone: whether it said goodbye first, as the protocol asks. */
export function serveLanguage({ input, output, ...options }: LanguageStreams): Promise<boolean> {
  return new Promise((resolve) => {
    const lifetime = {
      shutdownReceived: false,
      initialize: () => undefined,
      exit: () => {
        // A stream that is read keeps the process alive.
        input.pause();
        resolve(lifetime.shutdownReceived);
      },
    };
    const connection = createConnection(
      (logger) => createProtocolConnection(input, output, logger),
      lifetime,
    );
    input.once('end', lifetime.exit).once('close', lifetime.exit);
    serve(connection, options);
  });
}

interface Cursor {
  readonly document: TextDocument;
  readonly text: string;
  readonly offset: number;
  readonly index: PackageIndex;
}

type ServeOptions = Omit<LanguageStreams, 'input' | 'output'>;

function serve(connection: Connection, { context, version, language = 'en' }: ServeOptions): void {
  const documents = new TextDocuments(TextDocument);
  let isChinese = language.startsWith('zh');
  const packages = createOpenPackages(connection, documents, { context, isChinese: () => isChinese });
  let canWatch = false;

  connection.onInitialize(({ capabilities, locale }) => {
    if (locale !== undefined) isChinese = /^zh/i.test(locale);
    canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      serverInfo: { name: 'crewagent', version },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: ['{', '"', '/', '.', '(', ' '] },
        definitionProvider: true,
      },
    };
  });
  connection.onInitialized(() => {
    const watchers = [{ globPattern: '**/*.{md,json,yaml,csv}' }];
    if (canWatch) void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri } of changes) packages.changed(uri);
  });
  documents.onDidChangeContent(({ document }) => packages.changed(document.uri));
  documents.onDidClose(({ document }) => packages.changed(document.uri));

  const at = async <T>(
    { textDocument, position }: TextDocumentPositionParams,
    use: (file: OpenFile & Cursor) => T,
  ): Promise<T | undefined> => {
    const document = documents.get(textDocument.uri);
    const file = document && (await packages.find(textDocument.uri));
    if (!file) return undefined;
    const text = document.getText();
    // What was read last may be older than the keys just typed.
    const index = withText(file.view.index, file.path, text);
    return use({ ...file, document, text, index, offset: document.offsetAt(position) });
  };
  connection.onCompletion((params) =>
    at(params, ({ index, path, document, text, offset }): CompletionItem[] => {
      const found = complete(index, path, text, offset);
      if (!found) return [];
      const range = { start: document.positionAt(found.start), end: document.positionAt(found.end) };
      return found.candidates.map(({ label, detail, insert }) => ({
        label,
        kind: CompletionItemKind.Reference,
        ...(detail === undefined ? {} : { detail }),
        textEdit: { range, newText: insert },
      }));
    }),
  );
  connection.onDefinition(async (params) => {
    const found = await at(params, ({ root, index, path, text, offset }) =>
      findTargets(index, path, text, offset).map(({ file, start }) => packages.locate(root, file, start)),
    );
    return found && Promise.all(found);
  });
  documents.listen(connection);
  connection.listen();
}
