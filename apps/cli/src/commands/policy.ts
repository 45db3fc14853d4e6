/** `crewagent policy`: validates, explains and signs what an organisation allows. */
import { resolve } from 'node:path';
import {
  CrewError,
  chooseModel,
  createPolicySource,
  findOwnKey,
  findRefusal,
  listInstalled,
  type PolicyQuestion,
  resolveInstalled,
  showPolicies,
  signPolicy,
  toModelQuestion,
  toServerQuestion,
  type UserStore,
} from '@crewagent/core';
import { isStdio } from '@crewagent/protocol/mcp';
import type { ShownPolicy } from '@crewagent/protocol/policy';
import { type DoorKind, doorSchema } from '@crewagent/protocol/policy';
import { toPlainWords } from '@crewagent/protocol/shell';
import { approvalPresetSchema } from '@crewagent/protocol/tools';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { say } from '../print/texts/say.ts';
import { print, printDone, sanitize, style } from '../terminal.ts';

export async function check(file: string | undefined, options: { json?: true }): Promise<ExitCode> {
  const { env } = hostProcess();
  const source =
    file === undefined ? openStore().policy : createPolicySource({ ...env, CREWAGENT_POLICY: file });
  const all = await showPolicies(source);
  const policies = file === undefined ? all : all.filter(({ place }) => place === resolve(file));
  if (options.json) print(JSON.stringify(policies));
  else if (policies.length === 0) {
    print(say('none.policy'));
    for (const { path } of source.places) print(`  ${sanitize(path)}`);
  } else for (const policy of policies) printPolicy(policy);
  return policies.some(({ problem }) => problem !== undefined) ? EXIT.failed : EXIT.ok;
}

function printPolicy({ place, problem, organisation, contact, signedBy, rules = [] }: ShownPolicy): void {
  print(
    `${style(problem === undefined ? 'green' : 'red', problem === undefined ? '✔' : '✘')} ${sanitize(place)}`,
  );
  if (problem !== undefined) {
    print(`  ${sanitize(problem)}`);
    return;
  }
  const facts = [organisation, contact, signedBy && `signed by ${signedBy}`].filter(Boolean);
  if (facts.length > 0) print(style('dim', `  ${sanitize(facts.join(' · '))}`));
  for (const { rule, value } of rules) print(`  ${sanitize(rule)}: ${sanitize(value || 'nothing', 2_000)}`);
  if (rules.length === 0) print('  It has no rules.');
}

interface ExplainOptions {
  readonly package?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly server?: string;
  readonly command?: string;
  readonly host?: string;
  readonly address?: string;
  readonly preset?: string;
  readonly agent?: string;
  readonly over?: string;
  readonly push?: true;
  readonly json?: true;
}

export async function explain(options: ExplainOptions): Promise<ExitCode> {
  const store = openStore();
  const policies = await store.policy.read();
  const asked = await toQuestions(options, store);
  if (asked.length === 0)
    throw new CrewError('USAGE', 'Say what to explain, such as --model NAME or --command "npm test".');
  const answers = asked.map(([subject, question]) => {
    const refusal = findRefusal(policies, question);
    return {
      subject,
      isAllowed: !refusal,
      rule: refusal?.rule,
      place: refusal?.place,
      reason: refusal?.message,
    };
  });
  if (options.json) print(JSON.stringify(answers));
  else
    for (const { subject, isAllowed, rule, place, reason } of answers) {
      if (isAllowed) printDone(`${sanitize(subject)}: ${allowedBy(policies.length)}`);
      else {
        print(
          `${style('red', '✘')} ${sanitize(subject)}: refused by rule "${rule}" of ${sanitize(place ?? '')}`,
        );
        print(`  ${sanitize(reason ?? '')}`);
      }
    }
  return answers.every(({ isAllowed }) => isAllowed) ? EXIT.ok : EXIT.failed;
}

function allowedBy(count: number): string {
  return count === 0 ? 'allowed, because no policy holds here' : 'allowed, because no rule forbids it';
}

type Asked = readonly (readonly [subject: string, question: PolicyQuestion])[];

async function toQuestions(options: ExplainOptions, store: UserStore): Promise<Asked> {
  const { model, baseUrl, server, command, host, address, preset, agent, over, push } = options;
  const asked: [string, PolicyQuestion][] = [];
  if (options.package !== undefined)
    asked.push([`package ${options.package}`, await toPackageQuestion(options.package, store)]);
  if (model !== undefined || baseUrl !== undefined) {
    const found = chooseModel({ model, baseUrl }, await store.settings.load(), hostProcess().env);
    if (found.kind === 'provider')
      asked.push([`model ${found.settings.model}`, await toModelQuestion(found.settings)]);
  }
  if (server !== undefined) asked.push([`server ${server}`, await toServer(server, store)]);
  if (command !== undefined)
    asked.push([`command ${command}`, { kind: 'command', words: toPlainWords(command), line: command }]);
  if (host !== undefined) asked.push([`host ${host}`, { kind: 'host', host }]);
  if (address !== undefined) asked.push([`address ${address}`, { kind: 'address', address: toUrl(address) }]);
  if (preset !== undefined) asked.push([`preset ${preset}`, toPresetQuestion(preset)]);
  if (agent !== undefined || over !== undefined)
    for (const way of toDoors(over))
      asked.push([`agent ${agent ?? 'without a name'} over ${way}`, { kind: 'door', agent, over: way }]);
  if (push) asked.push(['push', { kind: 'push' }]);
  return asked;
}

/** An installed one is judged by its hash and its signature as well. */
async function toPackageQuestion(ref: string, store: UserStore): Promise<PolicyQuestion> {
  const names = (await listInstalled(store)).flatMap(({ hash, name }) => [hash, name]);
  const isInstalled = names.some(
    (name) => name === ref || (/^[0-9a-f]{6,}$/.test(ref) && name.startsWith(ref)),
  );
  if (!isInstalled) return { kind: 'package', name: ref, sha256: undefined, signer: undefined };
  const { hash, name } = await resolveInstalled(store, ref, { isNewest: true });
  const signature = (await store.packages.readOrigin(hash))?.signature;
  return { kind: 'package', name, sha256: hash, signer: signature?.key };
}

/** A server of the settings, else an address or a command line. */
async function toServer(ref: string, store: UserStore): Promise<PolicyQuestion> {
  const { servers } = (await store.settings.load()).mcp;
  const known = Object.hasOwn(servers, ref) ? servers[ref] : undefined;
  if (known) return toServerQuestion(isStdio(known) ? known : { url: known.url });
  return /^https?:\/\//.test(ref)
    ? { kind: 'server', target: toUrl(ref) }
    : { kind: 'server', target: ref.trim().split(/\s+/) };
}

function toDoors(text: string | undefined): readonly DoorKind[] {
  const { options } = doorSchema;
  if (text === undefined) return options;
  const door = doorSchema.safeParse(text);
  if (door.success) return [door.data];
  throw new CrewError('USAGE', `Give one of ${options.join(', ')} with --over.`);
}

function toPresetQuestion(text: string): PolicyQuestion {
  const preset = approvalPresetSchema.safeParse(text);
  if (preset.success) return { kind: 'approval', preset: preset.data };
  throw new CrewError('USAGE', `The preset must be one of ${approvalPresetSchema.options.join(', ')}.`);
}

function toUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new CrewError(
    'USAGE',
    `"${text.slice(0, 200)}" is not an address. Give one like https://example.org.`,
  );
}

export async function sign(file: string, options: { key?: string }): Promise<void> {
  const key = await findOwnKey(options.key, openStore());
  const path = resolve(file);
  await signPolicy(path, key.privateKey);
  printDone(`${sanitize(path)} is signed by ${key.fingerprint}`);
  print(
    style('dim', `  Place it together with ${sanitize(path)}.sig, and with ${sanitize(path)}.pub or the`),
  );
  print(style('dim', `  variable CREWAGENT_POLICY_KEY=${key.key}`));
}
