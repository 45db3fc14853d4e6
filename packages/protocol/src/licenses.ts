/** What the product contains of others: the file `licenses.json` beside the page, which the build writes. */
import * as z from './zod.ts';

const licensedPackageSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** An SPDX expression. */
  license: z.string(),
  text: z.string(),
});
export type LicensedPackage = z.infer<typeof licensedPackageSchema>;

export const licensesSchema = z.object({ packages: z.array(licensedPackageSchema) });
