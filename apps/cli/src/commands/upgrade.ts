/** `crewagent upgrade`: moves a run to another version of its package, after showing what that changes. */
import { CrewError, describeChanges, type Runtime, type UpgradePlan } from '@crewagent/core';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { shortId } from '../print/describe-work.ts';
import { isInteractive, print, printDone, printError, sanitize, style } from '../terminal.ts';

export interface UpgradeOptions {
  readonly to?: string;
  readonly node?: string;
  readonly yes?: true;
  readonly json?: true;
}

export async function upgrade(ref: string, { to, node, yes, json }: UpgradeOptions): Promise<ExitCode> {
  const runtime = openRuntime();
  const { plan, isMoved } = await runtime.upgradeRun({
    run: ref,
    version: to,
    nodeId: node,
    async confirm(found) {
      if (!json) printPlan(found, node);
      return yes ? true : ask(found, node);
    },
  });
  const { workId, packageVersion } = plan.record;
  if (isMoved) await complete(runtime, workId);
  if (json) print(JSON.stringify(toJson(plan, isMoved)));
  else if (isMoved)
    printDone(
      `Run ${shortId(workId)} has version ${sanitize(plan.to.version, 40)} now. Continue with: crewagent resume ${shortId(workId)}`,
    );
  else if (plan.to.hash === plan.record.packageHash)
    print(
      `Run ${shortId(workId)} has version ${sanitize(packageVersion, 40)} already, the newest that is installed.`,
    );
  else print('Nothing was changed.');
  return EXIT.ok;
}

/** A run whose model is not available has moved as well; the next resume completes it. */
async function complete(runtime: Runtime, workId: string): Promise<void> {
  try {
    await (await runtime.openRun(workId)).close();
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    printError(`! ${sanitize(error.message)}`);
  }
}

function toJson({ record, to, changes, nodeId, target, nearest, stale }: UpgradePlan, isMoved: boolean) {
  const { workId: runId, packageVersion: from } = record;
  return { ok: true, runId, isMoved, from, to: to.version, nodeId, target, nearest, changes, stale };
}

function printPlan(
  { record, to, changes, nodeId, target, stale, nearest }: UpgradePlan,
  node?: string,
): void {
  const versions = `${sanitize(record.packageVersion, 40)} → ${sanitize(to.version, 40)}`;
  print(`${style('bold', sanitize(to.name, 80))} ${versions}`);
  const sentences = describeChanges({
    from: record.packageVersion,
    to: to.version,
    workflows: { added: [], removed: [], changed: [changes] },
    agents: { added: [], removed: [], changed: [] },
  });
  for (const sentence of sentences) print(`  - ${sanitize(sentence, 400)}`);
  print(`  - ${sanitize(describePosition({ nodeId, target, nearest, changes, node }), 400)}`);
  if (stale.length > 0)
    print(`  - Written by steps that changed; check them: ${sanitize(stale.join(', '), 400)}.`);
}

function describePosition({
  nodeId,
  target,
  nearest,
  changes,
  node = target,
}: Pick<UpgradePlan, 'nodeId' | 'target' | 'nearest' | 'changes'> & { node?: string | undefined }): string {
  if (node === undefined) return `The run is at ${nodeId}, which is gone. The nearest step is ${nearest}.`;
  if (node !== nodeId) return `The run is at ${nodeId} and continues at the beginning of ${node}.`;
  return changes.nodes.changed.includes(nodeId)
    ? `The run is at ${nodeId}, which changed and starts again.`
    : `The run continues in ${nodeId}, which is unchanged.`;
}

async function ask({ target, nearest }: UpgradePlan, node: string | undefined): Promise<boolean | string> {
  if (!isInteractive())
    throw new CrewError('USAGE', 'The run would follow another version from now on. Confirm with --yes.');
  const { confirm } = await import('../ask/prompter.ts');
  if (node !== undefined || target !== undefined) return confirm('Move the run? [y/N] ');
  return (await confirm(`Move the run and continue at ${sanitize(nearest, 80)}? [y/N] `)) && nearest;
}
