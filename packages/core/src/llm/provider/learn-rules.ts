/**
 * What a provider's complaint tells about the messages it takes: models with rules of their own hide behind gateways and
 * servers that nobody has a profile of. Pure.
 */
import type { MessageRules } from '@crewagent/protocol/model';
import type { HttpAnswer } from './http-errors.ts';

type Lesson = readonly [complaint: RegExp, rules: Partial<MessageRules>];

/** In the words of the providers that are known for them; the first one that fits and is news counts. */
const LESSONS: readonly Lesson[] = [
  // DeepSeek, Moonshot
  [
    /reasoning_content\W.{0,80}(?:must be passed back|is missing|is required)|missing.{0,20}reasoning_content/i,
    { reasoning: 'always' },
  ],
  // Groq, Mistral, Cerebras
  [
    /(?:property|field|parameter|extra|unknown|unrecognized).{0,80}\breasoning(?:_content|_details)?\b|\breasoning_content\W.{0,60}(?:unsupported|not (?:supported|permitted|allowed))/i,
    { reasoning: 'never', returnedFields: [] },
  ],
  // Mistral, also behind vLLM and gateways
  [/tool call id .{0,200}length of 9/i, { callIds: 'nine characters' }],
  [/unexpected role .?user.? after role .?tool/i, { needsReplyAfterTools: true }],
  // Gemini behind gateways
  [/missing a .?thought_signature/i, { needsSignatures: true }],
  [
    /(?:unknown name|unknown field|unrecognized|not supported).{0,40}(?:additionalProperties|\$schema|const|oneOf|pattern)/i,
    { toolSchemas: 'plain' },
  ],
  [
    /content.{0,60}(?:none is not|null is not|must not be null|cannot be null|should be a valid string)/i,
    { emptyContent: 'text' },
  ],
  // Whatever it is, it is one of the fields that we send back.
  [
    /extra inputs are not permitted|property .{1,60} is unsupported|unrecognized (?:field|key)|unknown field/i,
    { returnedFields: [] },
  ],
];

/** Undefined where the answer teaches nothing new. */
export function learnRules(rules: MessageRules, { status, body }: HttpAnswer): MessageRules | undefined {
  if (status !== 400 && status !== 422 && status !== 500) return undefined;
  const text = body.slice(0, 20_000).replaceAll('\\"', '"').replace(/\s+/g, ' ');
  const lesson = LESSONS.find(([complaint, taught]) => complaint.test(text) && isNews(rules, taught));
  return lesson && { ...rules, ...lesson[1] };
}

function isNews(rules: MessageRules, taught: Partial<MessageRules>): boolean {
  return Object.entries(taught).some(
    ([name, value]) => JSON.stringify(rules[name as keyof MessageRules]) !== JSON.stringify(value),
  );
}
