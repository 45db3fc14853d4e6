/**
 * Several event streams over one connection. A browser opens at most six connections to a server across all its windows; with
 * one connection per stream, a second window would get none.
 */
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';

const nameSchema = z.string().check(z.regex(/^[\w-]{1,40}$/, 'a short name'));

/** Text of the named stream, as it would arrive over its own connection. */
export const muxMessageSchema = z.strictObject({
  name: nameSchema,
  text: z.string(),
  /** The stream has ended. */
  isOver: z.optional(z.literal(true)),
});
export type MuxMessage = z.infer<typeof muxMessageSchema>;

export const streams = {
  carry: defineEndpoint(
    'GET /streams/:muxId',
    'Opens a multiplexed connection; `add` and `remove` choose its event streams.',
    { message: z.strictObject({ type: z.literal('carried'), data: muxMessageSchema }) },
  ),
  add: defineEndpoint('POST /streams/:muxId/add', 'Adds an event stream of this API to an open connection.', {
    body: z.strictObject({
      name: nameSchema,
      /** Path of the stream, with its query. */
      path: z.string().check(z.maxLength(2_000)),
      lastEventId: z.optional(z.string().check(z.maxLength(100))),
    }),
  }),
  remove: defineEndpoint('POST /streams/:muxId/remove', 'Removes an event stream from a connection.', {
    body: z.strictObject({ name: nameSchema }),
  }),
};
