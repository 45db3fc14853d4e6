/**
 * What a step must have written when it is left, from its own words: the files it says to write in every run, with the headings
 * of the template it fills in or of the section it appends. Pure.
 */
import type { WrittenProduced } from '@crewagent/protocol/proof';
import { readHeadings } from '../../tools/proof/judge-content.ts';
import { namesInBraces } from '../source/import-scope.ts';
import { type ScopedLine, toScopedLines } from './line-conditions.ts';
import type { StepOutput } from './step-outputs.ts';

export interface Template {
  /** In the package. */
  readonly path: string;
  readonly text: string;
}

export interface WrittenOutput extends Pick<StepOutput, 'path' | 'mentions' | 'isRemoved'> {
  /** The step fills it in, section by section. */
  readonly template?: Template | undefined;
}

export interface ProducesSources {
  readonly body: string;
  readonly outputs: readonly WrittenOutput[];
  /** Letters of menu options that lead on. */
  readonly leads?: readonly string[] | undefined;
  /** The step may find a document of an earlier run, and lead to the step that continues it. */
  readonly canResume: boolean;
  /** Whether a variable has a value when the step is left. */
  isKnown(name: string): boolean;
  /** The template that a line of the step names. */
  findTemplate(line: string): Template | undefined;
  /** Templates by the output that was made from them, for all steps of a workflow. */
  readonly templates: Map<string, Template>;
}

export interface FoundProduced {
  readonly written: WrittenProduced;
  /** The line that it is based on. */
  readonly line: ScopedLine | undefined;
}

/** Modest numbers: they tell a text from a stub, not a good one from a bad one. */
const TEXT_WORDS = 40;
const STUB_WORDS = 5;
const MAX_FILES = 8;
const TEXT_FILE = /\.(?:md|markdown|txt|html?)$/i;
const CHECKABLE_FILE = /\.(?:md|markdown|txt|html?|ya?ml|json|csv|xml|toml)$/i;

export function findProduces(sources: ProducesSources): FoundProduced[] {
  const { body, outputs, leads, isKnown } = sources;
  const lines = toScopedLines(body, leads);
  const certain = outputs.filter(
    ({ path, mentions, isRemoved }) =>
      !isRemoved &&
      CHECKABLE_FILE.test(path) &&
      [...namesInBraces(path)].every(isKnown) &&
      mentions.some(({ applies }) => applies !== 'sometimes'),
  );
  const isOnly = certain.filter(({ path }) => TEXT_FILE.test(path)).length === 1;
  const isSkippable = lines.some(({ text }) => SKIPS.test(text));
  return certain
    .slice(0, MAX_FILES)
    .map((output) => toProduced(output, { lines, isOnly, isSkippable, ...sources }));
}

function toProduced(
  { path, mentions, template: filled }: WrittenOutput,
  step: ProducesSources & { lines: readonly ScopedLine[]; isOnly: boolean; isSkippable: boolean },
): FoundProduced {
  const { lines, isOnly, isSkippable, templates, isKnown } = step;
  const written = mentions.filter(({ applies }) => applies !== 'sometimes');
  const best = written.find(({ applies }) => applies === 'always') ?? written[0];
  const isMention = ({ index }: ScopedLine): boolean => mentions.some((mention) => mention.index === index);
  const copied = lines
    .filter((line) => line.applies !== 'sometimes' && COPIES.test(line.text) && (isOnly || isMention(line)))
    .flatMap(({ text }) => step.findTemplate(text) ?? [])[0];
  const template = filled ?? copied;
  if (template) templates.set(path, template);
  const mustChange = !step.canResume && !isSkippable && best?.applies === 'always';
  const isMetadata = written.every(({ text }) => METADATA.test(text));
  const isText = TEXT_FILE.test(path);
  const sections = isText && !isSkippable ? findSections(lines, isMention, isOnly) : [];
  const headings =
    (template && toTemplateHeadings(template, isKnown)) ?? (sections[0] ? sections : undefined);
  const isFull = isText && mustChange && !isMetadata && !(copied && !filled);
  const change = !mustChange ? 'exists' : APPENDS.test(best?.text ?? '') ? 'required' : undefined;
  return {
    written: {
      path,
      change,
      headings,
      minWords: isFull ? TEXT_WORDS : copied ? toFewWords(copied) : STUB_WORDS,
      notContains: findForbidden(lines, templates.get(path)),
    },
    line: best,
  };
}

/** Outputs of `<template-output>` tags. */
export function toFilledOutputs(
  body: string,
  paths: readonly string[],
  template: Template | undefined,
): WrittenOutput[] {
  const mentions = toScopedLines(body).filter(({ text }) => text.includes('<template-output'));
  return paths.map((path) => ({ path, mentions, isRemoved: false, template }));
}

const SKIPS = /\bskip(?:ped)? (?:this|the) step\b|\bstep (?:is|was|may be|can be) skipped\b/i;
const METADATA = /\}[`*]* frontmatter\b|\bfrontmatter (?:of|in) [`*]*\{/i;
const COPIES = /\b(?:copy|copies|create|initiali[sz]e|load|use|from|based on|fill)\b/i;
const APPENDS = /\b(?:append|add|update|save|record)/i;

/** Headings that are the same in every document: without placeholders, except for values that are known. */
function toTemplateHeadings(
  { path, text }: Template,
  isKnown: (name: string) => boolean,
): WrittenProduced['headings'] {
  const all = readHeadings(text).filter((heading) => heading.replace(PLACEHOLDER, '').trim() !== '');
  const fixed = all.filter((heading) =>
    [...heading.matchAll(PLACEHOLDER)].every(([, name = '']) => isKnown(name.trim())),
  );
  if (fixed.length === 0) return undefined;
  return fixed.length === all.length ? { from: path } : { from: path, only: [...new Set(fixed)] };
}

const PLACEHOLDER = /\{\{?([^{}]*)\}?\}|\[[a-z_ -]+\]/gi;

/** Half of what the template itself says, so that a copy of it is enough. */
function toFewWords({ text }: Template): number {
  const words =
    text
      .replace(/<!--[\s\S]*?-->/g, '')
      .replace(PLACEHOLDER, '')
      .match(/[\p{L}\p{N}]{2,}/gu)?.length ?? 0;
  return Math.min(TEXT_WORDS, Math.max(3, Math.floor(words / 2)));
}

const LEAD_LINES = 3;

/** The highest headings of a block that the text says to append. */
function findSections(
  lines: readonly ScopedLine[],
  isMention: (line: ScopedLine) => boolean,
  isOnly: boolean,
): string[] {
  const found = new Set<string>();
  let block: { isSection: boolean; headings: { level: number; text: string }[] } | undefined;
  let before: ScopedLine[] = [];
  // The lines right before the block say that it is appended, or name the file.
  const isLead = (lead: readonly ScopedLine[]): boolean =>
    lead.at(-1)?.applies !== 'sometimes' &&
    !/\bexample\b/i.test(lead.at(-1)?.text ?? '') &&
    lead.some((line) => isMention(line) || (isOnly && /\bappend|\bcontent structure\b/i.test(line.text)));
  for (const line of lines) {
    const [fence, language = ''] = /^\s*(?:`{3,}|~{3,})[ \t]*(\w*)/.exec(line.text) ?? [];
    if (block && fence !== undefined) {
      if (block.isSection) for (const heading of highest(block.headings)) found.add(heading);
      block = undefined;
      before = [];
    } else if (fence !== undefined) {
      const isMarkdown = ['', 'md', 'markdown'].includes(language);
      block = { isSection: isMarkdown && line.applies !== 'sometimes' && isLead(before), headings: [] };
    } else if (block) {
      const [, hashes = '', text = ''] =
        /^\s{0,3}(#{1,6})\s+(.*?)[\s#]*$/.exec(line.text.slice(0, 300)) ?? [];
      if (text !== '') block.headings.push({ level: hashes.length, text });
    } else if (line.text.trim() !== '') before = [...before.slice(1 - LEAD_LINES), line];
  }
  return [...found];
}

function highest(headings: readonly { readonly level: number; readonly text: string }[]): string[] {
  const level = Math.min(...headings.map((heading) => heading.level));
  return headings
    .filter((heading) => heading.level === level && heading.text.replace(PLACEHOLDER, '').trim() !== '')
    .map(({ text }) => text);
}

const NO_PLACEHOLDERS =
  /\bno (?:template )?placeholders?\b|\breplace (?:all|every) (?:template )?placeholders?\b/i;

/** Placeholders of the template, in the step that says that none may remain. */
function findForbidden(lines: readonly ScopedLine[], template: Template | undefined): string[] | undefined {
  const isSaid = lines.some(({ text, applies }) => applies !== 'sometimes' && NO_PLACEHOLDERS.test(text));
  if (!template || !isSaid) return undefined;
  if (template.text.includes('{{')) return ['{{'];
  const names = new Set(template.text.match(/\{[a-z][\w-]*\}/gi));
  return names.size > 0 ? [...names] : undefined;
}
