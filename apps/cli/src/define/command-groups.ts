/** The commands by the groups of the help text, each defined by one function. */
import type { Command } from 'commander';
import { defineConfigCommands } from './define-config-commands.ts';
import { defineConversationCommands } from './define-conversation-commands.ts';
import { defineDoorCommands } from './define-door-commands.ts';
import { defineForkCommands } from './define-fork-commands.ts';
import { defineHistoryCommands } from './define-history-commands.ts';
import { defineHookCommands } from './define-hook-commands.ts';
import { defineMcpCommands } from './define-mcp-commands.ts';
import { definePackageCommands } from './define-package-commands.ts';
import { definePolicyCommands } from './define-policy-commands.ts';
import { defineReportCommands } from './define-report-commands.ts';
import { defineRunCommands } from './define-run-commands.ts';
import { defineServeCommands } from './define-serve-commands.ts';
import { defineSharingCommands } from './define-sharing-commands.ts';
import { defineShellCommands } from './define-shell-commands.ts';
import { defineTeamCommands, defineTransferCommands } from './define-team-commands.ts';
import type { Done } from './help-text.ts';

interface CommandGroup {
  readonly title: string;
  readonly names: readonly string[];
  define(program: Command, done: Done): void;
}

/** In the order of the help text. If a command is given, only its group is defined. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'Run workflows:',
    names: ['run', 'resume', 'answer', 'approve', 'skip', 'waive', 'stop'],
    define: defineRunCommands,
  },
  {
    title: 'Conversations:',
    names: ['agent', 'chat', 'acp', 'conversations'],
    define: defineConversationCommands,
  },
  {
    title: 'Inspect runs:',
    names: ['runs', 'show', 'status', 'rerun', 'rights', 'rewind', 'upgrade', 'undo', 'search', 'models'],
    define: defineHistoryCommands,
  },
  { title: 'Inspect runs:', names: ['fork', 'compare'], define: defineForkCommands },
  {
    title: 'Write packages:',
    names: ['new', 'dev', 'validate', 'pack', 'import', 'packages', 'lsp', 'schemas'],
    define: definePackageCommands,
  },
  {
    title: 'Write packages:',
    names: ['rehearse', 'test', 'prompt', 'export', 'open'],
    define: defineReportCommands,
  },
  { title: 'Write packages:', names: ['publish', 'keys'], define: defineSharingCommands },
  { title: 'Serve:', names: ['serve', 'licenses'], define: defineServeCommands },
  { title: 'Serve:', names: ['worker', 'team'], define: defineTeamCommands },
  { title: 'Serve:', names: ['push', 'pull'], define: defineTransferCommands },
  { title: 'Set up:', names: ['config', 'model', 'doctor'], define: defineConfigCommands },
  { title: 'Set up:', names: ['mcp'], define: defineMcpCommands },
  { title: 'Set up:', names: ['shell'], define: defineShellCommands },
  { title: 'Set up:', names: ['hooks'], define: defineHookCommands },
  { title: 'Set up:', names: ['policy'], define: definePolicyCommands },
  { title: 'Set up:', names: ['connect', 'disconnect', 'export-skill'], define: defineDoorCommands },
];
