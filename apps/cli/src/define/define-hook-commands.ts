/** Options and help of `crewagent hooks`. */
import type { Command } from 'commander';
import { add, type Done, lazily, parseCount, repeated } from './help-text.ts';

const NAME = { '<name>': 'the name of a hook' };

export function defineHookCommands(program: Command, done: Done): void {
  const load = () => import('../commands/hooks.ts');
  const hooks = add(
    program,
    'hooks',
    'programs and addresses that are called when something happens',
  ).addHelpText(
    'after',
    `
Events: node.before-leave, file.written, run.waiting, run.ended, approval.requested.
A hook gets JSON and may answer {"deny": "reason"} for the first and the last of them, or {"message": "text"}.

Examples:
  $ crewagent hooks add lint --on node.before-leave -- node check.mjs
  $ crewagent hooks add chat --on run.waiting --url https://hooks.example.org/x --body message.json
  $ crewagent hooks test lint
`,
  );
  const command = hooks
    .command('add')
    .description('add a hook, or replace it')
    .argument('<name>', 'a name for it')
    .argument('[command...]', 'the program and its arguments, after --');
  command
    .option(...repeated('--on <event>', 'when it is called; repeat for others'))
    .option('--url <address>', 'POST to this address instead of a program')
    .option('--secret-env <name>', 'the environment variable with the secret that requests are signed with')
    .option('--body <file>', 'a file with the JSON to send, with {{summary}} and other fields')
    .option('--timeout <seconds>', 'how long it may take (default: 10)', parseCount)
    .option('--fail-closed', 'deny what it could deny if it fails')
    .option('--no-sandbox', 'run the program without a sandbox')
    .option(...repeated('--allow-host <name>', 'let the program in the sandbox reach this host'))
    .action(lazily(load, 'addHook', done));
  add(hooks, 'list', 'list the hooks that are called')
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'listHooks', done));
  add(hooks, 'test', 'call a hook with a made-up event, and show what it answers', NAME)
    .option('--on <event>', 'the event (default: the first of the hook)')
    .option('-p, --project <dir>', 'the project it runs in', '.')
    .option('--json', 'print the answer as JSON')
    .action(lazily(load, 'tryHook', done));
  add(hooks, 'remove', 'remove a hook', NAME).action(lazily(load, 'removeHook', done));
}
