/**
 * Several event streams over one connection. A browser keeps six connections to one server over all its windows; a page
 * that held one for each stream would leave none for the second window.
 */
import * as z from '../zod.ts';
import { defineEndpoint } from './define-endpoint.ts';

/** Chosen by the client, for as long as its connection lasts. */
const params = z.strictObject({ muxId: z.uuid() });

const nameSchema = z.string().regex(/^[\w-]{1,40}$/, 'a short name');

/** Text of the stream of that name, as it would come over a connection of its own. */
export const muxMessageSchema = z.strictObject({
  name: nameSchema,
  text: z.string(),
  /** Nothing follows. */
  isOver: z.literal(true).optional(),
});
export type MuxMessage = z.infer<typeof muxMessageSchema>;

export const streams = {
  carry: defineEndpoint({
    method: 'GET',
    path: '/streams/:muxId',
    summary: 'A connection that carries event streams; which ones is said by `add` and `remove`.',
    params,
    message: z.strictObject({ type: z.literal('carried'), data: muxMessageSchema }),
  }),
  add: defineEndpoint({
    method: 'POST',
    path: '/streams/:muxId/add',
    summary: 'Puts an event stream of this API on a connection that is open.',
    params,
    body: z.strictObject({
      name: nameSchema,
      /** Of the stream, with its query, as it would be called. */
      path: z.string().max(2_000),
      lastEventId: z.string().max(100).optional(),
    }),
  }),
  remove: defineEndpoint({
    method: 'POST',
    path: '/streams/:muxId/remove',
    summary: 'Takes an event stream off a connection.',
    params,
    body: z.strictObject({ name: nameSchema }),
  }),
};
