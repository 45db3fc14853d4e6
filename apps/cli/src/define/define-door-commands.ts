/** Options and help of the commands that bring workflows into other agents. */
import type { Command } from 'commander';
import { add, type Done, lazily, withExamples } from './help-text.ts';

const AGENT = { '<agent>': 'claude-code, codex, cursor, opencode, vscode or zed' };
const SCOPE = [
  '--scope <scope>',
  'project or user: whose configuration (default: the one that is usual there)',
] as const;
const PROJECT = ['--project <folder>', 'the project', '.'] as const;

export function defineDoorCommands(program: Command, done: Done): void {
  const load = () => import('../commands/connect.ts');
  add(
    program,
    'connect',
    'let another agent run workflows: adds "crewagent mcp serve" to its configuration',
    AGENT,
  )
    .option(...SCOPE)
    .option(...PROJECT)
    .option('--yes', 'write it without asking')
    .addHelpText(...withExamples('crewagent connect claude-code', 'crewagent connect codex --yes'))
    .action(lazily(load, 'connect', done));
  add(program, 'disconnect', 'take that out of its configuration again', AGENT)
    .option(...SCOPE)
    .option(...PROJECT)
    .option('--yes', 'write it without asking')
    .action(lazily(load, 'disconnect', done));
  add(program, 'export-skill', 'write a skill (SKILL.md) that runs an installed package in another agent', {
    '<package>': 'name or hash of an installed package',
  })
    .requiredOption('-o, --out <folder>', 'where the folder of the skill is created')
    .action(lazily(() => import('../commands/export-skill.ts'), 'exportSkill', done));
}
