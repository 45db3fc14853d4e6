/** The port to message rules that were learned from errors of providers. Types only. */
import type { MessageRules } from '@crewagent/protocol/model';

export type LearnedMessageRules = Partial<Omit<MessageRules, 'origin'>>;

export interface LearnedRules {
  read(origin: string): Promise<LearnedMessageRules | undefined>;
  write(origin: string, rules: LearnedMessageRules): Promise<void>;
}
