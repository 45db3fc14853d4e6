/** Options and help of `crewagent policy`. */
import type { Command } from 'commander';
import { add, type Done, lazily, withExamples } from './help-text.ts';

export function definePolicyCommands(program: Command, done: Done): void {
  const load = () => import('../commands/policy.ts');
  const policy = add(program, 'policy', 'what an organisation allows on this machine').addHelpText(
    ...withExamples(
      'crewagent policy check',
      'crewagent policy check ./policy.json',
      'crewagent policy explain --model gpt-5 --preset autopilot',
      'crewagent policy sign ./policy.json --key Ada',
    ),
  );
  add(policy, 'check', 'validate a policy with its signature, and list its rules', {
    '[file]': 'a policy (default: those that hold on this machine)',
  })
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'check', done));
  add(policy, 'explain', 'say whether something is allowed, and which rule decided')
    .option('--package <name>', 'an installed package, or a name')
    .option('--model <name>', 'a model of the settings, or its name')
    .option('--base-url <url>', 'the address of the model')
    .option('--server <name>', 'an MCP server of the settings, an address, or a command line')
    .option('--command <line>', 'a command of a model')
    .option('--host <name>', 'a host that commands reach')
    .option('--address <url>', 'an address that is connected to')
    .option('--preset <preset>', 'read-only, ask or autopilot')
    .option('--agent <name>', 'another agent or editor, as it calls itself')
    .option('--over <way>', 'its way in: mcp-stdio, mcp-http or acp (default: each)')
    .option('--push', 'moving runs to another server')
    .option('--json', 'print the answers as JSON')
    .action(lazily(load, 'explain', done));
  add(policy, 'sign', 'sign a policy with a key of yours', { '<file>': 'a policy' })
    .option('--key <name>', 'sign with this key (default: your only key)')
    .action(lazily(load, 'sign', done));
}
