/** The passages of a log that can be searched: what people see of it as text. Messages for the model only are not among them. Pure. */
import { toAnswerText } from '@crewagent/protocol/answer-text';
import type { PassageKind } from '@crewagent/protocol/api/search';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Question } from '@crewagent/protocol/tools';

export interface Passage {
  readonly kind: PassageKind;
  /** Number of its event. */
  readonly seq: number;
  readonly text: string;
  /** Of a file: its mount path. */
  readonly path?: string | undefined;
}

export interface LogPassages {
  readonly passages: readonly Passage[];
  /** Mount paths of the artifacts it wrote, with the event that wrote them last. */
  readonly files: ReadonlyMap<string, number>;
  readonly lastSeq: number;
}

/** Of one passage, and of all of a log: a search is for words, not for data. */
const MAX_PASSAGE = 20_000;
const MAX_LOG = 100_000;

const WORDS = { yes: '', no: '', skipped: '', empty: '' };

export function createPassageFold() {
  const passages: Passage[] = [];
  const files = new Map<string, number>();
  const asked = new Map<string, Question[]>();
  let room = MAX_LOG;
  let lastSeq = 0;
  let lastInput = '';

  const add = (kind: PassageKind, seq: number, text: string): void => {
    const shown = text.trim().slice(0, Math.min(MAX_PASSAGE, room));
    if (shown === '') return;
    room -= shown.length;
    passages.push({ kind, seq, text: shown });
  };

  return {
    add(event: RunEvent): void {
      const { seq } = event;
      lastSeq = seq;
      switch (event.type) {
        case 'input.queued':
          if (event.purpose) break;
          lastInput = event.content;
          add('person', seq, event.content);
          break;
        case 'message.completed':
          if (event.purpose === 'reply') add('reply', seq, event.content);
          // Queued input is sent later, with the same content.
          else if (event.purpose === 'input' && event.content !== lastInput)
            add('person', seq, event.content);
          break;
        case 'question.asked':
          asked.set(event.callId, event.questions);
          for (const { prompt } of event.questions) add('question', seq, prompt);
          break;
        case 'question.answered':
          for (const question of asked.get(event.callId) ?? [])
            add('answer', seq, toAnswerText(question, event.answers[question.id] ?? '', WORDS));
          break;
        case 'artifact.written':
          if (!files.has(event.path)) add('path', seq, event.path.replace(/^@project\//, ''));
          files.set(event.path, seq);
          break;
        default:
      }
    },
    result: (): LogPassages => ({ passages, files, lastSeq }),
  };
}
