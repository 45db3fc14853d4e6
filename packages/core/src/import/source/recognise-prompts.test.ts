import { describe, expect, it } from 'vitest';
import { sourceTree } from '../../testing/import-sources.ts';
import { findCommands } from './recognise-prompts.ts';
import { recogniseSource } from './recognise-source.ts';

const head = (...lines: string[]): string => `---\n${lines.join('\n')}\n---\n\nText.\n`;

describe('prompts of other tools', () => {
  it('[Z1] in a folder of commands every page is one, with or without a description', () => {
    const tree = sourceTree({
      'commands/ship/pack.md': head('allowed-tools: Read, Write'),
      'commands/list.md': '# List\n\nList all.\n',
      'commands/README.md': head('description: About the commands'),
      'docs/commands/pack.md': head('description: How to pack'),
    });
    expect([...findCommands(tree)]).toEqual(['commands/ship/pack.md', 'commands/list.md']);
  });

  it('[Z1] elsewhere a page is one that takes the arguments of a command', () => {
    const tree = sourceTree({
      'tools/weigh.md': `${head('model: small')}\n$ARGUMENTS\n`,
      'tools/measure.md': '# Measure\n\n$ARGUMENTS\n',
      'tools/notes.md': '# Notes\n',
      'guides/weigh.md': '# Guide\n\nWhat $ARGUMENTS are.\n',
    });
    expect([...findCommands(tree)]).toEqual(['tools/weigh.md', 'tools/measure.md']);
  });

  it('[Z1] files named as prompts, agents and modes are recognised in any folder', () => {
    const { workflows, agents } = recogniseSource(
      sourceTree({
        '.github/prompts/weigh.prompt.md': head("description: 'Weighs a parcel'"),
        'modes/packer.chatmode.md': head('description: Packs parcels'),
        'agents/sorter.agent.md': head('description: Sorts parcels'),
        'rules/paper.instructions.md': head('description: Paper only', "applyTo: '**'"),
      }),
    );
    expect(workflows.map(({ kind, file }) => `${kind} ${file}`)).toEqual([
      'command .github/prompts/weigh.prompt.md',
    ]);
    expect(agents.map(({ form, file }) => `${form} ${file}`)).toEqual([
      'prompt agents/sorter.agent.md',
      'prompt modes/packer.chatmode.md',
    ]);
  });
});
