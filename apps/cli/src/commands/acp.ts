/** `crewagent acp`: conversations and workflows in an editor. */
import { serveEditor } from '@crewagent/doors/acp';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { withSignals } from '../signals.ts';
import { printError } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

interface AcpOptions extends ModelOptions {
  readonly workflow?: string | true;
  readonly approve?: ApprovalPreset;
}

export async function acp(
  pkg: string | undefined,
  agentId: string | undefined,
  options: AcpOptions,
): Promise<ExitCode> {
  const { stdin: input, stdout: output, env } = hostProcess();
  await withSignals(({ signal }) =>
    serveEditor({
      runtime: openRuntime(),
      context: validationContext,
      input,
      output,
      signal,
      language: userLanguage(),
      package: pkg,
      agent: agentId,
      workflow: options.workflow,
      model: toModelChoice(options),
      approval: options.approve,
      onBug(error) {
        const text = error instanceof Error && env.CREWAGENT_DEBUG ? error.stack : undefined;
        printError(text ?? 'Internal error: this is a bug in CrewAgent. CREWAGENT_DEBUG=1 prints details.');
      },
    }),
  );
  return EXIT.ok;
}
