/**
 * A run's state document as a value: parsed, normalised, held against its schema. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import { type WorkflowFrontmatter } from '@crewagent/protocol/workflow';
export type WorkflowState = WorkflowFrontmatter;
export type ParsedState =
  | {
      readonly ok: true;
      readonly state: WorkflowState;
    }
  | {
      readonly ok: false;
      readonly error: ToolError;
    };
export declare function parseWorkflowState(text: string): ParsedState;
