/**
 * `about.json`, an optional file at the root of a package: what people read about it before they install it. Not part of `bmad.json`,
 * which allows no other keys.
 */
import { schemaReferenceSchema } from './format.ts';
import * as z from './zod.ts';

const lineSchema = z.string().check(z.minLength(1), z.maxLength(200));

/** Shown as a link, so nothing else that a browser opens. */
const webAddressSchema = z
  .string()
  .check(z.regex(/^https?:\/\/[^\s"<>\\]{1,490}$/), z.meta({ description: 'An address with https://.' }));

const authorSchema = z.strictObject({
  name: lineSchema,
  email: z.optional(z.string().check(z.regex(/^[^\s@<>"]{1,100}@[^\s@<>"]{1,150}$/))),
  url: z.optional(webAddressSchema),
});

export const aboutSchema = z
  .strictObject({
    $schema: schemaReferenceSchema,
    title: z.optional(lineSchema).check(z.meta({ description: 'The name of the package for people.' })),
    license: z
      .optional(z.string().check(z.regex(/^[A-Za-z0-9(][A-Za-z0-9.+() -]{0,199}$/)))
      .check(z.meta({ description: 'An SPDX expression such as MIT or Apache-2.0.' })),
    homepage: z.optional(webAddressSchema),
    repository: z.optional(webAddressSchema),
    keywords: z.optional(z.array(lineSchema).check(z.maxLength(50))),
    icon: z
      .optional(z.string().check(z.regex(/\.(?:png|jpe?g|webp)$/i), z.maxLength(1_000)))
      .check(z.meta({ description: 'Path of a picture in the folder of assets: PNG, JPEG or WebP.' })),
    authors: z.optional(z.array(authorSchema).check(z.maxLength(50))),
    engines: z
      .optional(z.strictObject({ crewagent: z.optional(lineSchema) }))
      .check(z.meta({ description: 'Versions that the package works with, such as ">=0.1.0 <2".' })),
    source: z
      .optional(z.string().check(z.maxLength(1_000)))
      .check(z.meta({ description: 'What the package was converted from.' })),
  })
  .check(z.meta({ title: 'About a package (about.json)' }));

export type About = z.infer<typeof aboutSchema>;
