import { expect, it } from 'vitest';
import { sourceTree } from '../testing/import-sources.ts';
import { convertSource } from './convert-source.ts';

const BREW = `name: brew
description: Brews beer.
nodes:
  - id: taste
    depends_on: [boil]
    when: "$ask.output.size == 'large'"
    prompt: Taste it.
  - id: ask
    model: small
    loop:
      prompt: Ask what to brew for $ARGUMENTS.
      until: AGREED
      interactive: true
  - id: boil
    depends_on: [ask]
    command: boil-water
  - id: note
    depends_on: [taste]
    prompt: |
      # Write it down

      Save $ask.output to \`$ARTIFACTS_DIR/brew.md\`.
  - id: count
    depends_on: [note]
    when: "$ask.output.size == 'small'"
    bash: wc -l
`;

it('[Z10] nodes with dependencies become a graph: calls, loops that wait, conditions that skip', () => {
  const { files, report } = convertSource(
    sourceTree({
      '.kit/workflows/brew.yaml': BREW,
      '.kit/commands/boil-water.md': '---\ndescription: Boils water\n---\n\n# Boil\n\nBoil it.\n',
    }),
  );
  expect(report.source.eras.map(({ era }) => era)).toEqual(['commands']);
  const graph = JSON.parse(String(files.get('workflows/brew/workflow.graph.json'))) as {
    nodes: { id: string; type: string }[];
    edges: { from: string; to: string; label: string; conditionText?: string }[];
  };
  expect(graph.nodes.map(({ id, type }) => `${type} ${id}`)).toEqual([
    'step ask',
    'subworkflow boil',
    'step taste',
    'step note',
    'end count',
    'end end-done',
  ]);
  expect(
    graph.edges.map(({ from, to, label, conditionText = '' }) => [`${from} -${label}> ${to}`, conditionText]),
  ).toEqual([
    ['ask -next> boil', ''],
    ['boil -next> taste', "(size in the result of ask) == 'large'"],
    ['boil -skip to note> note', "Not: (size in the result of ask) == 'large'"],
    ['taste -next> note', ''],
    ['note -next> count', "(size in the result of ask) == 'small'"],
    ['note -done> end-done', "Not: (size in the result of ask) == 'small'"],
  ]);
  const ask = String(files.get('workflows/brew/steps/ask.md'));
  expect(ask).toContain('waits: true');
  expect(ask).toContain('Ask what to brew for (what the person asked for).');
  const note = String(files.get('workflows/brew/steps/note.md'));
  expect(note).toContain('path: artifacts/brew.md');
  expect(note).toContain('Save (the result of ask) to `artifacts/brew.md`.');
  expect(report.constructs.map(({ message }) => message)).toContain('Not used by the runtime: model.');
});
