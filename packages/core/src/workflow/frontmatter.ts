/**
 * Reads the frontmatter of a document. Hostile text gives a failure with a reason, never an exception, code execution
 * or unbounded work. Independent of schemas.
 */
import { remember } from '../base/remember.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import {
  DOCUMENT_LIMITS,
  type Frontmatter,
  type FrontmatterFailure,
  type FrontmatterOptions,
  splitFrontmatter,
  tooLong,
} from './split-frontmatter.ts';

/** The full parser is large and rarely needed, so it is loaded only if the text is not plain. */
export async function readFrontmatter(
  text: string,
  options: FrontmatterOptions = {},
): Promise<Frontmatter | FrontmatterFailure> {
  const split = splitFrontmatter(text);
  if (!split.ok) return split;
  if (split.yaml.length > (options.limits ?? DOCUMENT_LIMITS).maxChars) return tooLong();
  const plain = parsePlainYaml(split.yaml);
  if (plain) return { ok: true, value: plain, body: split.body };
  const { parseFrontmatter } = await import('./full-frontmatter.ts');
  const { expandDates = false, limits = DOCUMENT_LIMITS, tryParse } = options;
  if (tryParse) return parseFrontmatter(text, options);
  const key = `${expandDates} ${limits.maxChars} ${limits.maxFullChars} ${text}`;
  return parsed(key, () => parseFrontmatter(text, options));
}

/** The full parser is slow, and the tools of a visit read the same step and the same state again and again. */
const parsed = remember<Frontmatter | FrontmatterFailure>(32);
