/**
 * Imports real modules and skills, if available: every folder below `CREWAGENT_IMPORT_CONTENT` that contains a source. Skipped
 * otherwise, because no such content is in this repository.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../llm/wire.ts';
import { DILIGENT_READERS } from '../rehearse/models/reader.ts';
import {
  createScriptedModel,
  type ScriptedCall,
  type ScriptedReply,
} from '../testing/models/scripted-model.ts';
import { playAs } from '../testing/rigs/play-as.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { convertSource } from './convert-source.ts';
import { importSource } from './import-source.ts';
import { readSource } from './source/read-source.ts';
import { recogniseSource } from './source/recognise-source.ts';
import { UNCHECKED } from './steps/step-proof.ts';

const content = process.env.CREWAGENT_IMPORT_CONTENT ?? '';
const sources =
  content === '' ? [] : readdirSync(content, { withFileTypes: true }).filter((entry) => entry.isDirectory());

const TEMPLATE_TOKEN =
  /\{\{\.\w+[^}]*\}\}|\[\[[a-z-]+:[^\]]+\]\]|\{(?:workflow|agent)\.\w+\}|\$ARGUMENTS|\{SCRIPT\}|\{ARGS\}/g;

describe.skipIf(sources.length === 0)('real content', () => {
  it.each(sources.map(({ name }) => name))(
    '%s: every workflow, no errors, edges with evidence, rehearsed whole',
    async (name) => {
      const source = join(content, name);
      const out = join(await tempFolder(), 'package');
      const { workflows } = recogniseSource(await readSource(source));
      const { report, diagnostics, rehearsal } = await importSource({
        source,
        out,
        context: { runtimeVersion: '1.0.0', knownServers: new Set() },
      });
      expect(report.workflows.map((workflow) => workflow.source).sort()).toEqual(
        workflows.map(({ file }) => file).sort(),
      );
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const { exact, inferred, dropped } = report.totals.edges;
      expect((exact + inferred) / Math.max(1, exact + inferred + dropped)).toBeGreaterThanOrEqual(0.9);
      expect(
        report.workflows.flatMap(({ edges }) => edges).filter(({ evidence }) => evidence.length === 0),
      ).toEqual([]);
      // A file that the source itself lacks is said in the report.
      const failures = rehearsal?.failures ?? [];
      expect(failures.filter(({ kind }) => kind !== 'missing-file')).toEqual([]);
      expect(report.checks?.rehearsal?.missingFiles).toBe(failures.length || undefined);
      expect(rehearsal?.workflows.flatMap(({ missed }) => missed)).toEqual([]);
    },
    300_000,
  );

  it.each(sources.map(({ name }) => name))(
    '%s: every workflow with checks is proved by work, and by nothing less',
    async (name) => {
      const { files, report } = convertSource(await readSource(join(content, name)));
      const pkg = Object.fromEntries([...files].map(([path, bytes]) => [path, String(bytes)]));
      const unchecked = report.constructs
        .filter(({ construct }) => construct === UNCHECKED)
        .map(({ workflow }) => workflow);
      for (const { id } of report.workflows) {
        const lazy = await playAs('lazy', { package: pkg, workflow: id });
        expect([id, lazy.phase]).toEqual([id, unchecked.includes(id) ? 'Completed' : 'WaitingUser']);
        for (const kind of DILIGENT_READERS) {
          const { phase, isProved, stubs } = await playAs(kind, { package: pkg, workflow: id });
          expect([id, kind, phase, isProved, stubs]).toEqual([id, kind, 'Completed', true, []]);
        }
      }
    },
    600_000,
  );

  it.each(sources.map(({ name }) => name))(
    '%s: every step body is in the package byte for byte',
    async (name) => {
      const tree = await readSource(join(content, name));
      const { files } = convertSource(tree);
      const written = [...files.values()].map(String);
      for (const step of recogniseSource(tree).workflows.flatMap(({ steps }) => steps)) {
        const body = (tree.text(step) ?? '').replace(/^---\n[\s\S]*?\n---\n/, '');
        // Tokens of a template are filled.
        if (/\{\{\.|\[\[[a-z]|\{[a-z]\w*\.[a-z]/.test(body)) continue;
        expect(
          written.some((text) => text.endsWith(`---\n${body}`)),
          step,
        ).toBe(true);
      }
    },
  );

  it.each(sources.map(({ name }) => name))(
    '%s: no token of a template is left in a step, a workflow or an agent',
    async (name) => {
      const { files } = convertSource(await readSource(join(content, name)));
      const raw = [...files]
        .filter(([path]) => /\/steps\/|workflow\.md$|^agents\.json$/.test(path))
        .flatMap(([path, bytes]) =>
          [...String(bytes).matchAll(TEMPLATE_TOKEN)].map(([token]) => [path, token]),
        );
      expect(raw).toEqual([]);
    },
  );

  it.each(sources.map(({ name }) => name))(
    '%s: create-product-brief with nine answers takes a good reader at most 16 requests',
    async (name) => {
      const { files } = convertSource(await readSource(join(content, name)));
      const pkg = Object.fromEntries([...files].map(([path, bytes]) => [path, String(bytes)]));
      if (!('workflows/create-product-brief/workflow.md' in pkg)) return;
      const model = createScriptedModel(createBriefReader());
      const rig = await createRunRig({
        package: pkg,
        workflow: 'create-product-brief',
        model,
        project: { 'docs/index.md': '# Documents\n' },
      });
      let stop = await rig.engine.start();
      let answers = 0;
      for (; stop.phase === 'WaitingUser' && answers < 20; answers++) {
        const [question] = rig.eventsOf('question.asked').at(-1)?.questions ?? [];
        stop = await rig.engine.answer({
          [question?.id ?? '']: question?.options?.at(-1) ?? 'Bakers in one town.',
        });
      }
      expect(stop).toEqual({ phase: 'Completed' });
      expect(answers).toBe(9);
      expect(rig.eventsOf('tool.ended').filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      expect(model.requests.length).toBeLessThanOrEqual(16);
    },
  );
});

/** Asks what the step is about, shows a draft with its menu, then writes and leaves; it takes names of files from what it is sent. */
function createBriefReader(): (request: ChatRequest) => ScriptedReply {
  const asked = new Map<string, number>();
  let document = '';
  return ({ messages }) => {
    const sent = String(messages.findLast(({ content }) => String(content).includes('\nSTEP_FILE'))?.content);
    const [, nodeId = ''] = /currentNodeId: (\S+)/.exec(sent) ?? [];
    const times = asked.get(nodeId) ?? 0;
    asked.set(nodeId, times + 1);
    const complete = (next?: string) => call('runtime_complete_node', { nodeId, ...(next ? { next } : {}) });
    if (nodeId === 'step-06-complete')
      return times === 0 ? { calls: [complete()] } : { content: 'The brief is done.' };
    const [, path = ''] = /(?:outputsMap:\n {2}- )(\S+)/.exec(sent) ?? [];
    if (nodeId === 'step-01-init') {
      expect(sent).toContain('- "docs/**": 1 file: ["docs/index.md"]');
      if (times === 0)
        return { calls: [call('ui_ask_user', { question: 'I found docs/index.md. Is there more?' })] };
      document =
        '---\nstepsCompleted: [1]\ninputDocuments: [docs/index.md]\n---\n\n# Product Brief: project\n';
      return { calls: [call('fs_write', { path, content: document }), complete('step-02-vision')] };
    }
    if (times === 0) return { calls: [call('ui_ask_user', { question: 'Whom is it for, and why?' })] };
    const [, list = ''] = /\n {4}headings:\n((?: {6}- .*\n)+)/.exec(sent) ?? [];
    const headings = list
      .split('\n')
      .flatMap((line) => line.replace(/^\s*- /, '').replace(/^"|"$/g, '') || []);
    const draft = headings
      .map((heading) => `\n## ${heading}\n\n${'Bakers in one town sell what is left. '.repeat(8)}\n`)
      .join('');
    if (times === 1)
      return {
        calls: [call('ui_ask_user', { body: draft, question: 'Shall we go on?', options: ['A', 'P', 'C'] })],
      };
    document += draft;
    return { calls: [call('fs_write', { path, content: document }), complete()] };
  };
}

function call(name: string, args: unknown): ScriptedCall {
  return { name, arguments: args };
}
