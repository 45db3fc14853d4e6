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
  const plain = readPlain(text, options);
  if (plain) return plain;
  const { parseFrontmatter } = await import('./full-frontmatter.ts');
  const { expandDates = false, limits = DOCUMENT_LIMITS, tryParse } = options;
  if (tryParse) return parseFrontmatter(text, options);
  const key = `${expandDates} ${limits.maxChars} ${limits.maxFullChars} ${text}`;
  return parsed(key, () => parseFrontmatter(text, options));
}

/** Undefined if the text is not plain. */
function readPlain(
  text: string,
  { limits = DOCUMENT_LIMITS }: FrontmatterOptions,
): Frontmatter | FrontmatterFailure | undefined {
  const split = splitFrontmatter(text);
  if (!split.ok) return split;
  if (split.yaml.length > limits.maxChars) return tooLong();
  const { yaml } = split;
  const value =
    text.length > REMEMBERED_CHARS ? parsePlainYaml(yaml) : plainFields(yaml, () => parsePlainYaml(yaml));
  return value && { ok: true, value, body: split.body };
}

/** What is remembered keeps the text around it in memory. */
const REMEMBERED_CHARS = 32_768;

/** Runs of one package begin with the same documents, and each change of a state document is read several times, also without its body. */
const plainFields = remember<ReturnType<typeof parsePlainYaml>>(32);

/** The full parser is slow, and the tools of a visit read the same step and the same state again and again. */
const parsed = remember<Frontmatter | FrontmatterFailure>(32);
