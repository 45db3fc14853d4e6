/**
 * Values that many schemas have in common, each built once.
 */
import * as z from './zod.ts';

export const nonEmptySchema = z.string().check(z.minLength(1));

export const countSchema = z.int().check(z.minimum(0));

/** A number of things of which there is at least one, or a position that counts from 1. */
export const positiveCountSchema = z.int().check(z.minimum(1));

export const sha256Schema = z.string().check(z.regex(/^[0-9a-f]{64}$/));
