/**
 * Models that know a workflow only from the text of their requests, as real ones do. One behaves as the rules say, one follows
 * the prose of steps literally, one asks with `ui_ask_user`. All make several calls in a reply, repeat calls, and pass
 * arguments in odd forms. Pure: each reply depends on the messages alone.
 */
import type { ChatMessage } from '../../llm/wire.ts';
import { type RequestText, readRequest } from './read-request.ts';
import type { ScriptedCall, ScriptedReply } from './scripted-model.ts';

export type TextModelKind = 'rules' | 'literal' | 'asks';

export const TEXT_MODELS: readonly TextModelKind[] = ['rules', 'literal', 'asks'];

export function replyAs(kind: TextModelKind, messages: readonly ChatMessage[]): ScriptedReply {
  const scene = readRequest(messages);
  if (!scene) return { content: 'The workflow is complete.' };
  const { said, calls, menu } = scene;
  if (calls.some(({ name, isOk }) => isOk && name === 'runtime_complete_node')) return { content: 'Done.' };
  const answer = said.at(-1);
  if (calls.length === 0 && !answer) {
    const opening = toOpeningReads(kind, scene);
    if (opening.length > 0) return { calls: opening };
  }
  if (scene.isHalting && !answer) return ask(kind, scene);
  const option = answer && menu.find(({ code }) => code.toLowerCase() === answer.toLowerCase());
  if (
    answer &&
    scene.isHalting &&
    !option &&
    menu.length > 0 &&
    !hasReplied(scene) &&
    said.length < MAX_ROUNDS
  )
    return ask(kind, scene, `You said: ${answer.slice(0, 60)}`);
  if (option && !isLeaving(option, scene) && said.length < MAX_ROUNDS) {
    const file = scene.keys[toTaskKey(option.words, scene.keys)];
    if (file && !hasReplied(scene)) return { calls: [read(file), read(file)] };
    return ask(kind, scene, 'That is done.');
  }
  return finishNode(kind, scene);
}

/** Turns without progress after which the model moves on. */
const MAX_ROUNDS = 4;

/** Reads everything that the brief and the step name, in one reply; the literal model reads ahead too. */
function toOpeningReads(kind: TextModelKind, { inputs, keys, nextFile }: RequestText): ScriptedCall[] {
  const named = Object.entries(keys).filter(
    ([key, value]) =>
      /\.(?:md|csv|xml|yaml)$/.test(value) && !/next|continue|output|task|workflow/i.test(key),
  );
  const reads = [...inputs, ...named.map(([key]) => `{${key}}`)].map(read);
  if (kind === 'literal' && nextFile) reads.push(read(nextFile));
  return reads;
}

function ask(kind: TextModelKind, { menu, nodeId }: RequestText, note = ''): ScriptedReply {
  const lines = menu.map(({ code, words }) => `[${code}] ${words}`);
  const question = lines.length > 0 ? 'What would you like to do?' : `What should ${nodeId} go on with?`;
  if (kind !== 'asks') return { content: [note, question, ...lines].filter(Boolean).join('\n') };
  const form = lines.length > 0 ? { type: 'choice', options: lines } : { type: 'text' };
  // As small models do: fields that do not belong there, and empty ones.
  return {
    content: note,
    calls: [
      {
        name: 'ui_ask_user',
        arguments: { questions: [{ id: 'menu', prompt: question, ...form, default: null, schema: null }] },
      },
    ],
  };
}

function finishNode(kind: TextModelKind, scene: RequestText): ScriptedReply {
  const { outputs, calls, keys, nodeId } = scene;
  const written = calls.filter(({ name, isOk }) => name === 'fs_write' && isOk);
  const tries = calls.filter(({ name }) => name === 'fs_write' || name === 'fs_apply_patch').length;
  if (scene.missingHeadings.length > 0)
    return {
      calls: [
        ...outputs.map((path) => write(path, nodeId, scene.missingHeadings)),
        ...(finishByRule(scene).calls ?? []),
      ],
    };
  const isDue = outputs.length > 0 && written.length < outputs.length && tries < outputs.length * 2;
  if (isDue && kind !== 'literal' && !outputs.some((path) => path.includes('{')))
    return { calls: [...outputs.map((path) => write(path, nodeId)), ...(finishByRule(scene).calls ?? [])] };
  if (isDue) {
    const byKey = Object.entries(keys).find(([key]) => /output/i.test(key))?.[0];
    return {
      calls: outputs.flatMap((output, index) => {
        // As the step spells it, where it spells it.
        const path = kind === 'literal' && index === 0 && byKey && tries === 0 ? `{${byKey}}` : output;
        return kind === 'literal' ? [write(path, nodeId), write(path, nodeId)] : [write(path, nodeId)];
      }),
    };
  }
  return kind === 'literal' && !wasRefused(scene) ? finishLiterally(scene) : finishByRule(scene);
}

function finishByRule(scene: RequestText): ScriptedReply {
  const { nodeId, type, variables } = scene;
  const way = chooseWay(scene);
  // Optional fields as null, as models with strict schemas send them; plain after a refusal.
  const odd = wasRefused(scene) ? {} : { carry: null };
  return {
    calls: [
      {
        name: 'runtime_complete_node',
        arguments: {
          nodeId,
          ...(way ? { next: way.to } : {}),
          ...(Object.keys(variables).length > 0 ? { variables } : {}),
          ...(way && (type === 'decision' || scene.ways.length > 1)
            ? { decision: { label: way.label, reason: 'As the person chose.' } }
            : {}),
          ...odd,
        },
      },
    ],
  };
}

/** Loads the next step, then updates the frontmatter; all of it twice, and with calls for the next node. */
function finishLiterally(scene: RequestText): ScriptedReply {
  const { nodeId, variables, ways, nextFile } = scene;
  const way = chooseWay(scene);
  const update = {
    stepsCompleted: { append: [nodeId] },
    variables: { set: variables },
    ...(way && ways.length > 1
      ? { decisionLog: { append: [{ from: nodeId, to: way.to, label: way.label }] } }
      : {}),
    ...(way ? { currentNodeId: { set: way.to } } : {}),
  };
  const patch = {
    name: 'fs_apply_patch',
    arguments: { path: '@state/workflow.md', patches: [{ operation: 'updateFrontmatter', update }] },
  };
  return { calls: [...(nextFile ? [read(nextFile)] : []), patch, patch] };
}

function chooseWay({ ways, said }: RequestText): RequestText['ways'][number] | undefined {
  const wish = said.at(-1)?.toLowerCase();
  return (
    ways.find(({ label, to }) => wish !== undefined && [label.toLowerCase(), to].includes(wish)) ??
    ways.find(({ isDefault }) => isDefault) ??
    ways[0]
  );
}

function isLeaving({ code, words }: RequestText['menu'][number], { ways }: RequestText): boolean {
  return (
    /^(?:continue|next|done|继续|完成)/i.test(words) ||
    ways.some(({ label }) => [code.toLowerCase(), words.toLowerCase()].includes(label.toLowerCase()))
  );
}

/** The key of the step's frontmatter that an option runs: the one that shares a word with it. */
function toTaskKey(words: string, keys: RequestText['keys']): string {
  const wanted = words.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const tasks = Object.keys(keys).filter((key) => /task|workflow/i.test(key));
  return tasks.find((key) => wanted.some((word) => key.toLowerCase().includes(word))) ?? tasks[0] ?? '';
}

function hasReplied({ afterLastInput }: RequestText): boolean {
  return afterLastInput > 0;
}

function wasRefused({ calls }: RequestText): boolean {
  return calls.some(({ name, isOk }) => !isOk && /complete_node|apply_patch/.test(name));
}

/** A document has its own list of completed steps. */
function write(path: string, nodeId: string, headings: readonly string[] = []): ScriptedCall {
  const sections = headings.map((heading) => `\n## ${heading.replace(/\{\{[^{}]*\}\}/g, '1')}\n`).join('');
  const content = `---\nstepsCompleted: [${nodeId}]\n---\n\n# ${nodeId}\n\n${'words '.repeat(60)}\n${sections}`;
  return { name: 'fs_write', arguments: { path, content, mode: 'overwrite' } };
}

function read(path: string): ScriptedCall {
  return { name: 'fs_read', arguments: { path } };
}
