/**
 * Options and help of `crewagent agent`, `chat` and `conversations`.
 */
import { type Command, Option } from 'commander';
import type { ConversationOptions } from '../commands/agent.ts';
import { collect, type Done, examples } from './help-text.ts';
import { addLimitOptions, approveOption } from './limit-options.ts';
import { addModelOptions } from './model-options.ts';

const CONVERSATION = 'its id, the beginning or end of it, or "last"';
const EXIT_CODES = `
Exit codes without a terminal: 0 done, 1 failed, 2 bad usage or a rejected command, 3 waiting for a person,
4 paused by a limit, 130 interrupted.
`;

export function defineConversationCommands(program: Command, done: Done): void {
  addConversationOptions(
    program
      .command('agent')
      .description('talk to an agent of a package and choose from its menu')
      .argument('<package>', 'a .bmad or .zip file, a package folder, or an installed id')
      .argument('[agent]', 'its id or name (default: the first with a menu)'),
    'the latest with an agent of the package',
  )
    .addHelpText(
      'after',
      `${examples(
        'crewagent agent examples/create-story-micro',
        'crewagent agent story.bmad sm -p ~/my-project --model local',
        'crewagent agent story.bmad --continue',
        'crewagent agent story.bmad -i create-story -i 1-2-user-login --json',
      )}${EXIT_CODES}`,
    )
    .action(async (pkg: string, agent: string | undefined, options: ConversationOptions) => {
      done(await (await import('../commands/agent.ts')).agent(pkg, agent, options));
    });

  addConversationOptions(
    program.command('chat').description('talk to the model about a project folder'),
    'the latest chat in the project',
  )
    .addHelpText(
      'after',
      `${examples(
        'crewagent chat -p ~/my-project',
        'crewagent chat --continue',
        'crewagent chat -i "What is in docs?" --approve read-only',
      )}${EXIT_CODES}`,
    )
    .action(async (options: ConversationOptions) => {
      done(await (await import('../commands/agent.ts')).chat(options));
    });

  defineConversations(program, done);
}

function addConversationOptions(command: Command, latest: string): Command {
  const own = command
    .option('-p, --project <dir>', 'the folder to work in (default: this one)')
    .option('--continue [id]', `continue a conversation (default: ${latest})`)
    .option('-i, --input <text>', 'a line to type; repeat for further lines', collect, [])
    .addOption(approveOption().conflicts('continue'))
    .option('--record <file>', "record the model's requests and replies to a file for --replay")
    .option('--json', 'print one event per line, and the result as the last line');
  return addLimitOptions(addModelOptions(own), 'continue');
}

function defineConversations(program: Command, done: Done): void {
  const load = () => import('../commands/conversations.ts');
  const conversations = program
    .command('conversations')
    .description('list conversations, show, rename, archive or delete one')
    .addHelpText(
      'after',
      examples(
        'crewagent conversations',
        'crewagent conversations list --project . --all',
        'crewagent conversations show last',
        'crewagent conversations rename last "The login story"',
      ),
    );

  conversations
    .command('list', { isDefault: true })
    .description('list conversations, the latest first')
    .option('-p, --project <dir>', 'only those in this folder')
    .option('--all', 'include archived conversations')
    .option('--json', 'print a JSON array')
    .action(async (options: { project?: string; all?: true; json?: true }) => {
      done(await (await load()).list(options));
    });
  conversations
    .command('show')
    .description('show the messages and actions of a conversation')
    .argument('<conversation>', CONVERSATION)
    .option('--json', 'print it as JSON')
    .action(async (ref: string, options: { json?: true }) => {
      done(await (await load()).show(ref, options));
    });
  conversations
    .command('rename')
    .description('change the title of a conversation')
    .argument('<conversation>', CONVERSATION)
    .argument('<title...>', 'the title')
    .action(async (ref: string, title: string[]) => {
      done(await (await load()).rename(ref, title.join(' ')));
    });
  conversations
    .command('archive')
    .description('archive a conversation; nothing is deleted')
    .argument('<conversation>', CONVERSATION)
    .addOption(new Option('--undo', 'restore it'))
    .action(async (ref: string, options: { undo?: true }) => {
      done(await (await load()).archive(ref, options));
    });
  conversations
    .command('delete')
    .description('delete a conversation with its runs and logs; files in the project stay')
    .argument('<conversation>', CONVERSATION)
    .option('--yes', 'delete without asking')
    .action(async (ref: string, options: { yes?: true }) => {
      done(await (await load()).remove(ref, options));
    });
}
