/** The language server as an editor sees it: through the client side of the protocol's own library. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type CompletionItem,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  FileChangeType,
  InitializedNotification,
  InitializeRequest,
  type Location,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  RegistrationRequest,
  ShutdownRequest,
} from 'vscode-languageserver-protocol/node';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import { serveLanguage } from './serve-language.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/hello-branch', import.meta.url));

/** A copy of an example in an editor. `|` in a text is the cursor. */
async function openEditor(locale?: string) {
  const root = join(await tempFolder(), 'package with space');
  cpSync(EXAMPLE, root, { recursive: true });
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const context = { runtimeVersion: '0.1.0', knownServers: { has: () => false } };
  const ended = serveLanguage({ input: toServer, output: toClient, context, version: '0.1.0' });
  const client = createProtocolConnection(toClient, toServer);
  onTestFinished(() => client.dispose());

  const published: PublishDiagnosticsParams[] = [];
  let onPublished = (): void => undefined;
  client.onNotification(PublishDiagnosticsNotification.type, (params) => {
    published.push(params);
    onPublished();
  });
  client.onRequest(RegistrationRequest.type, () => undefined);
  client.listen();
  const initialized = await client.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    ...(locale === undefined ? {} : { locale }),
    capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
  });
  await client.sendNotification(InitializedNotification.type, {});

  const uriOf = (path: string): string => pathToFileURL(join(root, path)).href;
  let version = 0;
  const positionOf = (marked: string) => {
    const before = marked.slice(0, marked.indexOf('|')).split('\n');
    return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
  };
  const show = async (path: string, text: string): Promise<void> => {
    const uri = uriOf(path);
    await client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
    await client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'markdown', version: ++version, text },
    });
  };
  return {
    root,
    client,
    ended,
    initialized,
    published,
    uriOf,
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    show,
    type: (path: string, text: string) =>
      client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uriOf(path), version: ++version },
        contentChanges: [{ text }],
      }),
    /** The codes that the editor shows for a file, once they satisfy `isExpected`. */
    codesOf: (path: string, isExpected: (codes: unknown[]) => boolean) =>
      new Promise<unknown[]>((resolve) => {
        const check = (): void => {
          const last = published.findLast(({ uri }) => uri === uriOf(path));
          const codes = last?.diagnostics.map(({ code }) => code);
          if (codes && isExpected(codes)) resolve(codes);
        };
        onPublished = check;
        check();
      }),
    async complete(path: string, marked: string) {
      await show(path, marked.replace('|', ''));
      const items = (await client.sendRequest(CompletionRequest.type, {
        textDocument: { uri: uriOf(path) },
        position: positionOf(marked),
      })) as CompletionItem[] | null;
      return items?.map(({ textEdit }) => textEdit?.newText);
    },
    async define(path: string, marked: string) {
      await show(path, marked.replace('|', ''));
      const found = (await client.sendRequest(DefinitionRequest.type, {
        textDocument: { uri: uriOf(path) },
        position: positionOf(marked),
      })) as Location[];
      return found.map(({ uri, range }) => `${uri.slice(uriOf('').length + 1)}:${range.start.line + 1}`);
    },
  };
}

const GRAPH = 'workflow.graph.json';

describe('the language server', () => {
  it('shows findings of unsaved text and removes them when it is right again', async () => {
    const editor = await openEditor();
    const good = editor.read(GRAPH);
    await editor.show(GRAPH, good.replace(/"to": "[\w-]+"/, '"to": "nowhere"'));
    expect(await editor.codesOf(GRAPH, (codes) => codes.length > 0)).toContain('UNKNOWN_NODE');
    const [found] = editor.published.at(-1)?.diagnostics ?? [];
    const { line } = found?.range.start ?? { line: -1 };
    expect(found).toMatchObject({ severity: 1, source: 'crewagent' });
    expect(good.split('\n')[line]).toMatch(/"to": /);
    await editor.type(GRAPH, good);
    expect(await editor.codesOf(GRAPH, (codes) => codes.length === 0)).toEqual([]);
    await editor.type(GRAPH, '{ "nodes": [');
    expect(await editor.codesOf(GRAPH, (codes) => codes.length > 0)).toEqual(['BAD_JSON']);
  });

  it('knows a method in one file, and the language of the editor', async () => {
    const editor = await openEditor('zh-cn');
    const method = '---\nname: tea\n---\n## Boil\n→ Pour\n## Pour\n';
    writeFileSync(join(editor.root, 'method.md'), method);
    for (const path of ['bmad.json', 'agents.json', 'workflow.md', 'workflow.graph.json', 'steps'])
      rmSync(join(editor.root, path), { recursive: true });
    await editor.show('method.md', method.replace('→ Pour', '→ Poor'));
    expect(await editor.codesOf('method.md', (codes) => codes.length > 0)).toContain('UNKNOWN_NODE');
    expect(editor.published.at(-1)?.diagnostics[0]).toMatchObject({
      message: '没有标题为“Poor”的步骤。是不是“Pour”？',
      range: { start: { line: 4 } },
    });
    await editor.type('method.md', method);
    expect(await editor.codesOf('method.md', (codes) => codes.length === 0)).toEqual([]);
    expect(await editor.complete('method.md', '---\nname: tea\nver|\n---\n## Boil\n')).toContain('version: ');
    // Another Markdown file of the same name is no package.
    writeFileSync(join(editor.root, 'method.md'), '# How we measured\n');
    expect(await editor.complete('method.md', '---\nver|\n---\n')).toBeUndefined();
  });

  it('reads a package again when a file changes on disk', async () => {
    const editor = await openEditor();
    await editor.show('workflow.md', editor.read('workflow.md'));
    const graph = JSON.parse(editor.read(GRAPH)) as { nodes: { file: string }[] };
    const step = graph.nodes[0]?.file ?? '';
    const text = editor.read(step);
    const changed = () =>
      editor.client.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: [{ uri: editor.uriOf(step), type: FileChangeType.Changed }],
      });
    rmSync(join(editor.root, step));
    await changed();
    expect(await editor.codesOf(GRAPH, (codes) => codes.length > 0)).toEqual(['MISSING_FILE']);
    writeFileSync(join(editor.root, step), text);
    await changed();
    expect(await editor.codesOf(GRAPH, (codes) => codes.length === 0)).toEqual([]);
  });

  it('completes and follows names of nodes, agents, variables, files and tools', async () => {
    const editor = await openEditor();
    const graph = JSON.parse(editor.read(GRAPH)) as { nodes: { id: string; file: string }[] };
    const { agents } = JSON.parse(editor.read('agents.json')) as { agents: { id: string }[] };
    const ids = graph.nodes.map(({ id }) => id);
    const [{ id = '', file = '' } = {}] = graph.nodes;
    const step = (body: string, keys = ''): string =>
      `---\nschemaVersion: "1.1"\nnodeId: ${id}\ntype: step\n${keys}setsVariables:\n  - färbe\n  - color\n---\n${body}`;

    expect(await editor.complete(file, step('Finish: { "next": "|" }'))).toEqual(ids);
    expect(await editor.complete(file, step('', 'agentId: |\n'))).toEqual(agents.map((agent) => agent.id));
    expect(await editor.complete(file, step('', 'wa|\n'))).toContain('waits: ');
    expect(await editor.complete(file, step('Call `fs.|`'))).toContain('fs.read');
    expect(await editor.complete(file, step('Read @pkg/|'))).toContain('workflow.md');
    expect(await editor.complete(file, step('See [it](|)'))).toContain('../workflow.md');
    expect(await editor.complete(file, step('As {{|'))).toEqual(expect.arrayContaining(['color', 'färbe']));
    expect(await editor.complete(file, step('Plain prose, |'))).toEqual([]);
    const edges = editor.read(GRAPH);
    const at = /"to": "[\w-]/.exec(edges);
    const cut = (at?.index ?? 0) + (at?.[0].length ?? 0);
    expect(await editor.complete(GRAPH, `${edges.slice(0, cut)}|${edges.slice(cut)}`)).toEqual(ids);

    const lineOf = (path: string, part: string): number =>
      editor
        .read(path)
        .split('\n')
        .findIndex((line) => line.includes(part)) + 1;
    expect(
      await editor.define(file, step(`{ "next": "${ids[1]?.slice(0, 3)}|${ids[1]?.slice(3)}" }`)),
    ).toEqual([`${GRAPH}:${lineOf(GRAPH, `"id": "${ids[1]}"`)}`]);
    expect(await editor.define(file, step('As {co|lor}'))).toEqual([`${file}:7`]);
    expect(await editor.define(file, step('See @pkg/work|flow.md'))).toEqual(['workflow.md:1']);
    expect(await editor.define(GRAPH, edges.replace(file, `${file.slice(0, 8)}|${file.slice(8)}`))).toEqual([
      `${file}:1`,
    ]);
    expect(await editor.define(file, step('Plain |prose'))).toEqual([]);
  });

  it('ignores files outside of packages, says what it can do, and ends with the client', async () => {
    const editor = await openEditor();
    expect(editor.initialized.serverInfo).toEqual({ name: 'crewagent', version: '0.1.0' });
    expect(await editor.complete('../notes.md', 'As {|')).toBeUndefined();
    await editor.client.sendRequest(ShutdownRequest.type);
    await editor.client.sendNotification(ExitNotification.type);
    expect(await editor.ended).toBe(true);
  });
});
