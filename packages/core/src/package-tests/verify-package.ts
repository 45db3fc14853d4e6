/**
 * `crewagent validate`, `rehearse` and `test` as commands that a step verifies with. They run here, on a package in the project, without
 * a shell: nothing of the package is executed, so that nobody has to allow commands for it.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { VerifyCommand } from '@crewagent/protocol/proof';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import { rehearsePackage } from '../rehearse/rehearse-package.ts';
import type { VerifyOutcome } from '../tools/proof/judge-node.ts';
import { testPackage } from './test-package.ts';

export interface VerifyPackageDeps {
  readonly projectPath: string;
  readonly context: ValidationContext;
  readonly signal: AbortSignal;
}

interface Trial {
  /** Real path in the project. */
  readonly path: string;
  readonly context: ValidationContext;
  readonly signal: AbortSignal;
}

/** Lines about what is wrong; none if nothing is. */
const TRIALS = {
  async validate({ path, context }: Trial) {
    const { diagnostics } = await inspectPackage(path, context);
    return diagnostics
      .filter(({ severity }) => severity !== 'advice')
      .map(({ severity, file, line, code, message, fix }) => {
        const place = line === undefined ? file : `${file}:${line}`;
        return `${severity} ${place} ${code}: ${message.replace(/\.?$/, '.')} ${fix}`;
      });
  },
  async rehearse({ path, ...shared }: Trial) {
    return (await rehearsePackage({ package: path, ...shared })).failures.map(({ message }) => message);
  },
  async test({ path, ...shared }: Trial) {
    const { tests } = await testPackage({ folder: path, ...shared });
    return tests.flatMap(({ name, failures }) => failures.map(({ message }) => `${name}: ${message}`));
  },
} as const;

function isVerb(verb: string): verb is keyof typeof TRIALS {
  return Object.hasOwn(TRIALS, verb);
}

const COMMAND = /^crewagent +(\w+) +([^\s"'$`;&|<>\\]+)$/;

/** Undefined for another command. */
export async function verifyPackage(
  { run, timeoutSeconds }: VerifyCommand,
  { projectPath, context, signal: stop }: VerifyPackageDeps,
): Promise<VerifyOutcome | undefined> {
  const [, verb = '', written = ''] = COMMAND.exec(run.trim()) ?? [];
  if (!isVerb(verb)) return undefined;
  const root = await realpath(projectPath);
  const path = await ifPresent(realpath(join(root, written)));
  if (path === undefined) return failed(`There is nothing at "${written}" in the project.`);
  if (path !== root && !path.startsWith(root + sep))
    return { reason: `"${written}" is outside of the project` };
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutSeconds * 1_000)]);
  try {
    // What is not valid is said with its lines, whatever was asked for.
    const findings = verb === 'validate' ? [] : await TRIALS.validate({ path, context, signal });
    const isInvalid = findings.some((line) => line.startsWith('error '));
    const lines = isInvalid ? findings : await TRIALS[verb]({ path, context, signal });
    if (signal.aborted) return { reason: stop.aborted ? 'the run was stopped' : 'it did not end in time' };
    return lines.length === 0 ? { exitCode: 0, output: '' } : failed(lines.join('\n'));
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return failed(error.message);
  }
}

function failed(output: string): VerifyOutcome {
  return { exitCode: 1, output };
}
