import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../llm/wire.ts';
import { findProtocolIssue } from './check-protocol.ts';
import { compactMessages } from './compaction.ts';
import {
  exchangesBeforeDraft,
  isStartOfExchange,
  outlineExchanges,
  startsOfExchanges,
  toReplyOutline,
} from './outline.ts';
import { toUserInput } from './prompt-blocks.ts';
import { toCallFacts } from './tool-groups.ts';
import { addUserPart } from './user-text.ts';

const PATH = '@state/earlier/n.md';
const LONG_REPLY = `Here is what I make of it:\n\n${[1, 2, 3]
  .map((number) => `${number}. **Night visits ${number}** – ${'people come after work. '.repeat(12)}`)
  .join('\n')}\n\nThat is all. Which one do you like?`;

type Move = (messages: ChatMessage[]) => unknown;

/** Adds messages as the history does. */
function converse(...moves: readonly Move[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const move of moves) move(messages);
  return messages;
}

const anchor = (text: string) => (messages: ChatMessage[]) =>
  addUserPart(messages, { kind: 'anchor', text, blocks: undefined });
const says = (text: string) => (messages: ChatMessage[]) =>
  addUserPart(messages, { kind: 'input', text: toUserInput(text, 'n'), words: text });
const replies = (content: string) => (messages: ChatMessage[]) =>
  messages.push({ role: 'assistant', content });
const calls = (name: string, args: object, answer: object) => (messages: ChatMessage[]) => {
  const id = `c${messages.length}`;
  const facts = toCallFacts(name.replace('_', '.'), { ...args });
  const called = { name, arguments: JSON.stringify(args) };
  messages.push(
    { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called, facts }] },
    { role: 'tool', tool_call_id: id, content: JSON.stringify(answer) },
  );
};

const issueOf = (messages: readonly ChatMessage[]): string | undefined =>
  findProtocolIssue({ messages: [{ role: 'system', content: 's' }, ...messages], tools: [] });
const textOf = (messages: readonly ChatMessage[]): string =>
  messages.map(({ content }) => content).join('\n\n');

describe('the outline of a reply', () => {
  it('[P6] has the first sentence, the titles of its items and the last sentence', () => {
    expect(toReplyOutline(LONG_REPLY)).toBe(
      'Here is what I make of it: | 1. Night visits 1 | 2. Night visits 2 | 3. Night visits 3 | Which one do you like?',
    );
    const menu = `${'A long draft. '.repeat(40)}Now choose.\n\n[A] Ask deeper questions\n[C] Continue`;
    expect(toReplyOutline(menu)).toMatch(
      /^A long draft\. .*… \| \[A\] Ask deeper questions \| \[C\] Continue \| Now choose\.$/,
    );
  });

  it('[P6] is the reply itself if that is short, and never longer than the reply or 800 characters', () => {
    expect(toReplyOutline('Yes.\n\nShall I save it?')).toBe('Yes. Shall I save it?');
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('1. **a** b', '- c', '# d', ''))),
        (lines) => {
          const text = lines.join('\n');
          expect(toReplyOutline(text).length).toBeLessThanOrEqual(Math.min(800, text.length));
          expect(toReplyOutline(text)).not.toContain('\n');
        },
      ),
    );
    expect(toReplyOutline('- an item of a list that is very long\n'.repeat(500))).toMatch(/\(\d{3} more\)/);
  });
});

describe('outlined exchanges', () => {
  const words = 'Take the second one.\n\nRUN_DIRECTIVE\n- not a directive';
  const messages = converse(
    anchor('RUN_DIRECTIVE\n- first\n\nSTEP_FILE @pkg/n.md\nDo it.\nEND_STEP_FILE'),
    replies(LONG_REPLY),
    says(words),
    calls(
      'fs_read',
      { path: '@project/a.md' },
      { ok: true, path: '@project/a.md', content: 'x'.repeat(4_000) },
    ),
    calls('fs_write', { path: 'out/b.md', content: 'y'.repeat(4_000) }, { ok: true }),
    calls('runtime_update_state', { variables: { topic: 'Harbour' } }, { ok: true }),
    calls(
      'ui_ask_user',
      { questions: [{ id: 'q', prompt: 'How many?', type: 'text' }] },
      { ok: true, answers: { q: 'A hundred' } },
    ),
    replies('Options:\n[C] Continue'),
    says('c'),
    calls('mcp_count', { of: 'ideas' }, { ok: true, text: 'there are 7' }),
    replies('Done.'),
    anchor('RUN_DIRECTIVE\n- second'),
    says('More.'),
    replies('More?'),
    anchor('RUN_DIRECTIVE\n- third'),
    says('Last one.'),
  );

  it('[P6] have the words and answers of the user whole, outlines of replies, and a line for each call', () => {
    const { messages: outlined, fullText } = outlineExchanges(messages, 4, PATH);
    expect(outlined).toHaveLength(3);
    expect(outlined[0]?.content).toBe(
      [
        'RUN_DIRECTIVE\n- first\n\nSTEP_FILE @pkg/n.md\nDo it.\nEND_STEP_FILE\n',
        'EARLIER_IN_THIS_NODE',
        `- shortened; the full text is in ${PATH}. Read files again if you need them.`,
        `- you: ${JSON.stringify(toReplyOutline(LONG_REPLY))}`,
        `- the user: ${JSON.stringify(words)}`,
        '- fs_read @project/a.md: ok',
        '- fs_write out/b.md: ok',
        '- runtime_update_state {"variables":{"topic":"Harbour"}}: ok',
        '- the user answered: "A hundred (asked: How many?)"',
        '- you: "Options: [C] Continue"',
        '- the user: "chose c: Continue"',
        '- mcp_count {"of":"ideas"}: ok, {"ok":true,"text":"there are 7"}',
        '- you: "Done."',
        '',
        'RUN_DIRECTIVE',
        '- second',
        '',
        'USER_INPUT',
        '- forNodeId: n',
        'More.',
      ].join('\n'),
    );
    expect(outlined.slice(1)).toEqual(messages.slice(-2));
    expect(fullText).toContain(`## You\n\n${LONG_REPLY}\n\n## The user\n\n${words}`);
    expect(issueOf(outlined)).toBeUndefined();
  });

  it('[P6] extend the outline that is there, and keep the first and the last anchor', () => {
    const once = outlineExchanges(messages, 3, PATH).messages;
    const twice = outlineExchanges(once, startsOfExchanges(once).length - 1, PATH).messages;
    const [text = ''] = twice.map(({ content }) => String(content));
    expect(text.startsWith(String(once[0]?.content).split('\n\nUSER_INPUT')[0] ?? '-')).toBe(true);
    expect(text.match(/EARLIER_IN_THIS_NODE/g)).toHaveLength(1);
    expect(text).not.toContain('- second');
    expect(text.indexOf('- first')).toBeLessThan(text.indexOf('- third'));
    expect(text).toContain('- the user: "More."\n- you: "More?"\n\nRUN_DIRECTIVE\n- third\n\nUSER_INPUT');
  });

  it('[P6] keep files of the package that the model has read, if they are not long', () => {
    const read = (path: string, chars: number) =>
      calls('fs_read', { path }, { ok: true, path, content: 'z'.repeat(chars) });
    const played = converse(
      anchor('RUN_DIRECTIVE'),
      read('@pkg/method.md', 3_000),
      replies('Read.'),
      says('And?'),
      read('@pkg/data.csv', 20_000),
      replies('Read too.'),
      says('Now.'),
    );
    const { messages: outlined } = outlineExchanges(played, 2, PATH);
    expect(outlined.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(outlined[2]).toBe(played[2]);
    expect(textOf(outlined)).not.toContain('z'.repeat(4_000));
    expect(issueOf(outlined)).toBeUndefined();
  });

  it('[P6] start at the last long reply until it is saved, or until it is old', () => {
    const before = (...more: Move[]): number => {
      const played = converse(
        anchor('RUN_DIRECTIVE'),
        replies('Hi.'),
        says('Draft it.'),
        replies('A draft. '.repeat(200)),
        ...more,
      );
      return exchangesBeforeDraft(played, startsOfExchanges(played));
    };
    const chatter = (count: number) =>
      Array.from({ length: count }, (_, index): Move[] => [says(`Warmer ${index}`), replies('Hm.')]).flat();
    expect(before(...chatter(5))).toBe(1);
    expect(before(...chatter(5), calls('fs_write', { path: 'a' }, { ok: true }))).toBe(7);
    expect(before(...chatter(20))).toBe(22);
  });

  it('[P6] are carried into the summary of a context that became too small', () => {
    const { messages: outlined } = outlineExchanges(messages, 4, PATH);
    const summary = textOf(compactMessages(outlined, { exchanges: 1, groups: 0 }));
    expect(summary).toContain(
      `EARLIER_MESSAGES\n- you can read earlier messages in full in: "${PATH}"\n- you: "Here is what I make of it`,
    );
    expect(summary).toContain('- the user: "Take the second one.');
    expect(summary).toContain('- the user answered: "A hundred (asked: How many?)"');
    let longer: readonly ChatMessage[] = outlined;
    for (let turn = 1; turn <= 60; turn++)
      longer = compactMessages(
        [...longer, ...converse(replies('Hm.'), says(`${turn} ${'word '.repeat(60)}`))],
        {
          exchanges: 1,
          groups: 0,
        },
      );
    expect(textOf(longer)).not.toContain('Take the second one.');
    expect(textOf(longer).match(/in full in: "@state\/earlier\/n\.md"/g)).toHaveLength(1);
  });

  it('[P6] keep calls paired, the newest exchanges whole and every word of the user, whatever happened', () => {
    const asks = calls('ui_ask_user', { question: 'Well?' }, { ok: true, answers: { q: 'so' } });
    const move = fc.oneof(
      fc.string().map((text) => [says(text), replies(`Reply to ${text}`)]),
      fc
        .string({ minLength: 1 })
        .map((text) => [
          says('Read.'),
          calls('fs_read', { path: text }, { ok: true, path: text }),
          replies('So.'),
        ]),
      fc.constant([says('Ask.'), asks, asks, replies('So.')]),
      fc.constant([
        says('Read.'),
        calls('fs_read', { path: 'p' }, { ok: true, path: '@pkg/p.md' }),
        asks,
        replies('.'),
      ]),
      fc.nat(99).map((number) => [anchor(`RUN_DIRECTIVE\n- ${number}`), replies('Hm.')]),
      fc.constant([
        (messages: ChatMessage[]) => addUserPart(messages, { kind: 'note', text: 'RUNTIME_NOTE\nx' }),
        replies('Ok.'),
      ]),
    );
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), fc.nat(30), fc.nat(30), (moves, first, second) => {
        const played = converse(anchor('RUN_DIRECTIVE\n- 0'), replies('Hi.'), ...moves.flat(), says('end'));
        // At every point of the conversation, also between a call and its result.
        for (let length = 1; length <= played.length; length++) {
          const part = played.slice(0, length);
          expect(isStartOfExchange(part)).toBe((startsOfExchanges(part).at(-1) ?? 0) >= length - 1);
        }
        let outlined: readonly ChatMessage[] = played;
        for (const count of [first, second]) {
          const starts = startsOfExchanges(outlined);
          const rest = outlined.slice((starts[count] ?? 0) + 1);
          outlined = outlineExchanges(outlined, count, PATH).messages;
          expect(outlined.slice(outlined.length - rest.length)).toEqual(rest);
        }
        expect(issueOf(outlined)).toBeUndefined();
        const inputs = played.flatMap((message) =>
          message.role === 'user' ? (message.parts ?? []).filter(({ kind }) => kind === 'input') : [],
        );
        const text = textOf(outlined);
        for (const { text: input } of inputs) {
          const said = input.replace('USER_INPUT\n- forNodeId: n\n', '');
          expect(text.includes(input) || text.includes(`- the user: ${JSON.stringify(said)}`)).toBe(true);
        }
        expect(outlined[0]?.content?.startsWith('RUN_DIRECTIVE\n- 0')).toBe(true);
        const again = outlineExchanges(played, first, PATH);
        expect(again).toEqual(outlineExchanges(played, first, PATH));
      }),
      { numRuns: 300 },
    );
  });
});
