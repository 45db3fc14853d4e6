import { join } from 'node:path';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { EvidenceVisit } from '@crewagent/protocol/evidence';
import { hasInvisible } from '@crewagent/protocol/plain-text';
import type { ReasonCode } from '@crewagent/protocol/reason-codes';
import type { RunRecord } from '@crewagent/protocol/run';
import { foldStory } from '@crewagent/protocol/story/fold-story';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { createRuntimeRig } from '../testing/rigs/runtime-rig.ts';
import { sampleDraft } from '../testing/sample-record.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { exportRun, toJson } from './export-run.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';
import type { RunEvidence } from './read-evidence.ts';
import type { ExportSource } from './report.ts';
import { toReport } from './report.ts';

const EVIL = '</pre></title><script>alert(1)</script>\u001b[31m\u202egnp.\u200b![x](http://e.vil/p)```\n# hi';

/** A run in which every text is untrusted. */
function runOf(text: string, linkBase?: string) {
  const ts = '2026-01-31T09:30:00.000Z';
  const facts: RunFact[] = [
    {
      type: 'run.created',
      package: { name: text, version: text, hash: 'a'.repeat(64) },
      workflow: { ref: text, title: text },
      nodes: [{ id: text, title: text, type: 'step' }],
      entryNodeId: text,
      activeAgentId: text,
      model: { kind: 'replay', file: text },
      variables: { [text]: text },
    },
    { type: 'message.completed', role: 'user', purpose: 'input', content: text, nodeId: text },
    {
      type: 'message.completed',
      role: 'assistant',
      purpose: 'reply',
      content: text,
      nodeId: text,
      reasoning: text,
      toolCalls: [{ id: 'c1', name: text, arguments: text }],
    },
    { type: 'tool.started', callId: 'c1', name: text, path: text },
    { type: 'approval.requested', callId: 'c1', tool: text, path: text, diff: text },
    { type: 'approval.resolved', callId: 'c1', tool: text, path: text, decision: 'once', note: text },
    {
      type: 'tool.ended',
      callId: 'c1',
      name: text,
      outcome: 'failed',
      code: text,
      durationMs: 1,
      content: text,
    },
    {
      type: 'question.asked',
      callId: 'c2',
      questions: [{ id: text, prompt: text, type: 'choice', options: [text] }],
    },
    { type: 'question.answered', callId: 'c2', answers: { [text]: text } },
    { type: 'artifact.written', path: `@project/${text}` },
    {
      type: 'changes.undone',
      direction: 'undo',
      selection: { all: true },
      files: [{ path: text, outcome: 'restored' }],
    },
    { type: 'warning', code: text, message: text },
    {
      type: 'state.changed',
      from: text,
      to: `${text}2`,
      label: text,
      variables: {},
      stepsAdded: [],
      decisionsAdded: [],
      notes: [text],
      sha256: '',
    },
    { type: 'error', code: text, message: text },
    { type: 'phase.changed', phase: 'Failed', reason: { code: text as ReasonCode, message: text } },
  ];
  const events = facts.map((fact, index) => ({ v: 1, seq: index + 1, ts, runId: 'r', ...fact }) as RunEvent);
  const { stateTemplate: _, entryNodeId: __, ...draft } = sampleDraft();
  const record: RunRecord = {
    ...draft,
    schemaVersion: 1,
    workId: '01890a5d-ac96-7bbd-8000-0000000000bb',
    kind: 'workflow',
    packageName: text,
    packageVersion: text,
    workflowRef: text,
    workflowTitle: text,
    activeAgentId: text,
    model: { kind: 'replay', file: text },
    phase: 'Failed',
    createdAt: ts,
    updatedAt: ts,
  };
  const source: ExportSource = {
    record,
    view: foldStory('r', events),
    log: { lastSeq: 1, isIntact: true },
    evidence: evidenceOf(text),
  };
  return { source, story: toReport(source, { linkBase }) };
}

function evidenceOf(text: string): RunEvidence {
  const visit: EvidenceVisit = {
    nodeId: text,
    title: text,
    visit: 2,
    outcome: 'waived',
    turns: 1,
    usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 0 },
    startedAt: '2026-01-31T09:30:00.000Z',
    endedAt: '2026-01-31T09:30:04.000Z',
    durationMs: 4_000,
    spoken: [{ kind: 'message', text, seq: 1 }],
    files: [{ path: text, after: text, bytes: 3, isOutsideEdit: true }],
    checks: [{ id: text, kind: 'exists', ok: false, message: text, isWaived: true }],
    waivers: [{ check: text, reason: text }],
    refusals: { [text]: 2 },
    decision: { to: text, label: text, reason: text, by: 'person' },
    outputsMissing: [text],
    calledRunId: 'child',
  };
  const totals = { nodes: 1, proved: 0, claimed: 0, waived: 1, missing: 0, nothing: 0, open: 0 };
  const sheet = {
    runId: 'r',
    visits: [visit],
    totals,
    isProved: false,
    waivers: [],
    missing: [],
    called: [],
  };
  return { ...sheet, called: [{ ...sheet, runId: 'child' }] };
}

/** Hostile strings: markup, invisible characters, lone surrogates. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '&',
        '"',
        "'",
        '`',
        '```',
        '~~~',
        '\n',
        '\r',
        '[',
        '](',
        ')',
        '|',
        '\\',
        '<!--',
        '-->',
      ),
      fc.constantFrom(
        '<script>',
        '</pre>',
        '</details>',
        'javascript:',
        'https://e.vil',
        'www.e.vil',
        '@team',
      ),
      fc.constantFrom(
        '\u001b[2J',
        '\u0007',
        '\u009b',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\u0000',
        '\ud800',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => `x${parts.join('')}`);

describe('untrusted text', () => {
  const tagsOf = (page: string): string[] => page.match(/<[^>]*>?/g) ?? [];
  const benign = new Set([
    ...tagsOf(toHtml(runOf('x').story)),
    '<span class="added">',
    '<span class="removed">',
    '<span class="hunk">',
    '</span>',
    '<small>',
    '</small>',
  ]);

  it('[X20] never becomes a tag of the page', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const page = toHtml(runOf(text).story);
        expect(tagsOf(page).filter((tag) => !benign.has(tag))).toEqual([]);
      }),
    );
  });

  it('[X20] is a single quoted URL in a link', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const page = toHtml(runOf(text, './').story);
        const links = tagsOf(page).filter((tag) => tag.startsWith('<a '));
        expect(links).toHaveLength(1);
        expect(links[0]).toMatch(/^<a href="\.\/[\w.~%/-]*">$/);
      }),
    );
  });

  it('[X20] closes no block of the Markdown and formats nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const outside = outsideFences(toMarkdown(runOf(text).story));
        for (const line of outside) expect(bareMarks(line)).toEqual([]);
      }),
    );
  });

  it('[X20] leaves no invisible characters in an export', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { source, story } = runOf(text);
        for (const document of [toHtml(story), toMarkdown(story), toJson(source)])
          expect(hasInvisible(document.replaceAll('\n', ''))).toBe(false);
        const shown = JSON.parse(toJson(source)) as { record: { packageName: string } };
        expect(shown.record.packageName).toBe(text);
      }),
    );
  });

  it('[X20] a hostile package, answer and file stay harmless in a real run', async () => {
    const rig = await createRuntimeRig({ 'notes.md': EVIL });
    const folder = join(await tempFolder(), 'package');
    const questions = [{ id: 'q', prompt: EVIL, type: 'text' }];
    const asking = `---\nschemaVersion: "1.1"\nnodeId: step-01\ntype: step\nsetsVariables: [mood]\n---\n\nWAIT\n\n\`\`\`json\n${JSON.stringify({ questions })}\n\`\`\`\n`;
    await writeTree(
      folder,
      samplePackage(
        ({ bmad, graph }) => {
          bmad.name = EVIL;
          for (const node of graph.nodes) node.title = EVIL;
          for (const node of graph.nodes) if (node.id === 'step-01') node.inputs = ['notes.md', 'missing.md'];
          for (const edge of graph.edges) edge.label = EVIL;
        },
        { 'steps/step-01.md': asking },
      ),
    );
    const { engine, record } = await rig.create({ package: folder });
    await engine.start();
    expect(await engine.answer({ q: EVIL })).toEqual({ phase: 'Completed' });
    const { view, log } = await rig.showRun();
    const report: ExportSource = { record, view: view.own, log };
    const { store } = rig.runtime;
    const page = await exportRun(report, { store, format: 'html' });
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(tagsOf(page).filter((tag) => /^<\/?(?:script|title|img|a)\b/.test(tag))).toEqual([
      '<title>',
      '</title>',
    ]);
    for (const format of ['md', 'json', 'html'] as const) {
      const text = await exportRun(report, { store, format });
      expect(hasInvisible(text.replaceAll('\n', ''))).toBe(false);
      expect(text).toContain('alert(1)');
    }
    const outside = outsideFences(await exportRun(report, { store, format: 'md' }));
    for (const line of outside) expect(bareMarks(line)).toEqual([]);
  });
});

describe('the page', () => {
  const page = toHtml(runOf('x').story);

  it('[X22] runs nothing and loads nothing', () => {
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    );
    expect(page).not.toMatch(
      /<(?:script|link|iframe|object|embed|img|base|form)\b|\bon\w+=|url\(|@import|\bsrc=/i,
    );
  });

  it('[X22] supports light and dark mode, and printing', () => {
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('@media print');
  });
});

describe('length', () => {
  const lengthOf = (text: string): number => toHtml(runOf(text).story).length;

  it('[X20] long texts are truncated, with a note of what is missing', () => {
    const long = 'y'.repeat(300_000);
    const { story } = runOf(long);
    const answers = toMarkdown(story).match(/\d+ more characters were omitted\./g) ?? [];
    expect(answers).toContain('296000 more characters were omitted.');
    expect(answers).toContain('250000 more characters were omitted.');
    expect(lengthOf('y'.repeat(5_000_000))).toBeLessThan(1_000_000);
  });

  it('[X20] the more tool calls there are, the less is shown of each', () => {
    const { source } = runOf('x');
    const tool = source.view.timeline.find(({ kind }) => kind === 'tool');
    const many = Array.from({ length: 6_000 }, () => ({ ...tool, answer: 'z'.repeat(10_000) }));
    const story = toReport({
      ...source,
      view: { ...source.view, timeline: many as typeof source.view.timeline },
    });
    expect(toHtml(story).length).toBeLessThan(8_000_000);
  });
});

/** The lines outside of fences; an unclosed fence is an error. */
function outsideFences(markdown: string): string[] {
  const lines: string[] = [];
  let fence = '';
  for (const line of markdown.split('\n')) {
    if (fence === '') {
      fence = /^(`{3,})text$/.exec(line)?.[1] ?? '';
      if (fence === '') lines.push(line);
    } else if (line === fence) fence = '';
  }
  expect(fence).toBe('');
  return lines;
}

const OURS = /^<details><summary>[A-Z][a-z ]+<\/summary>$|^<\/details>$|^\|---\|---\|$|^\| \| \|$/;

/** Markdown syntax outside of code that a renderer would apply. */
function bareMarks(line: string): string[] {
  if (OURS.test(line)) return [];
  const text = line
    .replace(/(?<![\\`])(`+)(?!`)(.*?[^`])\1(?!`)/g, '')
    .replace(/\\[!-/:-@[-`{-~]/g, '')
    .replace(/^(?:#+ |- (?:\[[ x]\] )?)|\*\*[\w ]+:?\*\*/g, '')
    .replace(/^\| (.*) \| (.*) \|$/, '$1 $2');
  return text.match(/[<>`*_[\]|~]|https?:|www\./gi) ?? [];
}
