/**
 * `policy.json`: what an organisation allows on a machine. It only restricts: whatever a policy leaves out is as the settings say, and
 * several policies hold together. Lists name what is allowed; `[]` allows nothing.
 */
import { limitSchema } from './format.ts';
import { hooksSchema } from './hooks.ts';
import { providerSchema } from './model.ts';
import { publicKeySchema } from './package-signature.ts';
import { hostSchema } from './sandbox.ts';
import { nonEmptySchema, sha256Schema } from './scalars.ts';
import { commandPrefixSchema } from './shell.ts';
import { approvalPresetSchema } from './tools.ts';
import * as z from './zod.ts';

const listOf = <T>(entry: z.ZodMiniType<T>) => z.optional(z.array(entry).check(z.maxLength(1_000)));

/** `*` stands for any text. */
const patternSchema = z.string().check(z.minLength(1), z.maxLength(1_000));

/** `example.org`, `*.example.org`, `127.0.0.1:11434`, or the beginning of an address: `https://example.org/v1`. */
const addressPatternSchema = z
  .string()
  .check(
    z.maxLength(1_000),
    z.regex(
      /^(?:https?:\/\/[^\s/@?#*]+(?:\/[^\s?#]*)?|(?:\*\.)?[A-Za-z0-9._-]+(?::\d{1,5})?|\[[0-9a-fA-F:]+\](?::\d{1,5})?)$/,
      'use a host such as example.org, *.example.org or 127.0.0.1:11434, or an address such as https://example.org/v1',
    ),
  );

const allowedPackageSchema = z.union([
  z.strictObject({ sha256: sha256Schema }),
  z.strictObject({ name: patternSchema }),
  /** A public key, as "crewagent keys export" prints it. */
  z.strictObject({ signer: publicKeySchema }),
]);

/** By what is started or called, not by the name in the settings, which a person chooses. */
const allowedServerSchema = z.union([
  z.strictObject({ address: addressPatternSchema }),
  /** Program and arguments on one line. */
  z.strictObject({ command: patternSchema }),
]);

/** Ways in: agents over MCP that start this program, those that call the local server, editors over the Agent Client Protocol. */
export const doorSchema = z.enum(['mcp-stdio', 'mcp-http', 'acp']);
export type DoorKind = z.infer<typeof doorSchema>;

export const policySchema = z.strictObject({
  schemaVersion: z.literal(1),
  /** Who placed it, and whom to ask: part of every refusal. */
  organisation: z.optional(nonEmptySchema.check(z.maxLength(200))),
  contact: z.optional(nonEmptySchema.check(z.maxLength(200))),
  models: z.optional(
    z.strictObject({
      /** At their own addresses. */
      providers: listOf(providerSchema),
      /** Allowed besides the addresses of `providers`. */
      addresses: listOf(addressPatternSchema),
      names: listOf(patternSchema),
    }),
  ),
  /** All that the runtime itself connects to: models, MCP servers, packages, team servers, hooks. */
  addresses: listOf(addressPatternSchema),
  servers: listOf(allowedServerSchema),
  shell: z.optional(
    z.strictObject({
      enabled: z.optional(z.boolean()),
      sandbox: z.optional(z.literal('required')),
      /** First words of commands. */
      commands: listOf(commandPrefixSchema),
      /** Names that programs in the sandbox may reach; outside of a sandbox none run then. */
      hosts: listOf(hostSchema),
    }),
  ),
  /** The highest preset. */
  approval: z.optional(approvalPresetSchema),
  limits: z.optional(
    z.strictObject({
      maxTurns: z.optional(limitSchema),
      maxTokens: z.optional(limitSchema),
      maxCostUsd: z.optional(z.number().check(z.positive())),
      maxMinutes: z.optional(z.number().check(z.positive())),
    }),
  ),
  /** Runs that complete without full proof exit with 5, as with `--require-proof`. */
  proof: z.optional(z.literal('required')),
  packages: listOf(allowedPackageSchema),
  hooks: z.optional(
    z.strictObject({
      /** Whether hooks of the person's own are called. */
      enabled: z.optional(z.boolean()),
      /** Called for everybody. */
      required: z.optional(hooksSchema),
    }),
  ),
  /** Which other agents and editors may use this program. */
  doors: z.optional(
    z.strictObject({
      /** As they call themselves when they connect. */
      agents: listOf(patternSchema),
      over: listOf(doorSchema),
    }),
  ),
  /** Whether Works may be moved to other servers. */
  push: z.optional(z.boolean()),
});
export type Policy = z.infer<typeof policySchema>;

/** As people see it: one line for each rule of a policy. */
export const shownPolicySchema = z.strictObject({
  /** Missing if the policy cannot be used: nothing runs then. */
  rules: z.optional(
    z.array(
      z.strictObject({
        /** Path in the policy, such as `models.names`. */
        rule: z.string(),
        value: z.string(),
        /** The setting that it limits. */
        setting: z.optional(z.string()),
      }),
    ),
  ),
  problem: z.optional(z.string()),
  organisation: z.optional(z.string()),
  contact: z.optional(z.string()),
  /** Where it is. */
  place: z.string(),
  /** Fingerprint of the key that signed it. */
  signedBy: z.optional(z.string()),
});
export type ShownPolicy = z.infer<typeof shownPolicySchema>;
