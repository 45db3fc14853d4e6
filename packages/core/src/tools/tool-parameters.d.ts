/**
 * A tool's arguments as the JSON Schema a model is shown. It goes with every request, so it says what helps to get a call
 * right and leaves out what does not; everything is enforced all the same.
 */
import * as z from '@crewagent/protocol/zod';
export declare function toParameters(schema: z.ZodType): Record<string, unknown>;
