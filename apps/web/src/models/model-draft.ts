/** A model as typed into the form, and its conversion to settings or to issues by field. Pure. */
import {
  type ModelSettings,
  type ModelSize,
  modelSettingsSchema,
  type Provider,
} from '@crewagent/protocol/model';

export interface ModelDraft {
  readonly name: string;
  readonly provider: Provider;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKeyEnv: string;
  readonly contextTokens: string;
  readonly maxOutputTokens: string;
  readonly temperature: string;
  readonly size: 'auto' | ModelSize;
  readonly inputPrice: string;
  readonly cachedPrice: string;
  readonly outputPrice: string;
}

export type DraftField = Exclude<keyof ModelDraft, 'provider' | 'size'>;

/** Each value is a key of the texts. */
export type DraftIssue =
  | 'name'
  | 'taken'
  | 'model'
  | 'address'
  | 'addressNeeded'
  | 'contextTokens'
  | 'whole'
  | 'temperature'
  | 'price'
  | 'priceNeeded';

export type ParsedDraft =
  | { readonly ok: true; readonly name: string; readonly settings: ModelSettings }
  | { readonly ok: false; readonly issues: Readonly<Partial<Record<DraftField, DraftIssue>>> };

export function emptyDraft(provider: Provider): ModelDraft {
  return {
    name: '',
    provider,
    model: '',
    baseUrl: '',
    apiKeyEnv: '',
    contextTokens: '',
    maxOutputTokens: '',
    temperature: '',
    size: 'auto',
    inputPrice: '',
    cachedPrice: '',
    outputPrice: '',
  };
}

export function toDraft(name: string, settings: ModelSettings): ModelDraft {
  const { prices } = settings;
  return {
    name,
    provider: settings.provider,
    model: settings.model,
    baseUrl: settings.baseUrl ?? '',
    apiKeyEnv: settings.apiKeyEnv ?? '',
    contextTokens: toText(settings.contextTokens),
    maxOutputTokens: toText(settings.maxOutputTokens),
    temperature: toText(settings.temperature),
    size: settings.size ?? 'auto',
    inputPrice: toText(prices?.input),
    cachedPrice: toText(prices?.cachedInput),
    outputPrice: toText(prices?.output),
  };
}

/** An empty name is derived from the model and made unique. */
export function parseDraft(draft: ModelDraft, otherNames: readonly string[]): ParsedDraft {
  const issues: Partial<Record<DraftField, DraftIssue>> = {};
  const name = draft.name.trim() || nameAfter(draft, otherNames);
  if (!NAME.test(name) || name === 'rehearsal') issues.name = 'name';
  else if (otherNames.includes(name)) issues.name = 'taken';
  const baseUrl = draft.baseUrl.trim();
  if (draft.provider === 'generic' && baseUrl === '') issues.baseUrl = 'addressNeeded';
  const [input, cachedInput, output] = [draft.inputPrice, draft.cachedPrice, draft.outputPrice].map(toNumber);
  const hasPrices = [input, cachedInput, output].some((price) => price !== undefined);
  if (hasPrices && input === undefined) issues.inputPrice = 'priceNeeded';
  if (hasPrices && output === undefined) issues.outputPrice = 'priceNeeded';
  const parsed = modelSettingsSchema.safeParse(
    withoutBlanks({
      provider: draft.provider,
      model: draft.model.trim(),
      baseUrl: baseUrl || undefined,
      apiKeyEnv: draft.apiKeyEnv.trim() || undefined,
      contextTokens: toNumber(draft.contextTokens),
      maxOutputTokens: toNumber(draft.maxOutputTokens),
      temperature: toNumber(draft.temperature),
      size: draft.size === 'auto' ? undefined : draft.size,
      prices: hasPrices ? withoutBlanks({ input: input ?? 0, cachedInput, output: output ?? 0 }) : undefined,
    }),
  );
  for (const { path } of parsed.error?.issues ?? []) {
    const [field, issue] = ISSUES[path.join('.')] ?? ['model', 'model'];
    issues[field] ??= issue;
  }
  if (!parsed.success || Object.keys(issues).length > 0) return { ok: false, issues };
  return { ok: true, name, settings: parsed.data };
}

const NAME = /^[A-Za-z0-9][\w.:-]{0,63}$/;

const ISSUES: Readonly<Record<string, readonly [DraftField, DraftIssue]>> = {
  model: ['model', 'model'],
  baseUrl: ['baseUrl', 'address'],
  contextTokens: ['contextTokens', 'contextTokens'],
  maxOutputTokens: ['maxOutputTokens', 'whole'],
  temperature: ['temperature', 'temperature'],
  'prices.input': ['inputPrice', 'price'],
  'prices.cachedInput': ['cachedPrice', 'price'],
  'prices.output': ['outputPrice', 'price'],
};

/** Falls back to the provider if the model's name has no usable characters. */
function nameAfter({ model, provider }: ModelDraft, others: readonly string[]): string {
  const letters = model
    .trim()
    .replace(/[^\w.:-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 58);
  const plain = letters || provider;
  const taken = new Set([...others, 'rehearsal']);
  const count = Array.from({ length: taken.size + 1 }, (_, index) => index + 1).find(
    (number) => !taken.has(numbered(plain, number)),
  );
  return numbered(plain, count ?? 1);
}

function numbered(name: string, count: number): string {
  return count === 1 ? name : `${name}-${count}`;
}

/** Text that is not a number becomes NaN, which is out of range everywhere. */
function toNumber(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

function toText(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function withoutBlanks(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
