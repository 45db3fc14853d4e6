/**
 * Logs of earlier versions have only the text of a message. Here, and only here, it is parsed.
 */
import type { AnchorBlocks, PromptSubject } from '@crewagent/protocol/event-messages';

/** The subject of a document or an instruction. */
export function parseSubject(text: string): PromptSubject | undefined {
  const [name = '', fact = ''] = text.split('\n', 2);
  const value = fact.replace(/^- \w+: /, '');
  switch (name) {
    case 'ACTION_DIRECTIVE':
      return { kind: 'action', name: value };
    case 'DATA_CONTEXT':
      return { kind: 'data', path: value, summary: '' };
    case 'SCRIPT_DIRECTIVE':
      return { kind: 'script', path: value };
    case 'RUN_NOTE':
      return { kind: 'run', workflow: value };
    case 'RUNTIME_NOTE':
      return { kind: 'rewind' };
    default:
      return undefined;
  }
}

/** Undefined if the anchor has no brief. Neither directive nor brief contains an empty line. */
export function parseAnchorBlocks(anchor: string): AnchorBlocks | undefined {
  const [directive = '', brief = ''] = anchor.split('\n\n', 2);
  const stepFile = /^NODE_BRIEF\n(?:.+\n)*?- stepFile: @pkg\/(.*)/.exec(brief)?.[1];
  if (stepFile === undefined) return undefined;
  const briefEnd = `${directive}\n\n${brief}`.length;
  if (!anchor.startsWith(`\n\nSTEP_FILE @pkg/${stepFile}\n`, briefEnd)) return { stepFile, briefEnd };
  const step = anchor.slice(briefEnd);
  const end = step.search(/\nEND_STEP_FILE(?:\n\n|$)/);
  return {
    stepFile,
    briefEnd,
    stepEnd: end === -1 ? anchor.length : briefEnd + end + '\nEND_STEP_FILE'.length,
  };
}
