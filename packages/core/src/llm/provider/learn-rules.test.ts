import { describe, expect, it } from 'vitest';
import { plainRules } from '../provider-messages.ts';
import { learnRules } from './openai-chat.ts';

const learned = (message: string, status = 400) => {
  const body = JSON.stringify({ error: { message } });
  return learnRules({ ...plainRules(true), origin: 'h/m', pictures: true }, { status, headers: {}, body });
};

describe('rules learned from an error', () => {
  it.each([
    ['The `reasoning_content` in the thinking mode must be passed back to the API.', { reasoning: 'always' }],
    [
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      { reasoning: 'always' },
    ],
    [
      'Missing `reasoning_content` field in the assistant message at message index 2.',
      { reasoning: 'always' },
    ],
    [
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      { reasoning: 'never', returnedFields: [] },
    ],
    [
      'Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.',
      { callIds: 'nine characters' },
    ],
    ["Unexpected role 'user' after role 'tool'", { needsReplyAfterTools: true }],
    ['Function call is missing a thought_signature in functionCall parts.', { needsSignatures: true }],
    [
      'Invalid JSON payload received. Unknown name "additionalProperties" at \'tools[0]\': Cannot find field.',
      { toolSchemas: 'plain' },
    ],
    ["property 'annotations' is unsupported", { returnedFields: [] }],
    ['Invalid content type. image_url is only supported by certain models.', { pictures: false }],
    ['No endpoints found that support image input', { pictures: false }],
    ['unknown variant `image_url`, expected `text`', { pictures: false }],
    ['this model does not support image input', { pictures: false }],
  ])('[N125] apply to the next request: %s', (message, rules) => {
    expect(learned(message)).toMatchObject(rules);
  });

  it.each(['max_tokens is too large', 'The model does not exist', 'roles must alternate'])(
    '[N125] are unchanged by other errors: %s',
    (message) => {
      expect(learned(message)).toBeUndefined();
      expect(learned('reasoning_content is missing in the message', 429)).toBeUndefined();
    },
  );
});
