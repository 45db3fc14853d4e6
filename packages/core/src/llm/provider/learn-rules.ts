/**
 * Learns message rules from a provider's error: gateways and unknown servers may serve models with special
 * requirements. Pure.
 */
import type { MessageRules } from '@crewagent/protocol/model';
import type { ErrorResponse } from './http-errors.ts';

type LearnedRule = readonly [pattern: RegExp, rules: Partial<MessageRules>];

/** Error messages of the providers known for each rule. The first match that changes the rules is used. */
const LEARNED_RULES: readonly LearnedRule[] = [
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
  // The rejected field is one of those that we send back.
  [
    /extra inputs are not permitted|property .{1,60} is unsupported|unrecognized (?:field|key)|unknown field/i,
    { returnedFields: [] },
  ],
];

/** Undefined if the response teaches nothing new. */
export function learnRules(rules: MessageRules, { status, body }: ErrorResponse): MessageRules | undefined {
  if (status !== 400 && status !== 422 && status !== 500) return undefined;
  const text = body.slice(0, 20_000).replaceAll('\\"', '"').replace(/\s+/g, ' ');
  const match = LEARNED_RULES.find(
    ([pattern, learned]) => pattern.test(text) && Object.keys(differences(rules, learned)).length > 0,
  );
  return match && { ...rules, ...match[1] };
}

/** The rules in which two sets differ. */
export function differences(before: MessageRules, rules: Partial<MessageRules>): Partial<MessageRules> {
  return Object.fromEntries(
    Object.entries(rules).filter(
      ([name, value]) => JSON.stringify(before[name as keyof MessageRules]) !== JSON.stringify(value),
    ),
  );
}
