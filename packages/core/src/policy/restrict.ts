/**
 * The one place where policies are merged with what a person set: `findRefusal` judges what is about to happen, `restrictX` makes a
 * setting narrower. Several policies hold together, so a result is never wider than any of them. Pure.
 */

import { toPlainText } from '@crewagent/protocol/plain-text';
import type { DoorKind, Policy, ShownPolicy } from '@crewagent/protocol/policy';
import type { RunLimits, Settings } from '@crewagent/protocol/settings';
import type { ShellSettings } from '@crewagent/protocol/shell';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import type { LoadedPolicy, Policies } from './loaded-policy.ts';

/** What is about to happen. */
export type PolicyQuestion =
  | {
      readonly kind: 'model';
      readonly provider: string;
      readonly name: string;
      /** Undefined for a model in a process of ours. */
      readonly address: URL | undefined;
      /** Whether the address is the provider's own. */
      readonly isOwnAddress: boolean;
    }
  | { readonly kind: 'address'; readonly address: URL }
  | { readonly kind: 'server'; readonly target: URL | readonly string[] }
  | { readonly kind: 'shell'; readonly isIsolated: boolean }
  /** `words`: undefined for a line that a shell interprets. */
  | { readonly kind: 'command'; readonly words: readonly string[] | undefined; readonly line: string }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'approval'; readonly preset: ApprovalPreset }
  | {
      readonly kind: 'package';
      readonly sha256: string | undefined;
      readonly name: string;
      /** The key of a verified signature. */
      readonly signer: string | undefined;
    }
  | { readonly kind: 'hooks' }
  /** `agent`: as the program on the other side calls itself; undefined if it says nothing. */
  | { readonly kind: 'door'; readonly over: DoorKind; readonly agent: string | undefined }
  | { readonly kind: 'push' };

export interface Refusal {
  /** Path in the policy, such as `models.names`. */
  readonly rule: string;
  readonly place: string;
  /** The sentence for people and models; names the rule and no path of this machine. */
  readonly message: string;
}

/** The first rule that forbids it; undefined if it is allowed. */
export function findRefusal(policies: Policies, question: PolicyQuestion): Refusal | undefined {
  for (const loaded of policies) {
    const found = judge(loaded.policy, question);
    if (found) return { rule: found.rule, place: loaded.place, message: toMessage(loaded, found) };
  }
  return undefined;
}

/** Throws POLICY_FORBIDS, with the rule. */
export function requireAllowed(policies: Policies, question: PolicyQuestion): void {
  const refusal = findRefusal(policies, question);
  if (refusal) throw new CrewError('POLICY_FORBIDS', refusal.message, { details: { rule: refusal.rule } });
}

interface Judged {
  readonly rule: string;
  /** What is forbidden, as the subject of a sentence. */
  readonly what: string;
}

function judge(policy: Policy, question: PolicyQuestion): Judged | undefined {
  switch (question.kind) {
    case 'model':
      return judgeModel(policy, question);
    case 'address':
      return judgeAddress(policy, question.address);
    case 'server':
      return judgeServer(policy, question.target);
    case 'shell':
    case 'command':
      return judgeCommand(policy, question);
    case 'host':
      return outside(policy.shell?.hosts, (host) => matches(host, question.host.toLowerCase()), {
        rule: 'shell.hosts',
        what: `the host ${question.host} for commands`,
      });
    case 'approval':
      return policy.approval !== undefined && rankOf(question.preset) > rankOf(policy.approval)
        ? { rule: 'approval', what: `the approval preset "${question.preset}"` }
        : undefined;
    case 'package':
      return outside(policy.packages, (entry) => isPackage(entry, question), {
        rule: 'packages',
        what: `the package "${question.name}"`,
      });
    case 'hooks':
      return policy.hooks?.enabled === false
        ? { rule: 'hooks.enabled', what: 'hooks of your own' }
        : undefined;
    case 'door':
      return judgeDoor(policy, question);
    case 'push':
      return policy.push === false
        ? { rule: 'push', what: 'moving runs and conversations to another server' }
        : undefined;
  }
}

function judgeModel(
  { models, addresses }: Policy,
  { provider, name, address, isOwnAddress }: Extract<PolicyQuestion, { kind: 'model' }>,
): Judged | undefined {
  const what = `the model "${name}"`;
  const lists = models?.providers !== undefined || models?.addresses !== undefined;
  const isAllowedProvider = models?.providers?.some((one) => one === provider) === true && isOwnAddress;
  const isAllowedAddress = address !== undefined && isListed(models?.addresses ?? [], address);
  if (lists && !isAllowedProvider && !isAllowedAddress)
    return {
      rule: models.providers === undefined ? 'models.addresses' : 'models.providers',
      what: `${what} of ${address && !isOwnAddress ? address.host : provider}`,
    };
  return (
    outside(models?.names, (pattern) => matches(pattern, name), { rule: 'models.names', what }) ??
    (address && judgeAddress({ addresses }, address))
  );
}

function judgeAddress({ addresses }: Pick<Policy, 'addresses'>, address: URL): Judged | undefined {
  return outside(addresses && [addresses], (list) => isListed(list, address), {
    rule: 'addresses',
    what: `connections to ${address.host}`,
  });
}

function judgeServer({ servers, addresses }: Policy, target: URL | readonly string[]): Judged | undefined {
  const line = target instanceof URL ? target.href : toLine(target);
  const isEntry = (entry: NonNullable<Policy['servers']>[number]): boolean =>
    target instanceof URL
      ? 'address' in entry && isListed([entry.address], target)
      : 'command' in entry && matches(entry.command, line);
  return (
    outside(servers, isEntry, {
      rule: 'servers',
      what: `the MCP server ${target instanceof URL ? target.host : line.slice(0, 200)}`,
    }) ?? (target instanceof URL ? judgeAddress({ addresses }, target) : undefined)
  );
}

function judgeCommand(
  { shell }: Policy,
  question: Extract<PolicyQuestion, { kind: 'shell' | 'command' }>,
): Judged | undefined {
  if (shell?.enabled === false) return { rule: 'shell.enabled', what: 'commands' };
  if (question.kind === 'shell') {
    if (question.isIsolated || !needsSandbox(shell)) return undefined;
    const rule = shell?.sandbox ? 'shell.sandbox' : 'shell.hosts';
    return { rule, what: 'commands outside of a sandbox' };
  }
  const { words, line } = question;
  const begins = (prefix: string): boolean =>
    words !== undefined && prefix.split(' ').every((word, index) => words[index] === word);
  return outside(shell?.commands, begins, {
    rule: 'shell.commands',
    what: `the command "${line.slice(0, 200)}"`,
  });
}

function judgeDoor(
  { doors }: Policy,
  { over, agent }: Extract<PolicyQuestion, { kind: 'door' }>,
): Judged | undefined {
  const isAgent = (pattern: string): boolean =>
    agent !== undefined && matches(pattern.toLowerCase(), agent.toLowerCase());
  const name =
    agent === undefined ? 'an agent that gives no name' : `the agent "${toPlainText(agent.slice(0, 64))}"`;
  return (
    outside(doors?.over, (allowed) => allowed === over, {
      rule: 'doors.over',
      what: `other agents over ${over}`,
    }) ?? outside(doors?.agents, isAgent, { rule: 'doors.agents', what: name })
  );
}

function needsSandbox(shell: Policy['shell']): boolean {
  return shell?.sandbox === 'required' || shell?.hosts !== undefined;
}

export function limitsHosts(policies: Policies): boolean {
  return policies.some(({ policy }) => policy.shell?.hosts !== undefined);
}

/** Forbidden by a list that has no entry for it. */
function outside<Entry>(
  list: readonly Entry[] | undefined,
  isAllowed: (entry: Entry) => boolean,
  judged: Judged,
): Judged | undefined {
  return list === undefined || list.some(isAllowed) ? undefined : judged;
}

function isPackage(
  entry: NonNullable<Policy['packages']>[number],
  { sha256, name, signer }: Extract<PolicyQuestion, { kind: 'package' }>,
): boolean {
  if ('sha256' in entry) return entry.sha256 === sha256;
  return 'signer' in entry ? entry.signer === signer : matches(entry.name, name);
}

/** The words as one line; a word with a blank is quoted, so that two different commands have different lines. */
export function toLine(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}

/** `*` in the pattern stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isListed(patterns: readonly string[], address: URL): boolean {
  return patterns.some((pattern) => isAt(pattern, address));
}

/** A pattern without a port allows every port of a name. */
function isAt(pattern: string, address: URL): boolean {
  if (!/^https?:\/\//i.test(pattern)) {
    const wanted = pattern.toLowerCase();
    const port = /:\d+$/.test(wanted.replace(/^\[.*\]/, ''))
      ? `:${address.port || (address.protocol === 'https:' ? '443' : '80')}`
      : '';
    return matches(wanted, `${address.hostname.toLowerCase()}${port}`);
  }
  const allowed = new URL(pattern);
  const path = allowed.pathname.replace(/\/$/, '');
  // The path of the address is one that `URL` has normalised, so it contains no "..".
  return (
    allowed.origin === address.origin &&
    (address.pathname === path || address.pathname.startsWith(`${path}/`))
  );
}

const PRESETS: readonly ApprovalPreset[] = ['read-only', 'ask', 'declared', 'autopilot'];

function rankOf(preset: ApprovalPreset): number {
  return PRESETS.indexOf(preset);
}

export function restrictApproval(policies: Policies, preset: ApprovalPreset): ApprovalPreset {
  const highest = policies.map(({ policy }) => policy.approval ?? preset);
  return [preset, ...highest].reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
}

export function restrictLimits(policies: Policies, limits: RunLimits): RunLimits {
  const smallest = <Name extends keyof RunLimits>(name: Name): number | undefined => {
    const known = [limits, ...policies.map(({ policy }) => policy.limits)].flatMap(
      (one) => one?.[name] ?? [],
    );
    return known.length === 0 ? undefined : Math.min(...known);
  };
  return {
    maxTurns: smallest('maxTurns') ?? limits.maxTurns,
    maxTokens: smallest('maxTokens'),
    maxCostUsd: smallest('maxCostUsd'),
    maxMinutes: smallest('maxMinutes'),
  };
}

/** The settings as they hold. An unset preset stays unset if every usual one is allowed. */
export function restrictSettings(policies: Policies, settings: Settings): Settings {
  if (policies.length === 0) return settings;
  const { approval } = settings.tools;
  const highest = restrictApproval(policies, approval ?? 'autopilot');
  const isBelowUsual = highest === 'read-only';
  return {
    ...settings,
    tools: { ...settings.tools, approval: approval !== undefined || isBelowUsual ? highest : undefined },
    limits: restrictLimits(policies, settings.limits),
  };
}

/** What a run may use in all. */
export function findCap(policies: Policies) {
  const capping = (name: 'maxTokens' | 'maxCostUsd') =>
    policies
      .filter(({ policy }) => policy.limits?.[name] !== undefined)
      .sort((a, b) => (a.policy.limits?.[name] ?? 0) - (b.policy.limits?.[name] ?? 0))[0];
  const caps = { maxTokens: capping('maxTokens'), maxCostUsd: capping('maxCostUsd') };
  if (!caps.maxTokens && !caps.maxCostUsd) return undefined;
  return {
    maxTokens: caps.maxTokens?.policy.limits?.maxTokens,
    maxCostUsd: caps.maxCostUsd?.policy.limits?.maxCostUsd,
    toMessage(name: 'maxTokens' | 'maxCostUsd'): string {
      const limit = caps[name]?.policy.limits?.[name];
      const what = `a run to use more than ${name === 'maxTokens' ? `${limit} tokens` : `$${limit}`}`;
      return caps[name] ? toMessage(caps[name], { rule: `limits.${name}`, what }) : '';
    },
  };
}

/** Settings of commands, as they hold under the policies. */
export function restrictShell(policies: Policies, shell: ShellSettings): ShellSettings {
  if (policies.length === 0) return shell;
  const isForbidden = findRefusal(policies, { kind: 'shell', isIsolated: true }) !== undefined;
  return {
    ...shell,
    enabled: shell.enabled && !isForbidden,
    hosts: shell.hosts.filter((host) => !findRefusal(policies, { kind: 'host', host })),
  };
}

/** Whether runs must prove what they did. */
export function findProofRule(policies: Policies): Refusal | undefined {
  const found = policies.find(({ policy }) => policy.proof === 'required');
  return found && { rule: 'proof', place: found.place, message: toMessage(found, PROOF) };
}

const PROOF = { rule: 'proof', what: 'runs that complete without full proof' };

function toMessage({ policy }: LoadedPolicy, { rule, what }: Judged): string {
  const { organisation, contact } = policy;
  const whose = organisation === undefined ? 'The policy of this machine' : `The policy of ${organisation}`;
  const ask = contact === undefined ? 'whoever manages this machine' : contact;
  return `${whose} does not allow ${what} (rule "${rule}"). Use what it allows, or ask ${ask}.`;
}

/** The setting that a rule limits. */
const SETTING_OF: Readonly<Record<string, string>> = {
  approval: 'tools.approval',
  'limits.maxTurns': 'limits.maxTurns',
  'limits.maxTokens': 'limits.maxTokens',
  'limits.maxCostUsd': 'limits.maxCostUsd',
  'limits.maxMinutes': 'limits.maxMinutes',
};

/** One line for each rule. */
export function toShownPolicy({ policy, place, signedBy }: LoadedPolicy): ShownPolicy {
  const { schemaVersion: _, organisation, contact, ...rules } = policy;
  const lines = Object.entries(rules).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one] as const)
      : [[name, value] as const],
  );
  return {
    place,
    organisation,
    contact,
    signedBy,
    rules: lines.map(([rule, value]) => ({ rule, value: toText(value), setting: SETTING_OF[rule] })),
  };
}

/** Of an entry with a name, such as a required hook, the name says enough. */
function toEntryText([name, value]: [string, unknown]): string {
  return typeof value === 'object' ? name : String(value);
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  if (typeof value === 'object' && value !== null) return Object.entries(value).map(toEntryText).join(' ');
  return String(value);
}
